"""Documents, sentences, words and graphs."""

from __future__ import annotations

import copy
import pickle

import pleach
import pytest
from conftest import TEXT


def test_a_text_becomes_a_graph_with_several_heads(doc):
    assert len(doc) == 1 and doc.text == TEXT and doc.num_words == 10
    mark = doc[0][3]
    assert (mark.form, mark.lemma, mark.upos) == ("Mark", "Mark", "PROPN")
    assert [(head.form, label) for head, label in mark.heads] == [("wants", "nsubj"), ("buy", "nsubj:xsubj")]
    assert [(word.form, label) for word, label in mark.heads[0][0].dependents if word == mark] == [("Mark", "nsubj")]
    (small,) = doc[0].graph.tops
    assert small.form == "small" and (None, "root") in small.heads
    assert mark.head is not None and (mark.head.form, mark.deprel) == ("wants", "nsubj")


def test_words_say_where_they_stand(nlp, texts):
    strange = " \n A  word,\tand\u00a0more.  Next   one.\n\n  can't stop\u3000now "
    for text in [*texts, strange]:
        doc = nlp(text)
        words = [word for sentence in doc for word in sentence]
        assert all(word.end > word.start for word in words)
        for sentence in doc:
            assert sentence.start == sentence[0].start and sentence.end == sentence[-1].end
            for word in sentence:
                piece = text[word.start : word.end]
                assert piece == word.form or word.form in piece or piece in ("can't", "cannot"), (piece, word.form)
        # Every character that is no white space is in a word.
        covered = {place for word in words for place in range(word.start, word.end)}
        missing = [place for place, char in enumerate(text) if not char.isspace() and place not in covered]
        assert [text[place] for place in missing] in ([], ["\ufeff"])


def test_slicing_and_iterating(nlp):
    doc = nlp("One came. Two went. Three stayed. Four sat.")
    assert len(doc) == 4 and [sentence[0].form for sentence in doc] == ["One", "Two", "Three", "Four"]
    assert [sentence[0].form for sentence in doc[1:3]] == ["Two", "Three"]
    assert [sentence[0].form for sentence in doc[::-2]] == ["Four", "Two"]
    assert doc[-1] == doc[3] and isinstance(doc[:0], pleach.Document) and len(doc[:0]) == 0
    sentence = doc[0]
    assert [word.form for word in sentence[-2:]] == ["came", "."] and len(sentence) == 3
    for wrong in (4, -5, 10**30):
        with pytest.raises(IndexError):
            doc[wrong]
    with pytest.raises(TypeError):
        doc["x"]
    assert list(doc) == doc.sentences


def test_a_slice_sees_the_same_sentences(nlp):
    doc = nlp("One came. Two went.")
    doc[1:][0][0].form = "Three"
    assert doc[1][0].form == "Three"


def test_equality_copy_and_pickle(nlp, doc):
    for thing in (doc, doc[0], doc[0].graph):
        for other in (copy.copy(thing), copy.deepcopy(thing), thing.copy(), pickle.loads(pickle.dumps(thing))):
            assert other == thing and other is not thing and not other != thing
        assert thing != "something else"
        with pytest.raises(TypeError):
            hash(thing)
    changed = doc.copy()
    changed[0].graph.add(1, 2, "x")
    assert changed != doc and changed[0] != doc[0] and changed[0].graph != doc[0].graph
    word = doc[0][3]
    assert word == doc[0][3] and len({word, doc[0][3], doc[0][4]}) == 2
    again = pickle.loads(pickle.dumps(word))
    assert again.form == "Mark" and again != word
    text = "A  strange   text. Here  it is."
    kept = pickle.loads(pickle.dumps(nlp(text)))
    assert [text[word.start : word.end] for word in kept[1]] == ["Here", "it", "is", "."] and kept.text == text


def test_pickle_keeps_what_only_one_format_knows():
    brackets = pleach.Document.from_string("( (S (NP (NN Rain)) (VP (VBZ falls))) )\n", "brackets")
    assert pickle.loads(pickle.dumps(brackets)) == brackets
    conllu = pleach.Document.from_conllu(
        "# note\n# sent_id = x\n1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t2\tcase\t2:case\t_\n"
        "2\tel\tel\tDET\t_\t_\t0\troot\t0:root\tA=b\n2.1\t_\tgo\tVERB\t_\t_\t_\t_\t2:dep\t_\n\n"
    )
    again = pickle.loads(pickle.dumps(conllu))
    assert again == conllu and again.to_conllu() == conllu.to_conllu()


def test_graphs_are_built_and_edited_by_hand():
    graph = pleach.Graph([("Ann", "PROPN"), {"form": "sleeps", "lemma": "sleep"}])
    ann, sleeps = graph.sentence
    assert graph.add(None, sleeps, "root") and graph.add(2, 1, "nsubj") and not graph.add(sleeps, ann, "nsubj")
    assert len(graph) == 2 and (2, 1, "nsubj") in graph and (2, 1, "obj") not in graph
    assert graph.sentence.to_conllu() == (
        "1\tAnn\t_\tPROPN\t_\t_\t_\t_\t2:nsubj\t_\n2\tsleeps\tsleep\t_\t_\t_\t_\t_\t0:root\t_\n\n"
    )
    graph.add(2, 1, "agent")
    assert graph.remove(2, 1, "agent") == 1 and graph.remove(2, 1, "agent") == 0 and graph.remove(2, 1) == 1
    graph.arcs = [(1, 2, "x"), (1, 1, "loop")]
    assert graph.arcs == [(1, 1, "loop"), (1, 2, "x")]
    graph.clear()
    assert graph.arcs == [] and graph.tops == []
    other = pleach.Sentence(["A", "b"])
    other.graph = pleach.Graph(2, [(0, 1, "root")])
    assert other.graph.arcs == [(0, 1, "root")]


