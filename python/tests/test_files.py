"""Reading, writing, converting, scoring, counting, voting, measuring."""

from __future__ import annotations

import gzip
import io
import json

import pleach
import pytest
from conftest import EXAMPLE


def test_reading_and_writing(tmp_path):
    original = EXAMPLE.read_text()
    doc = pleach.Document(pleach.read(EXAMPLE))
    assert doc.to_conllu() == original
    for name in ("a.conllu", "b.conllu.gz", "c.conllu.zst", "d.jsonl", "e.mrp"):
        pleach.write(doc, tmp_path / name)
        again = pleach.Document(pleach.read(str(tmp_path / name)))
        assert [sentence.graph for sentence in again] == [sentence.graph for sentence in doc]
    assert gzip.decompress((tmp_path / "b.conllu.gz").read_bytes()).decode() == original
    text, data = io.StringIO(), io.BytesIO()
    assert pleach.write(doc, text, "conllu") == {} and text.getvalue() == original
    pleach.write(iter(doc), data, "conllu")
    assert data.getvalue().decode() == original
    lost = pleach.write(doc, io.BytesIO(), "sdp2015")
    assert lost and all(count > 0 for count in lost.values())
    for source in (io.StringIO(original), io.BytesIO(original.encode()), io.BytesIO(gzip.compress(original.encode()))):
        assert pleach.Document(pleach.read(source)) == doc
    with open(EXAMPLE, encoding="utf-8") as file:
        reader = pleach.read(file)
        assert reader.format == "conllu" and pleach.Document(reader) == doc


def test_text_that_is_cut_within_a_character():
    word = "é😀" * 40_000
    sentence = pleach.Sentence([word, "x"])
    out = io.StringIO()
    pleach.write(sentence, out, "jsonl")
    assert json.loads(out.getvalue())["words"][0]["form"] == word


def test_reading_is_lazy_and_goes_on_after_errors():
    good = "1\tx\t_\t_\t_\t_\t0\troot\t0:root\t_\n\n"
    bad = "1\tx\t_\t_\t_\t_\t9\troot\t0:root\t_\n\n"
    reader = pleach.read(io.StringIO(good + bad + good), "conllu")
    next(reader)
    with pytest.raises(pleach.ReadError) as caught:
        next(reader)
    error = caught.value
    assert (error.path, error.line, error.column) == ("<file object>", 3, 13) and "skip" in error.help
    assert len(list(reader)) == 1
    reader = pleach.read(io.StringIO(good + bad + good), "conllu", on_error="skip")
    assert len(list(reader)) == 2 and reader.skipped == 1


def test_converting(tmp_path):
    out = tmp_path / "x.sdp"
    done = pleach.convert(EXAMPLE, out)
    assert done["from"] == "conllu" and done["to"] == "sdp2015" and done["sentences"] == 1 and done["losses"]
    back = io.StringIO()
    pleach.convert(str(out), back, to_format="conllu")
    graph = next(pleach.read(io.StringIO(back.getvalue()))).graph
    assert graph == next(pleach.read(EXAMPLE)).graph


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text("old")

    def sentences():
        yield pleach.Sentence(["a"])
        raise KeyError("mine")

    with pytest.raises(KeyError):
        pleach.write(sentences(), path)
    assert path.read_text() == "old"


def test_what_file_objects_raise_comes_through():
    class Broken(io.RawIOBase):
        def read(self, size=-1):
            raise ConnectionResetError("gone")

        def write(self, data):
            raise ConnectionResetError("gone too")

    with pytest.raises(ConnectionResetError, match="gone"):
        pleach.read(Broken())
    with pytest.raises(ConnectionResetError, match="gone too"):
        pleach.write(pleach.Sentence(["a"]), Broken(), "conllu")

    class Wrong:
        def read(self, size):
            return 3

    with pytest.raises(TypeError, match="read\\(\\) gives bytes or str, not int"):
        pleach.read(Wrong())


def test_scores(doc, tmp_path):
    gold = doc.copy()
    same = pleach.evaluate(gold, doc, metric="sdp")
    assert same.LF == 1.0 and same.metric == "sdp" and "labelled" in str(same) and same["UF"] == 1.0
    assert "<pre>" in same._repr_html_()
    worse = doc.copy()
    head, dependent, label = worse[0].graph.arcs[0]
    worse[0].graph.remove(head, dependent, label)
    path = tmp_path / "gold.conllu"
    pleach.write(gold, path)
    scores = pleach.evaluate(path, worse)
    assert scores.metric == "eud" and scores.ELAS.f1 < 1.0 and scores.ELAS.recall < scores.ELAS.precision
    two = pleach.evaluate(gold, doc, worse, metric="sdp", samples=100, seed=1)
    assert two.comparison.LF.delta != 0
    with pytest.raises(AttributeError, match="there are"):
        same.nothing
    trees = pleach.evaluate(EXAMPLE, pleach.read(EXAMPLE), metric="tree")
    assert trees.UAS == 1.0


def test_files_that_do_not_belong_together(doc):
    other = pleach.Document([["Quite", "other", "words"]])
    with pytest.raises(pleach.EvalError) as caught:
        pleach.evaluate(doc, other, metric="sdp")
    assert "same sentences" in caught.value.help
    with pytest.raises(pleach.EvalError):
        pleach.vote([doc, other])
    with pytest.raises(ValueError, match="unknown metric"):
        pleach.evaluate(doc, doc, metric="bleu")


def test_counts(doc):
    found = pleach.stats(doc)
    assert found.sentences == 1 and found.words == 10 and found["arcs"] == len(doc[0].graph)
    assert sum(found.arcs_by_label.values()) == found.arcs and found.pagenumbers
    assert pleach.stats(EXAMPLE).sentences == 1
    assert pleach.stats(EXAMPLE, tree=True).trees == 1


def test_models_and_presets():
    first = pleach.models()[0]
    assert first.name == "en" and first.path is None and first.size > 1_000_000
    assert "s2s-combined" in pleach.presets() and "beam = " in pleach.recipe("s2s-combined")
    assert pleach.model.info()["family"]


def test_json_lines_of_documents(nlp):
    lines = ['{"body": "It rains.", "n": [1, 2]}\n', "\n", '{"body": null}\n', '{"text": "x"}\n', "[1]\n", "nonsense\n"]
    out = io.StringIO()
    counts = pleach.records.parse(nlp, lines, out, "body", batch_size=2)
    assert (counts.records, counts.errors) == (5, 4)
    records = [json.loads(line) for line in out.getvalue().splitlines()]
    assert records[0]["n"] == [1, 2] and records[0]["sentences"] == nlp("It rains.").to_dict()["sentences"]
    assert records[1]["pleach_error"] == "the field 'body' is no string"
    assert records[2]["pleach_error"] == "no field 'body'; there are 'text'"
    assert [record["pleach_line"] for record in records[3:]] == ["[1]", "nonsense"]
    nlp = pleach.load(max_length=5)
    (record,) = pleach.records.parse_lines(nlp, ['{"text": "It rains."}'])
    assert "max_length = 5" in record["pleach_error"] and record["text"] == "It rains."
