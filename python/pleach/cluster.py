"""What Spark and Ray share: batches of texts in, columns of Arrow out. Each process opens a model once and maps it; a text
that can't be parsed fails its row, with the reason in the column ``error``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._native import Document, Parser
from .columns import _arrow, sentence_type, sentences_array
from .errors import Error
from .model import load

if TYPE_CHECKING:
    import pyarrow

__all__ = ["ERROR", "SENTENCES", "parse_batch", "parser"]

SENTENCES = "sentences"
"""The column of what was parsed: a list of sentences, null where the text could not be parsed."""

ERROR = "error"
"""The column that says why; null where all went well."""

_PARSERS: dict[tuple[int, str], Parser] = {}


def parser(model: str | None, options: dict[str, Any]) -> Parser:
    """The parser of this process: opened once, whatever the number of tasks."""
    key = (os.getpid(), repr((model, sorted(options.items()))))
    if key not in _PARSERS:
        _PARSERS[key] = load(model, **options)
    return _PARSERS[key]


def result_fields() -> list[pyarrow.Field[Any]]:
    """The columns that parsing adds."""
    pa = _arrow()
    return [pa.field(SENTENCES, pa.list_(sentence_type())), pa.field(ERROR, pa.string())]


def column_of(names: list[str], column: str) -> None:
    """Says what is wrong with a column before a job starts."""
    if column not in names:
        raise Error(
            f"no column {column!r}; there are {', '.join(names)}", help="name the column of texts, as in column='body'"
        )
    for name in (SENTENCES, ERROR):
        if name in names:
            raise Error(f"there is a column {name!r} already, which the result needs", help="rename or drop it first")


def parse_batch(nlp: Parser, batch: Any, column: str, threads: int) -> Any:
    """A batch of Arrow (a Table or RecordBatch) with the columns ``sentences`` and ``error`` added."""
    pa = _arrow()
    texts = batch.column(column).to_pylist()
    documents: list[Document | None] = []
    errors: list[str | None] = []
    for parsed in nlp.pipe(texts, threads=threads, on_error="return"):
        good = isinstance(parsed, Document)
        documents.append(parsed if good else None)
        errors.append(None if good else str(parsed))
    made = [sentences_array(documents), pa.array(errors, pa.string())]
    schema = pa.schema([*batch.schema, *result_fields()])
    columns = [batch.column(name) for name in batch.schema.names]
    return type(batch).from_arrays([*columns, *made], schema=schema)
