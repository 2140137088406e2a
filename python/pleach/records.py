"""JSON lines of documents: one object a line, with text in one of its fields. The same as ``pleach parse --text-field``.

Every line that comes in goes out, in order: its fields, and the parsed sentences under the key "sentences", in the schema of
the format jsonl (docs/formats.md). A line whose text can't be had gets the key "pleach_error" instead; a line that is no
object becomes one, with what it was under "pleach_line". Blank lines are no records.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ._native import Document, Parser

__all__ = ["ERROR", "LINE", "RESULT", "Counts", "parse", "parse_lines"]

RESULT = "sentences"
ERROR = "pleach_error"
LINE = "pleach_line"


@dataclass
class Counts:
    """What ``parse`` did."""

    records: int = 0
    errors: int = 0


def _record(line: str, field: str) -> tuple[Any, dict[str, Any]]:
    """The text of a line and its record; None, and a record with an error, where there is none."""
    try:
        record = json.loads(line)
    except ValueError as error:
        return None, {LINE: line, ERROR: f"not JSON: {error}"}
    if not isinstance(record, dict):
        return None, {LINE: line, ERROR: "not a JSON object"}
    record.pop(RESULT, None)
    record.pop(ERROR, None)
    text = record.get(field)
    if isinstance(text, str):
        return text, record
    there = ", ".join(map(repr, record)) or "none"
    why = f"no field {field!r}; there are {there}" if field not in record else f"the field {field!r} is no string"
    return None, {**record, ERROR: why}


def parse_lines(
    nlp: Parser, lines: Iterable[str], field: str = "text", *, threads: int | None = None, batch_size: int = 256
) -> Iterator[dict[str, Any]]:
    """Parses JSON lines into records, lazily and in order.

    >>> import pleach
    >>> lines = ['{"id": 7, "body": "It rains."}', '{"id": 8}', "no JSON"]
    >>> for record in pleach.records.parse_lines(pleach.load(), lines, "body"):
    ...     print(record.get("id"), len(record.get("sentences", [])), "pleach_error" in record)
    7 1 False
    8 0 True
    None 0 True
    """
    records = (_record(line.rstrip("\r\n"), field) for line in lines if line.strip())
    pairs = (("" if text is None else text, (text, record)) for text, record in records)
    for parsed, (text, record) in nlp.pipe(
        pairs, as_tuples=True, threads=threads, batch_size=batch_size, on_error="return"
    ):
        if isinstance(parsed, Document) and text is not None:
            record[RESULT] = [json.loads(line) for line in parsed.to_string("jsonl").splitlines()]
        elif text is not None:
            record[ERROR] = str(parsed)
        yield record


def parse(
    nlp: Parser,
    source: Iterable[str],
    target: Any,
    field: str = "text",
    *,
    threads: int | None = None,
    batch_size: int = 256,
) -> Counts:
    """Parses JSON lines from an open file (or any lines) into another, which is open for text.

    >>> import io, pleach
    >>> out = io.StringIO()
    >>> pleach.records.parse(pleach.load(), ['{"text": "It rains."}'], out)
    Counts(records=1, errors=0)
    """
    counts = Counts()
    for record in parse_lines(nlp, source, field, threads=threads, batch_size=batch_size):
        counts.records += 1
        counts.errors += ERROR in record
        target.write(json.dumps(record, ensure_ascii=False) + "\n")
    return counts
