"""A component for spaCy: ``nlp.add_pipe("pleach")`` gives deep graphs over spaCy's own tokens.

It sets ``doc._.deep_graph`` (a list with a ``pleach.Sentence`` for each sentence) and ``token._.deep_heads`` (a list of
(Token or None, label)). Sentences are spaCy's if something before it sets them, else the whole document is one; tags and
lemmas that spaCy has are used, missing ones are predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._native import Document, Parser, Sentence
from .errors import need
from .model import load

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token
except ImportError as error:  # pragma: no cover
    raise need("spacy", "spacy") from error

__all__ = ["Component", "create"]

_HEADS = "_pleach_heads"


def _deep_heads(token: Token) -> list[tuple[Token | None, str]]:
    heads = token.doc.user_data.get(_HEADS)
    if heads is None:
        return []
    return [(None if place is None else token.doc[place], label) for place, label in heads[token.i]]


def _deep_graph(doc: Doc) -> list[Sentence]:
    graphs: list[Sentence] = doc.user_data.get("_pleach_graphs", [])
    return graphs


def _extend() -> None:
    if not Doc.has_extension("deep_graph"):
        Doc.set_extension("deep_graph", getter=_deep_graph)
    if not Token.has_extension("deep_heads"):
        Token.set_extension("deep_heads", getter=_deep_heads)


def _spans(doc: Doc) -> list[Span]:
    if doc.has_annotation("SENT_START"):
        return list(doc.sents)
    return [doc[:]] if len(doc) else []


def _sentence(span: Span) -> tuple[Sentence | None, list[int]]:
    """The words of a span, and their places in the document; white space is no word."""
    tokens = [token for token in span if not token.is_space]
    words = []
    for token in tokens:
        word: dict[str, str | None] = {"form": token.text}
        word["upos"] = token.pos_ or None
        word["xpos"] = token.tag_ or None
        word["lemma"] = token.lemma_ or None
        word["feats"] = str(token.morph) or None
        words.append(word)
    return Sentence(words) if words else None, [token.i for token in tokens]


class Component:
    """The component; ``threads`` and ``batch_size`` are for ``nlp.pipe``."""

    def __init__(self, parser: Parser, *, threads: int | None = None) -> None:
        _extend()
        self.parser = parser
        self.threads = threads

    def __call__(self, doc: Doc) -> Doc:
        """Parses one document."""
        return next(self.pipe(iter([doc])))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 128) -> Iterator[Doc]:
        """Parses a stream of documents."""

        def prepared() -> Iterator[tuple[Document, Any]]:
            for doc in stream:
                sentences: list[Sentence] = []
                places: list[list[int]] = []
                for span in _spans(doc):
                    sentence, tokens = _sentence(span)
                    if sentence is not None:
                        sentences.append(sentence)
                        places.append(tokens)
                yield Document(sentences), (doc, places)

        parsed = self.parser.pipe(prepared(), as_tuples=True, threads=self.threads, batch_size=batch_size)
        for document, (doc, places) in parsed:
            _annotate(doc, document, places)
            yield doc


def _annotate(doc: Doc, document: Document, places: list[list[int]]) -> None:
    heads: list[list[tuple[int | None, str]]] = [[] for _ in doc]
    for sentence, tokens in zip(document, places, strict=True):
        place = {0: None} | {word.index: token for word, token in zip(sentence.words, tokens, strict=True)}
        for head, dependent, label in sentence.graph.arcs:
            # Empty nodes have no token; their arcs are in the graph only.
            if dependent in place and head in place:
                found = place[dependent]
                assert found is not None
                heads[found].append((place[head], label))
    doc.user_data["_pleach_graphs"] = list(document)
    doc.user_data[_HEADS] = heads


def create(
    nlp: Language, name: str, model: str | None, threads: int | None, options: dict[str, Any]
) -> Component:
    """Makes the component; ``options`` are those of ``pleach.load``."""
    return Component(load(model, **options), threads=threads)


# spaCy looks for the factory when the entry point has been imported.
Language.factory("pleach", default_config={"model": None, "threads": None, "options": {}}, func=create)
