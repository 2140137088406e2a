"""The examples in all docstrings, those of the native classes too, and in docs/python.md."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pleach
import pytest

NEEDS = {"pleach.spacy", "pleach.spark", "pleach.ray"}

MODULES = sorted(f"pleach.{module.name}" for module in pkgutil.iter_modules(pleach.__path__))


def examples() -> list[doctest.DocTest]:
    parser, finder = doctest.DocTestParser(), doctest.DocTestFinder(exclude_empty=True)
    found = finder.find(pleach, "pleach")
    for name in MODULES:
        if name in NEEDS:
            continue
        found += finder.find(importlib.import_module(name), name)
    for name, thing in inspect.getmembers(pleach._native):
        if not inspect.isclass(thing):
            continue
        members = [(name, thing), *((f"{name}.{member}", getattr(thing, member)) for member in vars(thing))]
        for title, member in members:
            text = inspect.getdoc(member) or ""
            if ">>>" in text:
                found.append(parser.get_doctest(text, {}, title, None, 0))
    return [test for test in found if test.examples]


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_example(test):
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0


def test_there_are_examples():
    names = {test.name for test in examples()}
    assert {"pleach", "Parser", "Parser.pipe", "Graph", "Sentence", "Word", "Document", "Reader"} <= names
    assert len(names) > 25


def test_documentation():
    guide = Path(__file__).parents[2] / "docs" / "python.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 10 and result.failed == 0
