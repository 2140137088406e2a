"""Scores, by the rules of the official scorers."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Any

from . import _native
from ._native import Document, Sentence
from .formats import Source

__all__ = ["Evaluation", "evaluate"]

Sentences = Source | Document | Sentence | Iterable[Sentence | Document]


class Evaluation:
    """Scores as attributes, from 0 to 1; ``str()`` is a table, and Jupyter shows one.

    The names are those of ``pleach eval --json``: LF, UF and so on for metric "sdp"; ELAS.f1 for "eud"; UAS, LAS for "tree".
    """

    def __init__(self, metric: str, scores: Any, table: str) -> None:
        self.metric = metric
        self.scores = scores
        self.table = table

    def __getattr__(self, name: str) -> Any:
        scores = self.__dict__.get("scores")
        if isinstance(scores, dict) and name in scores:
            value = scores[name]
            return _Scores(value) if isinstance(value, dict) else value
        known = ", ".join(scores) if isinstance(scores, dict) else ""
        raise AttributeError(f"no score {name!r}; there are {known}")

    def __getitem__(self, name: str) -> Any:
        return self.scores[name]

    def __dir__(self) -> Iterator[str]:
        yield from super().__dir__()
        yield from self.scores

    def to_dict(self) -> dict[str, Any]:
        """All scores, nested."""
        return dict(self.scores)

    def __str__(self) -> str:
        return self.table

    def __repr__(self) -> str:
        return f"<Evaluation by {self.metric}>\n{self.table}"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.table)}</pre>"


class _Scores(dict[str, Any]):
    """Scores within scores."""

    def __getattr__(self, name: str) -> Any:
        try:
            value = self[name]
        except KeyError:
            raise AttributeError(f"no score {name!r}; there are {', '.join(self)}") from None
        return _Scores(value) if isinstance(value, dict) else value


def evaluate(
    gold: Sentences,
    system: Sentences,
    second: Sentences | None = None,
    *,
    metric: str | None = None,
    format: str | None = None,
    representation: str = "any",
    punctuation: bool | None = None,
    samples: int | None = None,
    seed: int | None = None,
) -> Evaluation:
    """Scores a system against gold, or compares two systems. Each is a path, a file object, a Document or sentences.

    metric: "sdp", "semeval16", "eud" or "tree"; the one that fits when it is not named. representation: which labels make
    up frames in "sdp": any, dm, pas, psd. punctuation: False leaves it out in "sdp", True counts it in "semeval16".

    >>> import pleach
    >>> gold = pleach.Graph(["It", "rains"], [(0, 2, "root"), (2, 1, "nsubj")]).sentence
    >>> system = pleach.Graph(["It", "rains"], [(0, 2, "root"), (2, 1, "expl")]).sentence
    >>> result = pleach.evaluate(gold, system, metric="sdp")
    >>> result.LF, result.UF
    (0.5, 1.0)
    """
    return Evaluation(
        *_native._evaluate(
            gold,
            system,
            second,
            metric=metric,
            format=format,
            representation=representation,
            punctuation=punctuation,
            samples=samples,
            seed=seed,
        )
    )
