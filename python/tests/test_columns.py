"""Arrow and Parquet, and that DuckDB and polars read them."""

from __future__ import annotations

import pleach
import pytest

pa = pytest.importorskip("pyarrow")


def test_columns_have_what_the_sentences_have(nlp, texts):
    docs = list(nlp.pipe(texts))
    array = pleach.columns.sentences_array([*docs, None])
    assert array.type == pa.list_(pleach.columns.sentence_type())
    array.validate(full=True)
    rows = array.to_pylist()
    assert len(rows) == len(docs) + 1 and rows[-1] is None
    for doc, row in zip(docs, rows):
        assert len(row) == len(doc)
        for sentence, made in zip(doc, row):
            assert (made["id"], made["text"], made["start"]) == (sentence.id, sentence.text, sentence.start)
            arcs = [(arc["head"], arc["dependent"], arc["label"]) for arc in made["arcs"]]
            assert arcs == sentence.graph.arcs
            for node, word in zip(sentence.nodes, made["words"], strict=True):
                fields = ["id", "form", "lemma", "upos", "xpos", "feats", "misc", "deprel", "start", "end"]
                assert [word[name] for name in fields] == [getattr(node, name) for name in fields]
                head = node.head
                root = node.deprel is not None and head is None
                assert word["head"] == (head.index if head else 0 if root else None)


def test_empty_nodes_have_no_place_in_the_text():
    doc = pleach.Document.from_conllu("1\tAnn\t_\t_\t_\t_\t0\troot\t0:root\t_\n1.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_\n\n")
    (row,) = doc.to_arrow().to_pylist()
    assert row["words"][1] == {
        "id": "1.1", "form": "x", "lemma": None, "upos": None, "xpos": None, "feats": None, "misc": None,
        "head": None, "deprel": None, "start": None, "end": None,
    }  # fmt: skip
    assert row["start"] is None and row["arcs"][1] == {"head": 1, "dependent": 2, "label": "dep"}


def test_no_documents():
    assert len(pleach.columns.sentences_array([])) == 0
    assert pleach.columns.sentences_array([pleach.Document()]).to_pylist() == [[]]
    assert pleach.Document().to_arrow().num_rows == 0


def test_parquet(nlp, texts, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    assert pleach.columns.write_parquet(nlp.pipe(texts), path, rows=25) == len(texts)
    table = pq.read_table(path)
    assert table.schema.equals(pleach.columns.schema()) and table["text"].to_pylist() == texts
    docs = list(nlp.pipe(texts))
    assert table["sentences"].to_pylist() == pleach.columns.sentences_array(docs).to_pylist()
    heads = sum(label.startswith("nsubj") for doc in docs for s in doc for _, _, label in s.graph.arcs)

    duckdb = pytest.importorskip("duckdb")
    query = f"""
        SELECT count(*) FROM (SELECT unnest(s.arcs) AS arc FROM
          (SELECT unnest(sentences) AS s FROM '{path}')) WHERE arc.label LIKE 'nsubj%'"""
    assert duckdb.sql(query).fetchall() == [(heads,)]

    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(path).select("sentences").explode("sentences").drop_nulls("sentences").unnest("sentences")
    arcs = frame.select("arcs").explode("arcs").unnest("arcs")
    assert arcs.filter(polars.col("label").str.starts_with("nsubj")).height == heads
