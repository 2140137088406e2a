"""Pleach turns sentences into deep dependency graphs: who did what to whom, with several heads a word.

>>> import pleach
>>> nlp = pleach.load()
>>> doc = nlp("The company that Mark wants to buy is small.")
>>> for word in doc[0][3:7]:
...     print(word.form, [(head.form if head else "ROOT", label) for head, label in word.heads])
Mark [('wants', 'nsubj'), ('buy', 'nsubj:xsubj')]
wants [('company', 'acl:relcl')]
to [('buy', 'mark')]
buy [('wants', 'xcomp')]
"""

from __future__ import annotations

from . import columns, errors, eval, formats, graph, lab, model, records, render, training
from ._native import Document, Graph, Parser, Pipe, Reader, Sentence, Word, __version__
from .errors import (
    Error,
    EvalError,
    GraphError,
    InternalError,
    MissingFile,
    MissingModel,
    MissingPackage,
    ModelError,
    ReadError,
    RecipeError,
    TextTooLong,
    TrainError,
    WriteError,
)
from .eval import Evaluation, evaluate
from .formats import convert, read, write
from .lab import bench, stats, vote
from .model import load, models
from .training import Trained, presets, recipe, train

__all__ = [
    "Document",
    "Error",
    "EvalError",
    "Evaluation",
    "Graph",
    "GraphError",
    "InternalError",
    "MissingFile",
    "MissingModel",
    "MissingPackage",
    "ModelError",
    "Parser",
    "Pipe",
    "ReadError",
    "Reader",
    "RecipeError",
    "Sentence",
    "TextTooLong",
    "TrainError",
    "Trained",
    "Word",
    "WriteError",
    "__version__",
    "bench",
    "columns",
    "convert",
    "errors",
    "eval",
    "evaluate",
    "formats",
    "graph",
    "lab",
    "load",
    "model",
    "models",
    "presets",
    "read",
    "recipe",
    "records",
    "render",
    "stats",
    "train",
    "training",
    "vote",
    "write",
]
