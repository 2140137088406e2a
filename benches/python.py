"""nlp.pipe beside the command line on the same text, one thread and two, and beside spaCy where its model is installed.

    ./test --python build    # or a wheel of a release build: see below
    target/python/venv/bin/python benches/python.py text.txt [--rounds 3] [--threads 1 2] [--command target/release/pleach]

Each round runs every way once, in a process of its own, so that other work on the machine slows them all. A run on one
paragraph is subtracted: starting Python and opening the model are no part of the figures. What counts on a busy machine is
the column of words per CPU second. All ways give the same words and graphs, which are compared.

For figures like those of a release: CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \\
  target/python/venv/bin/maturin build --release -m python/Cargo.toml --out target/python/wheels, and pip install it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def paragraphs(path: str) -> list[str]:
    return [part for part in Path(path).read_text().split("\n\n") if part.strip()]


def child(way: str, path: str, threads: int, out: str) -> None:
    """What is measured, in a process of its own."""
    if way == "spacy":
        import spacy

        nlp = spacy.load("en_core_web_sm", exclude=["ner"])
        print(sum(len(doc) for doc in nlp.pipe(paragraphs(path), n_process=1)))
        return
    import pleach

    nlp = pleach.load()
    words = 0
    with open(out, "w") as file:
        if way == "pipe":
            for doc in nlp.pipe(paragraphs(path), threads=threads):
                words += doc.num_words
                file.write(doc.to_conllu())
        else:
            for doc in nlp.pipe(paragraphs(path), threads=threads):
                words += doc.num_words
    print(words)


def run(command: list[str]) -> tuple[float, float, float, str]:
    """Wall seconds, CPU seconds, megabytes, and what was printed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    assert status == 0, command
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, printed


def content(path: str) -> tuple[str, int]:
    """A digest of the rows of words, and how many words there are. Ids of sentences differ, and MISC, which in a whole text
    notes the blank lines behind paragraphs."""
    rows = [line.rsplit("\t", 1)[0] for line in Path(path).read_text().splitlines() if line[:1].isdigit()]
    return hashlib.sha256("\n".join(rows).encode()).hexdigest(), sum(row.split("\t")[0].isdigit() for row in rows)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("text")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--command", default=None, help="a pleach program; that of this package when not given")
    arguments.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    if "--child" in sys.argv:
        place = sys.argv.index("--child")
        way, path, threads, out = sys.argv[place + 1 : place + 5]
        return child(way, path, int(threads), out)
    given = arguments.parse_args()
    program = [given.command] if given.command else [sys.executable, "-m", "pleach.command"]
    folder = tempfile.mkdtemp()
    small = os.path.join(folder, "small.txt")
    Path(small).write_text(paragraphs(given.text)[0] + "\n")

    def command(way: str, path: str, threads: int) -> list[str]:
        out = os.path.join(folder, f"{way}-{threads}.conllu")
        if way == "command":
            return [*program, "parse", path, "--from", "text", "--threads", str(threads), "-o", out]
        return [sys.executable, __file__, "--child", way, path, str(threads), out]

    ways = ["command", "pipe", "pipe, not written"]
    try:
        import spacy

        if spacy.util.is_package("en_core_web_sm"):
            ways.append("spacy")
    except ImportError:
        pass
    found: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
    for _ in range(given.rounds):
        for threads in given.threads:
            for way in ways:
                start = run(command(way, small, threads))
                whole = run(command(way, given.text, threads))
                row = (whole[0] - start[0], whole[1] - start[1], whole[2])
                found.setdefault((way, threads), []).append(row)
    digest, words = content(os.path.join(folder, f"command-{given.threads[0]}.conllu"))
    for threads in given.threads:
        assert content(os.path.join(folder, f"pipe-{threads}.conllu"))[0] == digest, "the same graphs"
    print(f"{words} words, {given.rounds} rounds, medians; load {os.getloadavg()[0]:.1f}")
    print(f"{'':20}{'threads':>8}{'words/s':>10}{'per CPU s':>11}{'of command':>12}{'MB':>8}")
    for (way, threads), rows in found.items():
        wall, cpu, memory = (statistics.median(column) for column in zip(*rows))
        base = statistics.median(row[1] for row in found["command", threads])
        print(f"{way:20}{threads:>8}{words / wall:>10.0f}{words / cpu:>11.0f}{base / cpu:>12.0%}{memory:>8.0f}")


if __name__ == "__main__":
    main()
