"""Clients that were not written here: udapi's client of UDPipe's service, and a validator of OpenAPI descriptions."""

import json
import sys
import urllib.request

from openapi_spec_validator import validate
from udapi.core.document import Document
from udapi.core.root import Root
from udapi.tool.udpipeonline import UDPipeOnline

address = sys.argv[1].rstrip("/")
validate(json.load(urllib.request.urlopen(address + "/openapi.json")))

client = UDPipeOnline("en", server=address)
assert client.list_models()[0] == "en"
assert client.segment_text("Mark sleeps. He wants to wake up.") == ["Mark sleeps.", "He wants to wake up."]

root = Root()
root.text = "Mark wants to sleep."
tree = client.tokenize_tag_parse_tree(root)[0]
words = [(node.form, node.upos, node.parent.ord, node.deprel) for node in tree.descendants]
assert words[1] == ("wants", "VERB", 0, "root") and words[0][3] == "nsubj", words

client.tag_parse_tree(tree)
assert [node.deprel for node in tree.descendants][:2] == ["nsubj", "root"]

# The client of UDPipe 2 sends multipart forms.
result = client.perform_request({"model": "en", "data": "Mark sleeps.", "tokenizer": "", "tagger": "", "parser": ""})
assert result.startswith("# generator = Pleach")

document = Document()
for text in ["Mark sleeps.", "She can't. He won't!"]:
    document.create_bundle().create_tree().text = text
client.process_document(document)
assert [tree.get_sentence() for tree in document.trees] == ["Mark sleeps.", "She can't. He won't!"]
print("udapi's UDPipe client works, and the description is valid OpenAPI")
