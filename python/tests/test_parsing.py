"""Parsing: texts, words, streams, threads."""

from __future__ import annotations

import gzip
import io
import itertools
import multiprocessing
import pickle
import subprocess
import sys
import threading

import pleach
import pytest
from conftest import TEXT


def test_pretokenised_and_tagged_input(nlp):
    doc = nlp([["It", "rains"], [("Ann", "PROPN"), ("sleeps", "VERB", "VBZ")]])
    assert len(doc) == 2 and doc[0][1].lemma == "rain" and doc[1][0].upos == "PROPN" and len(doc[1].graph) > 0
    given = nlp([[{"form": "rains", "upos": "NOUN"}]])
    assert given[0][0].upos == "NOUN"
    predicted = pleach.load(tags="predicted")([[{"form": "rains", "upos": "X"}]])
    assert predicted[0][0].upos != "X"
    sentence = pleach.Sentence(["It", "rains"])
    parsed = nlp(sentence)
    assert len(sentence.graph) == 0 and len(parsed[0].graph) == 2 and nlp(parsed) == parsed
    assert nlp("") == pleach.Document() and len(nlp([])) == 0


def test_pipe_gives_the_same_in_order(nlp, texts):
    expected = [nlp(text) for text in texts]
    for threads, batch_size in [(1, 1), (1, 256), (2, 7), (None, 1000)]:
        parsed = list(nlp.pipe(texts, threads=threads, batch_size=batch_size))
        assert parsed == expected and [doc.text for doc in parsed] == texts
        assert [[word.start for s in doc for word in s] for doc in parsed] == [
            [word.start for s in doc for word in s] for doc in expected
        ]
    pairs = list(nlp.pipe(((text, number) for number, text in enumerate(texts)), as_tuples=True, batch_size=10))
    assert [context for _, context in pairs] == list(range(len(texts))) and [doc for doc, _ in pairs] == expected
    assert list(nlp.pipe([])) == []


def test_pipe_takes_what_a_call_takes(nlp):
    items = ["It rains.", [["It", "rains"]], pleach.Sentence(["It", "rains"]), nlp("It rains.")]
    assert [doc[0][1].lemma for doc in nlp.pipe(items)] == ["rain"] * 4


def test_pipe_is_lazy(nlp):
    read = []

    def endless():
        for number in itertools.count():
            read.append(number)
            yield f"Number {number} is here."

    pipe = nlp.pipe(endless(), batch_size=8)
    assert read == []
    first = next(pipe)
    assert first[0][1].form == "0" and len(read) == 16
    for number in range(1, 100):
        assert next(pipe)[0][1].form == str(number)
    assert len(read) <= 100 + 24
    # Long texts make batches of fewer of them.
    read.clear()
    long = nlp.pipe((read.append(0) or "It rains. " * 30_000 for _ in itertools.count()), batch_size=1000)
    next(long)
    assert len(read) == 2


def test_what_the_callers_iterator_raises_comes_through(nlp):
    def texts():
        yield "It rains."
        raise KeyError("mine")

    pipe = nlp.pipe(texts())
    assert next(pipe)[0][0].form == "It"
    with pytest.raises(KeyError, match="mine"):
        next(pipe)
    with pytest.raises(StopIteration):
        next(pipe)


def test_long_texts_are_streamed(nlp, tmp_path):
    text = "The rain fell. Nobody came.\n\n" * 200
    path = tmp_path / "long.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    expected = nlp(text)
    for source in (path, str(path), io.StringIO(text), io.BytesIO(text.encode())):
        sentences = list(nlp.stream(source, threads=2))
        assert [sentence.id for sentence in sentences] == [str(n) for n in range(1, 401)]
        assert pleach.Document(sentences) == expected
    assert text[sentences[-1].start : sentences[-1].end] == "Nobody came."
    with pytest.raises(FileNotFoundError) as caught:
        nlp.stream(tmp_path / "none.txt")
    assert isinstance(caught.value, pleach.ReadError) and caught.value.path.endswith("none.txt")


def test_two_python_threads_work_at_once(nlp, texts):
    expected = [nlp(text) for text in texts]
    results: dict[int, list[pleach.Document]] = {}

    def work(number: int) -> None:
        results[number] = [nlp(text) for text in texts]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == expected for number in range(4))


def test_the_lock_is_released_while_parsing(nlp):
    """Another thread of Python gets on while one parses."""
    turns = 0
    text = "It rains and nobody comes. " * 400
    parsed = threading.Event()

    def parse() -> None:
        nlp(text, threads=1)
        parsed.set()

    thread = threading.Thread(target=parse)
    sys.setswitchinterval(60)
    try:
        thread.start()
        while not parsed.is_set():
            turns += 1
    finally:
        sys.setswitchinterval(0.005)
        thread.join()
    assert turns > 1000


def test_the_beam_and_guarantees(nlp):
    assert pleach.load(beam=1)(TEXT)[0].graph.arcs
    rooted = pleach.load(ensure="rooted,connected")
    assert all(sentence.graph.properties()["reachable"] for sentence in rooted("Yes. Oh no, a 3 .. ( )"))
    words = [[*"The company that Mark wants to buy is small".split()]]
    lengths = [abs(h - d) for h, d, _ in nlp(words)[0].graph.arcs if h > 0]
    cut = [abs(h - d) for h, d, _ in pleach.load(max_words=3, ensure="none")(words)[0].graph.arcs if h > 0]
    assert max(lengths) > 2 >= max(cut), "no arc leaves a piece of three words"


def test_parsers_are_pickled_by_name(nlp):
    again = pickle.loads(pickle.dumps(pleach.load("en", beam=2, ensure="rooted")))
    assert again.name == "en" and len(pickle.dumps(nlp)) < 1000
    assert again(TEXT) == pleach.load(beam=2, ensure="rooted")(TEXT)


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_forked_process_parses_too(nlp, texts):
    list(nlp.pipe(texts, threads=2))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        forked = pool.apply_async(_parse_all, (nlp, texts)).get(timeout=120)
    assert forked == [nlp(text) for text in texts]


def _parse_all(nlp, texts):
    return list(nlp.pipe(texts, threads=2))


def test_the_command_comes_with_the_package(tmp_path):
    def run(*args: str, given: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pleach.command", *args]
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)

    out = tmp_path / "out.conllu"
    assert run("parse", "--text", TEXT, "-o", str(out)).returncode == 0
    assert out.read_text() == pleach.load()(TEXT).to_conllu()
    assert run("stats", str(out)).stdout.count("sentences") > 0
    wrong = run("parse", "--no-such-option")
    assert wrong.returncode == 2 and "--no-such-option" in wrong.stderr
    missing = run("stats", "missing.conllu")
    assert missing.returncode == 1 and "missing.conllu" in missing.stderr
    assert "pleach" in run("--version").stdout
