"""Spark: ``pleach.spark.parse(df, column="text")`` adds the columns ``sentences`` and ``error``.

The model is opened once in each Python process of an executor and mapped, not sent with the tasks: a path must be there on
every machine. Set ``spark.python.worker.reuse`` to true, which it is when you don't, so that processes live on from task
to task.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .cluster import ERROR, SENTENCES, column_of, parse_batch, parser
from .errors import need

if TYPE_CHECKING:
    import pyarrow

try:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import ArrayType, IntegerType, StringType, StructField, StructType
except ImportError as error:  # pragma: no cover
    raise need("pyspark", "spark") from error

__all__ = ["parse", "sentence_type"]


def sentence_type() -> StructType:
    """The type of a sentence: the same as ``pleach.columns.sentence_type()``."""
    text, number = StringType(), IntegerType()
    fields = ["id", "form", "lemma", "upos", "xpos", "feats", "misc", "head", "deprel", "start", "end"]
    numbers = {"head", "start", "end"}
    word = StructType([StructField(name, number if name in numbers else text) for name in fields])
    arc = StructType([StructField("head", number), StructField("dependent", number), StructField("label", text)])
    return StructType(
        [
            StructField("id", text),
            StructField("text", text),
            StructField("start", number),
            StructField("words", ArrayType(word)),
            StructField("arcs", ArrayType(arc)),
        ]
    )


def parse(
    frame: DataFrame,
    column: str = "text",
    model: str | os.PathLike[str] | None = None,
    *,
    threads: int = 1,
    **options: Any,
) -> DataFrame:
    """Parses a column of texts; all other columns stay.

    threads: those of one task; Spark runs as many tasks as an executor has cores, so one is right unless
    ``spark.task.cpus`` says more. options: those of ``pleach.load``.
    """
    column_of(frame.columns, column)
    kind = frame.schema[column].dataType
    if not isinstance(kind, StringType):
        from .errors import Error

        raise Error(f"the column {column!r} is of {kind.simpleString()}, not of texts", help="cast it to a string first")
    name = None if model is None else os.fspath(model)
    schema = StructType(
        [*frame.schema.fields, StructField(SENTENCES, ArrayType(sentence_type())), StructField(ERROR, StringType())]
    )

    def run(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        nlp = parser(name, options)
        for batch in batches:
            yield parse_batch(nlp, batch, column, threads)

    return frame.mapInArrow(run, schema)
