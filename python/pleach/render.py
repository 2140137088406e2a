"""Pictures of graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import _native
from ._native import Document, Sentence

__all__ = ["html", "save", "svg"]

Drawn = Document | Sentence | Iterable[Sentence | Document]


def svg(sentences: Drawn) -> str:
    """Sentences as one picture.

    >>> import pleach
    >>> pleach.render.svg(pleach.Sentence(["It", "rains"])).startswith("<svg")
    True
    """
    return _native.render_svg(sentences)


def html(sentences: Drawn, title: str = "Pleach") -> str:
    """Sentences as one page, with search and keyboard paging."""
    return _native.render_html(sentences, title)


def save(sentences: Drawn, path: str | os.PathLike[str]) -> None:
    """Draws sentences into a file: .html, .svg or .txt."""
    Document(sentences).render(path)
