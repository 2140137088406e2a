"""Counting, voting and measuring."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, overload

from . import _native
from ._native import Document, Parser
from .eval import Sentences
from .model import load

__all__ = ["Statistics", "bench", "diversity", "stats", "vote"]


class Statistics(dict[str, Any]):
    """Counts, also as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no count {name!r}; there are {', '.join(self)}") from None


def stats(
    sentences: Sentences,
    *,
    format: str | None = None,
    tree: bool = False,
    empty_nodes: str = "drop",
    with_root: bool = False,
) -> Statistics:
    """Counts sentences, arcs, labels, crossings and pagenumbers of a file or of sentences.

    tree: the basic trees instead of the graphs; empty_nodes: "drop", "keep" or "collapse"; with_root: let the root's arcs
    take part in crossings.

    >>> import pleach
    >>> pleach.stats(pleach.Graph(3, [(1, 3, "a"), (2, 3, "b")])).multi_headed_tokens
    1
    """
    return Statistics(
        _native._statistics(sentences, format=format, tree=tree, empty_nodes=empty_nodes, with_root=with_root)
    )


@overload
def vote(voters: Sequence[Sentences], output: None = None, *, threshold: float = 0.5) -> Document: ...


@overload
def vote(
    voters: Sequence[str | os.PathLike[str]], output: str | os.PathLike[str], *, threshold: float = 0.5
) -> Parser: ...


def vote(
    voters: Sequence[Any], output: str | os.PathLike[str] | None = None, *, threshold: float = 0.5
) -> Document | Parser:
    """Lets several parsers decide by majority: an arc needs more than the threshold's share of the votes.

    Without an output, ``voters`` are what several parsers made of the same sentences. With one, they are model files, and
    the output becomes one model of them all, which is opened.

    >>> import pleach
    >>> one = pleach.Graph(2, [(0, 2, "root"), (2, 1, "a")]).sentence
    >>> two = pleach.Graph(2, [(0, 2, "root"), (2, 1, "a"), (1, 2, "b")]).sentence
    >>> pleach.vote([one, one, two])[0].graph.arcs
    [(2, 1, 'a'), (0, 2, 'root')]
    """
    if output is not None:
        _native._vote_models([os.fspath(voter) for voter in voters], output, threshold)
        return load(output)
    voters = list(voters)
    return Document(_native._vote_sentences(voters, [str(i) for i in range(len(voters))], threshold)[0])


def diversity(voters: Mapping[str, Sentences]) -> list[dict[str, Any]]:
    """How alike every two parsers are on the same sentences: 2|A∩B| / (|A|+|B|) over their arcs.

    >>> import pleach
    >>> one = pleach.Graph(2, [(0, 2, "root"), (2, 1, "a")]).sentence
    >>> pleach.lab.diversity({"one": one, "two": one})[0]["labelled"]
    1.0
    """
    pairs: list[dict[str, Any]] = _native._vote_sentences(list(voters.values()), list(voters), 0.5)[1]
    return pairs


def bench(
    model: str | os.PathLike[str],
    sentences: Sentences,
    *,
    beams: Sequence[int] = (),
    rounds: int = 3,
    threads: int = 1,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Measures the speed of a model file on tokenised, tagged sentences: words and sentences a second, time against
    length, memory. The keys are those of ``pleach bench --json``."""
    measured: dict[str, Any] = _native._bench(
        model,
        sentences,
        beams=list(beams),
        rounds=rounds,
        threads=threads,
        settings=None if settings is None else dict(settings),
    )
    return measured
