"""What the tests of clusters share: thousands of different documents, some of them bad, and what one process makes of them."""

from __future__ import annotations

import itertools
from typing import Any

import pleach
import pyarrow as pa

DOCUMENTS = 3000
TOO_LONG = "x" * 30_000

NAMES = ["Ann", "Mark", "the company", "nobody", "my old friend", "a man from Rome"]
VERBS = ["wants to buy", "sells and repairs", "hoped that Ann would leave", "saw", "was told to find"]


def documents(count: int = DOCUMENTS) -> list[dict[str, Any]]:
    """Documents with ids; every 500th has no text, one is too long."""
    pairs = itertools.cycle(itertools.product(NAMES, VERBS, NAMES))
    rows = []
    for number, (one, verb, other) in zip(range(count), pairs):
        text: str | None = f"{one} {verb} {other} in {number}. It rains {number % 7} times; {other} stays here."
        if number % 500 == 250:
            text = None
        if number == 777:
            text = TOO_LONG
        rows.append({"id": number, "body": text, "source": f"file{number % 3}"})
    return rows


OPTIONS = {"max_length": 20_000}


def expected(rows: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """What one process gives, by id."""
    nlp = pleach.load(**OPTIONS)
    made: dict[int, dict[str, Any]] = {}
    for row in rows:
        sentences: Any = None
        error = None
        try:
            sentences = pleach.columns.sentences_array([nlp(row["body"])]).to_pylist()[0]
        except (TypeError, pleach.Error) as caught:
            error = str(caught)
        made[row["id"]] = {**row, "sentences": sentences, "error": error}
    return made


def compare(rows: list[dict[str, Any]], parsed: pa.Table) -> str:
    """All rows are there, none twice, and identical."""
    wanted = expected(rows)
    ids = parsed["id"].to_pylist()
    assert len(ids) == len(set(ids)), "no row is there twice"
    assert set(ids) == set(wanted), "all rows are there"
    bad = 0
    for row in parsed.to_pylist():
        want = wanted[row["id"]]
        if want["error"] is None:
            assert row == want, row["id"]
        else:
            # In a batch the message also names the text's place in it.
            bad += 1
            assert row["sentences"] is None and want["error"] in row["error"].replace("; leave missing values out, or put \"\" in their place", "")
    words = sum(len(sentence["words"]) for row in wanted.values() for sentence in row["sentences"] or [])
    return f"{len(ids)} rows, {words} words, {bad} rows with an error; the same as of one process"
