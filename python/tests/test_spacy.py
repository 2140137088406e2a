"""The component, in a real spaCy."""

from __future__ import annotations

import pleach
import pytest
from conftest import TEXT

spacy = pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def english():
    nlp = spacy.blank("en")
    # By its entry point: nothing of pleach.spacy was imported.
    nlp.add_pipe("pleach")
    return nlp


def test_tokens_get_deep_heads(english):
    doc = english(TEXT)
    mark = doc[3]
    assert [(head.text, label) for head, label in mark._.deep_heads] == [("wants", "nsubj"), ("buy", "nsubj:xsubj")]
    assert all(isinstance(head, (spacy.tokens.Token, type(None))) for token in doc for head, _ in token._.deep_heads)
    assert (None, "root") in doc[8]._.deep_heads
    (sentence,) = doc._.deep_graph
    assert isinstance(sentence, pleach.Sentence)
    assert [word.form for word in sentence] == [token.text for token in doc]


def test_streams_and_sentences_and_white_space():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("pleach", config={"threads": 2, "options": {"beam": 2}})
    texts = ["It rains. We stay.", "", "  two   spaces  .", "Ann sleeps."] * 5
    docs = list(nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    assert [len(doc._.deep_graph) for doc in docs[:4]] == [2, 0, 1, 1]
    for doc, text in zip(docs, texts):
        assert [[t._.deep_heads for t in doc]] == [[t._.deep_heads for t in nlp(text)]] or [
            [(h.i if h is not None else None, l) for h, l in t._.deep_heads] for t in doc
        ] == [[(h.i if h is not None else None, l) for h, l in t._.deep_heads] for t in nlp(text)]
    stays = docs[0][4]
    assert stays.text == "stay" and stays._.deep_heads == [(None, "root")]


def test_tags_of_spacy_are_used():
    nlp = spacy.blank("en")
    doc = spacy.tokens.Doc(nlp.vocab, words=["It", "rains"], pos=["PRON", "NOUN"])
    nlp.add_pipe("pleach")
    for _, component in nlp.pipeline:
        doc = component(doc)
    assert [word.upos for word in doc._.deep_graph[0]] == ["PRON", "NOUN"]
    untouched = nlp.make_doc("Nothing yet")
    assert untouched[0]._.deep_heads == [] and untouched._.deep_graph == []


def test_documents_are_kept_on_disk(english, tmp_path):
    doc = english(TEXT)
    kept = spacy.tokens.DocBin(store_user_data=False, docs=[doc])
    kept.to_disk(tmp_path / "x.spacy")
    assert len(list(spacy.tokens.DocBin().from_disk(tmp_path / "x.spacy").get_docs(english.vocab))) == 1
