"""What can go wrong. Every error has the file, line and column where that is known, and what to do about it."""

from __future__ import annotations


class Error(Exception):
    """The base of all errors of Pleach.

    >>> import pleach
    >>> try:
    ...     pleach.load("no-such-model")
    ... except pleach.Error as error:
    ...     print(error.help)
    pleach.models() lists what there is; pleach.load() is the built-in English model
    """

    path: str | None
    line: int | None
    column: int | None
    help: str | None

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        help: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path, self.line, self.column, self.help = path, line, column, help

    def __str__(self) -> str:
        return f"{self.message}\nhelp: {self.help}" if self.help else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (type(self), self.message, self.path, self.line, self.column, self.help))


def _again(
    kind: type[Error], message: str, path: str | None, line: int | None, column: int | None, help: str | None
) -> Error:
    return kind(message, path=path, line=line, column=column, help=help)


class ReadError(Error):
    """A file can't be read, or does not follow its format."""


class WriteError(Error):
    """A file can't be written, or a format has no way to say something."""


class MissingFile(ReadError, FileNotFoundError):
    """A file is not there."""


class ModelError(Error):
    """A model can't be used: damaged, of another version, or without what is asked of it."""


class MissingModel(ModelError, FileNotFoundError):
    """There is no such model."""


class RecipeError(Error, ValueError):
    """A recipe, a preset or a setting makes no sense."""


class TrainError(Error):
    """A training run failed."""


class EvalError(Error, ValueError):
    """What is compared doesn't belong together."""


class GraphError(Error, ValueError):
    """A graph can't have that arc."""


class TextTooLong(Error, ValueError):
    """A text is longer than ``nlp.max_length``."""


class MissingPackage(Error, ImportError):
    """A function needs another package."""


class InternalError(Error, RuntimeError):
    """A bug in Pleach. It did not take your program with it."""


def need(package: str, extra: str) -> MissingPackage:
    """The error for a package that is not installed."""
    return MissingPackage(f"this needs the package {package}", help=f"pip install {package}, or pip install 'pleach[{extra}]'")
