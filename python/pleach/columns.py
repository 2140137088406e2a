"""Documents as columns of Arrow, which Parquet, Spark, DuckDB, polars and pandas read. docs/large-corpora.md describes the
schema; it is stable: fields may be added at the end, none is renamed or removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._native import Document, Graph, Sentence
from .errors import need

if TYPE_CHECKING:
    import pyarrow

__all__ = ["sentence_type", "sentences_array", "to_arrow", "write_parquet"]

_WORD_TEXTS = ["id", "form", "lemma", "upos", "xpos", "feats", "misc"]
_WORD_FIELDS = [*_WORD_TEXTS, "head", "deprel", "start", "end"]


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise need("pyarrow", "arrow") from error
    return pyarrow


def word_type() -> pyarrow.DataType:
    """A word, or an empty node, whose ``id`` has a point (``8.1``). ``head`` is a place in the list of words, from 1."""
    pa = _arrow()
    texts = {"head": pa.int32(), "start": pa.int32(), "end": pa.int32()}
    return pa.struct([pa.field(name, texts.get(name, pa.string())) for name in _WORD_FIELDS])


def arc_type() -> pyarrow.DataType:
    """An arc of the deep graph: places in the list of words, from 1; a head of 0 is the root."""
    pa = _arrow()
    return pa.struct([("head", pa.int32()), ("dependent", pa.int32()), ("label", pa.string())])


def sentence_type() -> pyarrow.DataType:
    """A sentence: its id, text and place in the document (in characters), its words and the arcs of its deep graph.

    >>> import pleach
    >>> [field.name for field in pleach.columns.sentence_type()]
    ['id', 'text', 'start', 'words', 'arcs']
    """
    pa = _arrow()
    return pa.struct(
        [
            ("id", pa.string()),
            ("text", pa.string()),
            ("start", pa.int32()),
            ("words", pa.list_(word_type())),
            ("arcs", pa.list_(arc_type())),
        ]
    )


def _texts(pa: Any, buffers: tuple[bytes, bytes, bytes]) -> Any:
    offsets, data, valid = (pa.py_buffer(buffer) for buffer in buffers)
    return pa.StringArray.from_buffers(offsets.size // 4 - 1, offsets, data, valid)


def _numbers(pa: Any, values: bytes, valid: bytes | None = None) -> Any:
    buffers = [None if valid is None else pa.py_buffer(valid), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.int32(), len(values) // 4, buffers)


def _words(pa: Any, made: dict[str, Any]) -> dict[str, Any]:
    words = {name: _texts(pa, made[name]) for name in [*_WORD_TEXTS, "deprel"]}
    words |= {name: _numbers(pa, *made[name]) for name in ["head", "start", "end"]}
    return {name: words[name] for name in _WORD_FIELDS}


def _sentences(pa: Any, made: dict[str, Any]) -> dict[str, Any]:
    words = pa.StructArray.from_arrays(list(_words(pa, made).values()), fields=list(word_type()))
    arcs = [_numbers(pa, made["arc.head"]), _numbers(pa, made["arc.dependent"]), _texts(pa, made["arc.label"])]
    arcs = pa.StructArray.from_arrays(arcs, fields=list(arc_type()))
    return {
        "id": _texts(pa, made["sentence.id"]),
        "text": _texts(pa, made["sentence.text"]),
        "start": _numbers(pa, *made["sentence.start"]),
        "words": pa.ListArray.from_arrays(_numbers(pa, made["words"]), words),
        "arcs": pa.ListArray.from_arrays(_numbers(pa, made["arcs"]), arcs),
    }


def sentences_array(documents: Sequence[Document | None]) -> pyarrow.ListArray[Any]:
    """A list of sentences for each document, without a loop in Python; null for None.

    >>> import pleach
    >>> array = pleach.columns.sentences_array([pleach.Document([["It", "rains"]]), None])
    >>> array[0].as_py()[0]["words"][1]["form"], array[1].as_py()
    ('rains', None)
    """
    pa = _arrow()
    documents = list(documents)
    made = _native._columns(documents)
    fields = _sentences(pa, made)
    sentences = pa.StructArray.from_arrays(list(fields.values()), fields=list(sentence_type()))
    missing = pa.array([document is None for document in documents], pa.bool_())
    return pa.ListArray.from_arrays(_numbers(pa, made["documents"]), sentences, mask=missing)


def to_arrow(thing: Document | Sentence | Graph) -> pyarrow.Table:
    """A table with a row for each sentence.

    >>> import pleach
    >>> table = pleach.Graph(["It", "rains"], [(2, 1, "nsubj")]).sentence.to_arrow()
    >>> table["arcs"].to_pylist()
    [[{'head': 2, 'dependent': 1, 'label': 'nsubj'}]]
    """
    pa = _arrow()
    fields = _sentences(pa, _native._columns([thing]))
    return pa.Table.from_arrays(list(fields.values()), schema=pa.schema(list(sentence_type())))


def words_table(thing: Document | Sentence | Graph) -> pyarrow.Table:
    """A table with a row for each word and empty node, and the number of its sentence, from 0."""
    pa = _arrow()
    import numpy

    made = _native._columns([thing])
    ends = numpy.frombuffer(made["words"], dtype=numpy.int32)
    sentence = numpy.repeat(numpy.arange(len(ends) - 1, dtype=numpy.int32), numpy.diff(ends))
    return pa.table({"sentence": sentence, **_words(pa, made)})


def schema() -> pyarrow.Schema:
    """What ``write_parquet`` writes: a row for each document."""
    pa = _arrow()
    return pa.schema([("text", pa.string()), ("sentences", pa.list_(sentence_type()))])


def write_parquet(documents: Iterable[Document], path: Any, *, rows: int = 1000, **options: Any) -> int:
    """Writes documents, such as ``nlp.pipe`` gives, to a Parquet file, in bounded memory; gives how many there were.

    rows: documents in a row group; other options are those of ``pyarrow.parquet.ParquetWriter``.
    """
    pa = _arrow()
    import pyarrow.parquet

    count = 0

    def put(writer: Any, group: list[Document]) -> None:
        texts = pa.array([document.text for document in group], pa.string())
        writer.write_table(pa.Table.from_arrays([texts, sentences_array(group)], schema=schema()))

    options = {"compression": "zstd"} | options
    with pyarrow.parquet.ParquetWriter(path, schema(), **options) as writer:
        group: list[Document] = []
        for document in documents:
            group.append(document)
            count += 1
            if len(group) == rows:
                put(writer, group)
                group = []
        if group:
            put(writer, group)
    return count
