"""Files of sentences, in any format: read, write, convert."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, Any

from . import _native
from ._native import Document, Reader, Sentence

__all__ = ["convert", "names", "read", "write"]

Source = str | os.PathLike[str] | IO[str] | IO[bytes]


def names() -> list[str]:
    """The names of all formats.

    >>> import pleach
    >>> pleach.formats.names()[:3]
    ['conllu', 'sdp2014', 'sdp2015']
    """
    return _native._formats()


def read(
    source: Source,
    format: str | None = None,
    *,
    on_error: str = "raise",
    words: str | os.PathLike[str] | None = None,
) -> Reader:
    """Reads sentences one by one from a path or a file object. The format is told from the content when it is not named;
    .gz and .zst are unpacked. With on_error="skip", malformed sentences are left out and counted in ``skipped``.

    ``pleach.Document(pleach.read(path))`` reads a whole file.

    >>> import io, pleach
    >>> text = "1\\tIt\\t_\\t_\\t_\\t_\\t2\\tnsubj\\t2:nsubj\\t_\\n2\\trains\\t_\\t_\\t_\\t_\\t0\\troot\\t0:root\\t_\\n\\n"
    >>> [sentence.graph.arcs for sentence in pleach.read(io.StringIO(text))]
    [[(2, 1, 'nsubj'), (0, 2, 'root')]]
    """
    return Reader(source, format, on_error=on_error, words=words)


def write(
    sentences: Document | Sentence | Iterable[Sentence | Document], target: Source, format: str | None = None
) -> dict[str, int]:
    """Writes sentences to a path or a file object; gives what the format has no place for, with counts. A file appears
    under its name only when it is complete. The format is that of the name's extension when it is not named.

    >>> import io, pleach
    >>> out = io.StringIO()
    >>> pleach.write(pleach.Sentence(["It", "rains"]), out, "jsonl")
    {}
    >>> out.getvalue()
    '{"words": [{"id": 1, "form": "It"}, {"id": 2, "form": "rains"}], "arcs": []}\\n'
    """
    return _native.write(sentences, target, format)


def convert(
    source: Source,
    target: Source,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    on_error: str = "raise",
    words: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Reads a file and writes another; gives formats, counts and losses.

    >>> import io, pleach
    >>> source = io.StringIO('{"words": [{"form": "It"}, {"form": "rains"}], "arcs": [[2, 1, "nsubj"]]}')
    >>> target = io.StringIO()
    >>> pleach.convert(source, target, to_format="conllu")["sentences"]
    1
    >>> target.getvalue().splitlines()[0].split("\\t")[8]
    '2:nsubj'
    """
    return _native.convert(source, target, from_format=from_format, to_format=to_format, on_error=on_error, words=words)
