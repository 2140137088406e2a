"""Training: from a recipe and sentences to a model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _native
from ._native import Parser
from .eval import Sentences
from .model import load

__all__ = ["Trained", "presets", "recipe", "train"]


@dataclass(frozen=True)
class Trained:
    """What came of a training run."""

    path: str
    stopped: bool
    """Whether a callback stopped it; the same call goes on from there."""
    epoch: int | None
    """The best epoch, if there was development data."""
    scores: dict[str, float] | None
    """What the best epoch reached on the development data, in percent."""

    def load(self, **how: Any) -> Parser:
        """Opens the model."""
        return load(self.path, **how)


def presets() -> list[str]:
    """The names of all presets: recipes that can be trained.

    >>> import pleach
    >>> "biaffine" in pleach.presets()
    True
    """
    return _native._presets()


def recipe(name: str | os.PathLike[str]) -> str:
    """All keys of a preset, or of a recipe file, as TOML.

    >>> import pleach
    >>> "epochs" in pleach.recipe("biaffine")
    True
    """
    return _native._recipe(name)


class _Progress:
    """A bar by tqdm where that is installed, else a line an epoch; only when someone is there to see it."""

    def __init__(self, epochs: int | None) -> None:
        self.bar: Any = None
        self.sentences = 0
        self.epochs = epochs or 1
        self.seen = sys.stderr.isatty()

    def __call__(self, event: dict[str, Any]) -> None:
        if not self.seen:
            return
        match event["event"]:
            case "prepared":
                self.sentences = event["sentences"]
                try:
                    from tqdm.auto import tqdm
                except ImportError:
                    return
                self.bar = tqdm(total=self.sentences * self.epochs, unit="sent")
            case "step" if self.bar is not None:
                self.bar.n = (event["epoch"] - 1) * self.sentences + event["done"]
                self.bar.refresh()
            case "epoch":
                scores = ", ".join(f"{name} {value:.2f}" for name, value in (event["dev"] or {}).items())
                line = f"epoch {event['epoch']}: {scores or event['loss']}"
                if self.bar is not None:
                    self.bar.write(line, file=sys.stderr)
                else:
                    print(line, file=sys.stderr)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def train(
    recipe: str | os.PathLike[str] = "sl-bilstm",
    *,
    train: Sentences,
    output: str | os.PathLike[str],
    dev: Sentences | None = None,
    callback: Callable[[dict[str, Any]], Any] | None = None,
    progress: bool = True,
    threads: int | None = None,
    limit: int | None = None,
    tags: str = "given",
    fresh: bool = False,
    **settings: Any,
) -> Trained:
    """Trains a recipe (a TOML file, or the name of a preset) and writes the model to ``output``.

    train and dev are paths, file objects, Documents or sentences; other keywords are keys of the recipe, such as
    ``epochs=5`` or ``seed=7``. ``callback`` hears every event, a dictionary whose "event" is one of "stage", "prepared",
    "resumed", "step", "epoch"; when it returns False, the run stops. Ctrl-C stops at the next safe place and raises
    KeyboardInterrupt. Either way a checkpoint stays beside ``output``, and the same call goes on from there and ends with
    the same model as a run that was never stopped; fresh=True starts anew.
    """
    bar = _Progress(settings.get("epochs")) if progress else None

    def hear(event: dict[str, Any]) -> Any:
        if bar is not None:
            bar(event)
        return callback(event) if callback is not None else None

    try:
        stopped, epoch, scores = _native._train(
            recipe,
            train,
            dev,
            output,
            callback=hear,
            settings=settings,
            threads=threads,
            limit=limit,
            tags=tags,
            fresh=fresh,
        )
    finally:
        if bar is not None:
            bar.close()
    return Trained(os.fspath(output), stopped, epoch, scores)