def test_arcs_that_cannot_be():
    graph = pleach.Graph(2)
    for head, dependent in [(1, 3), (3, 1), (1, 0), (1, None)]:
        with pytest.raises(pleach.GraphError, match="no arc can go"):
            graph.add(head, dependent, "x")
    for wrong in ("1", 1.5, b"1"):
        with pytest.raises(TypeError, match="a node is a number"):
            graph.add(wrong, 1, "x")
    with pytest.raises(IndexError):
        graph.add(-1, 1, "x")
    with pytest.raises(IndexError):
        graph.heads(3)
    with pytest.raises(pleach.GraphError, match="another sentence"):
        graph.add(pleach.Sentence(["a"])[0], 1, "x")
    with pytest.raises(pleach.GraphError, match="2 nodes, the sentence has 1"):
        pleach.Sentence(["a"]).graph = graph
    with pytest.raises(TypeError, match="an arc is"):
        graph.arcs = [(1, 2)]


def test_empty_nodes():
    sentence = pleach.Sentence.from_conllu(
        "1\tAnn\t_\t_\t_\t_\t0\troot\t0:root|1.1:nsubj\t_\n1.1\tsleeps\t_\t_\t_\t_\t_\t_\t1:dep\t_\n"
        "2\tnow\t_\t_\t_\t_\t1\tadvmod\t1.1:advmod\t_\n\n"
    )
    (empty,) = sentence.graph.empty_nodes
    assert empty.is_empty and empty.id == "1.1" and empty.index == 2 and empty.start is None
    assert len(sentence) == 2 and [word.id for word in sentence.nodes] == ["1", "1.1", "2"]
    assert sentence.node("2") == sentence.node(3) == sentence[1]
    assert sentence[1].heads == [(empty, "advmod")]
    assert sentence.graph.properties()["acyclic"] is False
    for wrong in ("3", "x", 0, 4, "1.2"):
        with pytest.raises(IndexError):
            sentence.node(wrong)


def test_properties():
    crossing = pleach.Graph(4, [(0, 1, "root"), (1, 3, "a"), (2, 4, "b"), (1, 2, "c"), (1, 4, "d")])
    found = crossing.properties()
    assert found["pagenumber"] == 2 and found["crossing_pairs"] == 1 and found["multi_headed"] == 1
    assert found["tree"] is False and found["acyclic"] is True and found["noncrossing"] is False


def test_words_can_be_changed():
    word = pleach.Sentence(["Ann"])[0]
    for field in ("lemma", "upos", "xpos", "feats", "misc", "frame"):
        assert getattr(word, field) is None
        setattr(word, field, "x")
        assert getattr(word, field) == "x"
        setattr(word, field, None)
        assert getattr(word, field) is None
    word.form = "Bob"
    assert str(word) == "Bob" and repr(word) == "Word(id='1', form='Bob')"
    with pytest.raises(ValueError):
        word.form = ""
    with pytest.raises(TypeError):
        word.form = None
    with pytest.raises(AttributeError):
        word.index = 3


def test_other_shapes(doc):
    numpy = pytest.importorskip("numpy")
    sentence = doc[0]
    arrays = doc.to_numpy()
    assert arrays.head.dtype == numpy.int32 and set(arrays.sentence) == {0}
    arcs = [(int(h), int(d), arrays.labels[l]) for h, d, l in zip(arrays.head, arrays.dependent, arrays.label)]
    assert arcs == sentence.graph.arcs
    graph = sentence.to_networkx()
    assert graph.number_of_edges() == len(sentence.graph) and graph.nodes[4]["form"] == "Mark"
    words = doc.to_pandas()
    assert words["form"].tolist() == [word.form for word in sentence.nodes]
    assert words["start"].tolist() == [word.start for word in sentence.nodes]
    table = doc.to_pandas("arcs")
    assert list(zip(table["head"], table["dependent"], table["label"])) == sentence.graph.arcs
    data = doc.to_dict()
    assert data["text"] == TEXT and data["sentences"][0]["words"][3]["form"] == "Mark"
    assert pleach.graph.from_dict(data) == doc
    with pytest.raises(ValueError):
        doc.to_pandas("verbs")


def test_pictures(doc, tmp_path):
    svg = doc[0]._repr_svg_()
    assert svg.startswith("<svg") and "Mark" in svg and svg == doc[0].graph._repr_svg_()
    assert "nsubj" in doc[0].draw() and doc._repr_svg_().startswith("<svg")
    for name in ("x.html", "x.svg", "x.txt"):
        doc.render(tmp_path / name)
        assert "Mark" in (tmp_path / name).read_text()
    doc[0].render(str(tmp_path / "one.svg"))
    with pytest.raises(pleach.WriteError, match="no picture is known"):
        doc.render("x.png")
    with pytest.raises(pleach.WriteError) as caught:
        doc.render(tmp_path / "none" / "x.svg")
    assert caught.value.path.endswith("x.svg")
    assert pleach.render.html(doc, "T").startswith("<!")


def test_reprs(doc):
    assert repr(doc) == f"<Document {TEXT!r}: 1 sentences>"
    assert repr(doc[0]) == f"<Sentence {TEXT!r}: 10 nodes, {len(doc[0].graph)} arcs>"
    assert repr(doc[0].graph).startswith("<Graph of 10 nodes")
    assert repr(pleach.load()) == "<Parser en>"
