"""Documents, sentences and graphs as other libraries have them. All of this is also there as methods."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._native import Document, Graph, Sentence, Word
from .errors import need

if TYPE_CHECKING:
    import networkx
    import numpy
    import pandas

__all__ = ["Arrays", "from_dict", "to_dict", "to_networkx", "to_numpy", "to_pandas"]


class Arrays(NamedTuple):
    """The arcs of sentences: four arrays of the same length, and what the label ids mean."""

    sentence: numpy.ndarray[Any, numpy.dtype[numpy.int32]]
    """The sentence's number, from 0."""
    head: numpy.ndarray[Any, numpy.dtype[numpy.int32]]
    """The head's node; 0 is the root."""
    dependent: numpy.ndarray[Any, numpy.dtype[numpy.int32]]
    label: numpy.ndarray[Any, numpy.dtype[numpy.int32]]
    """A place in ``labels``."""
    labels: list[str]


def to_numpy(sentences: Document | Sentence | Graph) -> Arrays:
    """The arcs as NumPy arrays, without a loop in Python.

    >>> import pleach
    >>> arrays = pleach.Graph(2, [(0, 2, "root"), (2, 1, "nsubj")]).to_numpy()
    >>> arrays.head.tolist(), arrays.dependent.tolist(), arrays.label.tolist(), arrays.labels
    ([2, 0], [1, 2], [0, 1], ['nsubj', 'root'])
    """
    try:
        import numpy
    except ImportError as error:
        raise need("numpy", "numpy") from error
    *arrays, labels = _native._arc_arrays(sentences)
    sentence, head, dependent, label = (numpy.frombuffer(array, dtype=numpy.int32) for array in arrays)
    return Arrays(sentence, head, dependent, label, labels)


def to_dict(thing: Document | Sentence | Graph) -> dict[str, Any]:
    """A sentence as its JSON line has it (docs/formats.md); a document as its text and sentences.

    >>> import pleach
    >>> pleach.Graph(["It", "rains"], [(2, 1, "nsubj")]).sentence.to_dict()
    {'words': [{'id': 1, 'form': 'It'}, {'id': 2, 'form': 'rains'}], 'arcs': [[2, 1, 'nsubj']]}
    """
    if isinstance(thing, Document):
        return {"text": thing.text, "sentences": [to_dict(sentence) for sentence in thing]}
    sentence = thing.sentence if isinstance(thing, Graph) else thing
    line: dict[str, Any] = json.loads(sentence.to_string("jsonl"))
    return line


def from_dict(value: dict[str, Any]) -> Document:
    """The inverse of ``to_dict``: a Document of one sentence, or of all that ``value["sentences"]`` has.

    >>> import pleach
    >>> pleach.graph.from_dict({"words": [{"form": "It"}, {"form": "rains"}]})[0][1].form
    'rains'
    """
    sentences = value["sentences"] if "sentences" in value else [value]
    lines = "".join(json.dumps(sentence) + "\n" for sentence in sentences)
    return Document(Document.from_string(lines, "jsonl") if lines else None, text=value.get("text") if "sentences" in value else None)


def to_networkx(thing: Sentence | Graph) -> networkx.MultiDiGraph[int]:
    """A sentence's graph for NetworkX: nodes are numbers (0 is the root) with the words' fields, arcs have a label.

    >>> import pleach
    >>> graph = pleach.Graph(["It", "rains"], [(0, 2, "root"), (2, 1, "nsubj")]).to_networkx()
    >>> graph.nodes[2]["form"], list(graph.edges(data="label"))
    ('rains', [(0, 2, 'root'), (2, 1, 'nsubj')])
    """
    try:
        import networkx
    except ImportError as error:
        raise need("networkx", "networkx") from error
    sentence = thing.sentence if isinstance(thing, Graph) else thing
    graph: networkx.MultiDiGraph[int] = networkx.MultiDiGraph()
    graph.add_node(0, form="ROOT")
    for word in sentence.nodes:
        fields = {"id": word.id, "form": word.form, "lemma": word.lemma, "upos": word.upos, "xpos": word.xpos}
        graph.add_node(word.index, **fields, feats=word.feats, start=word.start, end=word.end)
    for head, dependent, label in sentence.graph.arcs:
        graph.add_edge(head, dependent, label=label)
    return graph


def to_pandas(thing: Document | Sentence | Graph, what: str = "words") -> pandas.DataFrame:
    """A table of the words (and empty nodes), or of the arcs with what="arcs".

    >>> import pleach
    >>> sentence = pleach.Graph(["It", "rains"], [(0, 2, "root"), (2, 1, "nsubj")]).sentence
    >>> sentence.to_pandas()["form"].tolist()
    ['It', 'rains']
    >>> sentence.to_pandas("arcs")[["head", "dependent", "label"]].values.tolist()
    [[2, 1, 'nsubj'], [0, 2, 'root']]
    """
    try:
        import pandas
    except ImportError as error:
        raise need("pandas", "pandas") from error
    if what == "arcs":
        arrays = to_numpy(thing)
        labels = pandas.Categorical.from_codes(arrays.label, categories=pandas.Index(arrays.labels, dtype=object))
        return pandas.DataFrame(
            {"sentence": arrays.sentence, "head": arrays.head, "dependent": arrays.dependent, "label": labels}
        )
    if what != "words":
        raise ValueError(f'what is "words" or "arcs", not {what!r}')
    from .columns import words_table

    frame: pandas.DataFrame = words_table(thing).to_pandas()
    return frame


def sentences_of(thing: Document | Sentence | Graph) -> Iterable[Sentence]:
    """The sentences of any of them."""
    if isinstance(thing, Document):
        return thing
    return [thing.sentence if isinstance(thing, Graph) else thing]


def _sentence(packed: Any) -> Sentence:
    return _native._sentences_from_bytes(*packed)[0]


def _document(packed: Any, text: str | None) -> Document:
    return Document(_native._sentences_from_bytes(*packed), text=text)


def _graph(sentence: Sentence) -> Graph:
    return sentence.graph


def _word(sentence: Sentence, node: int) -> Word:
    return sentence.node(node)
