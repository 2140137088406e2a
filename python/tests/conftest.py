"""What the tests share: one parser, some texts, and a treebank small enough to train on."""

from __future__ import annotations

from pathlib import Path

import pleach
import pytest

TEXT = "The company that Mark wants to buy is small."

EXAMPLE = Path(__file__).parents[2] / "docs" / "images" / "example.conllu"


@pytest.fixture(scope="session")
def nlp() -> pleach.Parser:
    return pleach.load()


@pytest.fixture()
def doc(nlp: pleach.Parser) -> pleach.Document:
    return nlp(TEXT)


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Some hundred different texts, with what is unusual among them."""
    names = ["Ann", "Mark", "the company", "nobody", "my old friend"]
    verbs = ["wants to buy", "sells and repairs", "hoped that Ann would leave", "saw"]
    texts = [f"{name} {verb} {other}. It rains; {other} stays." for name in names for verb in verbs for other in names]
    return [*texts, "", "   ", "\ufeffWith a mark.", "Two\n\nparagraphs.", "tab\tand  spaces   here .", "日本語と😀"]


@pytest.fixture(scope="session")
def treebank(nlp: pleach.Parser) -> pleach.Document:
    """Sentences with graphs, parsed by the built-in model: enough to learn something from."""
    names = ["Ann", "Mark", "Nobody", "She"]
    verbs = ["buys", "sells", "sees", "wants"]
    things = ["a house", "the old company", "what Mark made", "to leave"]
    texts = [f"{name} {verb} {thing}." for name in names for verb in verbs for thing in things]
    return pleach.Document([doc[0] for doc in nlp.pipe(texts)])
