"""Models: which there are, and how to open one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _native
from ._native import Parser

__all__ = ["Model", "info", "load", "models"]


@dataclass(frozen=True)
class Model:
    """A model that ``load`` can open by its name."""

    name: str
    path: str | None
    """None for a model that is built in."""
    size: int
    """In bytes."""
    about: str


def load(
    model: str | os.PathLike[str] | None = None,
    *,
    beam: int | None = None,
    threshold: float | None = None,
    tags: str = "auto",
    ensure: str | None = None,
    max_words: int = 1000,
    max_length: int = 10_000_000,
    settings: Mapping[str, Any] | None = None,
) -> Parser:
    """Opens a model by its path or name; without one, the built-in English model.

    beam: another width of the beam; threshold: for ensembles, the share of votes that an arc needs; tags: "auto" keeps
    tags that the input has, "given" predicts none, "predicted" replaces them; ensure: what every graph must have, any of
    "rooted,connected,acyclic"; max_words: longer sentences are parsed in pieces; max_length: the longest text, in
    characters; settings: other values of recipe keys that only parsing depends on.

    >>> import pleach
    >>> pleach.load("en")
    <Parser en>
    """
    if model is not None and not isinstance(model, (str, os.PathLike)):
        raise TypeError(f"a model is named by a path or a name, not {type(model).__name__}")
    return Parser(
        model,
        beam=beam,
        threshold=threshold,
        tags=tags,
        ensure=ensure,
        max_words=max_words,
        max_length=max_length,
        settings=None if settings is None else dict(settings),
    )


def _load(model: str | None, how: dict[str, Any]) -> Parser:
    return load(model, **how)


def models() -> list[Model]:
    """The models that are built in, and those in your folder ($PLEACH_MODELS, else ~/.local/share/pleach/models).

    >>> import pleach
    >>> pleach.models()[0].name
    'en'
    """
    return [Model(**entry) for entry in _native._models()]


def info(model: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """What a model is: its family, its size in bytes, its stages.

    >>> import pleach
    >>> pleach.model.info()["stages"]
    ['tokenizer', 'joint']
    """
    return _native._model_info(model)
