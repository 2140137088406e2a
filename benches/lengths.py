#!/usr/bin/env python3
"""Processor time and memory of parsers against the length of sentences, with one thread.

Usage: benches/lengths.py DEV.conllu LENGTH,LENGTH,… NAME[=MODEL][:BEAMS] … [--train TRAIN.conllu] [--words 4000] [--svg FILE]
       [--pleach target/release/pleach]

    benches/lengths.py dev.conllu 25,50,100,200,400,800 s2s-combined=s2s.pleach:1,4,16 --svg lengths.svg
    benches/lengths.py dev.conllu 25,50,100,200,400 s2s-combined book-m4 --train train.conllu

A preset without a model is trained on the first 600 sentences of TRAIN, twice over. A sentence of N words is N words of DEV that
follow each other; there are as many such sentences as fit into --words, one at least. They are parsed in a process of
its own, so that memory is all that the process ever had. The time of an empty input is taken off. The table gives the time of
one sentence, and the power of the length that the times of all lengths from 100 words on follow best (least squares
of logarithms): 1 is linear. Time that is too short to measure and that of sentences which are parsed in pieces do not count for
it, nor are they in the picture.
"""
import argparse, math, os, subprocess, sys, tempfile
from pathlib import Path

COLOURS = ["#06c", "#c30", "#090", "#939", "#c80", "#088", "#666", "#a05", "#460", "#039", "#f66", "#3a3"]
SHORTEST = 0.01
SENTENCES, EPOCHS = 600, 2


def words(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = line.rstrip("\n").split("\t")
            if row[0].isdigit():
                yield row


def write(rows, length, count, path):
    """Sentences of so many words."""
    with open(path, "w", encoding="utf-8") as out:
        for sentence in range(count):
            for number in range(length):
                row = rows[(sentence * length + number) % len(rows)]
                out.write("\t".join([str(number + 1), *row[1:6], "_", "_", "_", "_"]) + "\n")
            out.write("\n")


# A process's greatest memory counts that of the one it was forked from; so a small one starts the command and waits for it.
WAIT = """
import os, sys
nothing = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nothing, 1)])
_, status, usage = os.wait4(child, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def measure(command):
    """Processor seconds, megabytes, and whether sentences were parsed in pieces."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", WAIT, *command], capture_output=True, text=True, check=True)
    status, seconds, memory = done.stdout.split()
    if status != "0":
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return float(seconds), float(memory) / 1024, "pieces" in done.stderr


def train(pleach, preset, treebank, folder):
    """A model of the first sentences."""
    few, model = os.path.join(folder, "train.conllu"), os.path.join(folder, f"{preset}.pleach")
    with open(treebank, encoding="utf-8") as lines, open(few, "w", encoding="utf-8") as out:
        sentences = 0
        while sentences < SENTENCES and (line := lines.readline()):
            sentences += line == "\n"
            out.write(line)
    subprocess.run([pleach, "train", preset, "--train", few, "--epochs", str(EPOCHS), "-o", model], check=True, stderr=subprocess.DEVNULL)
    return model


def milliseconds(time):
    """Three digits that count."""
    return f"{time:,.{max(0, 2 - math.floor(math.log10(time)))}f}"


def power(times):
    """The slope of log time over log length."""
    points = [(math.log(length), math.log(seconds)) for length, seconds in times if length >= 100]
    if len(points) < 2:
        return None
    x, y = (sum(axis) / len(points) for axis in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def picture(curves):
    """Curves as SVG: words of a sentence from left to right, milliseconds upwards, both on logarithmic scales."""
    width, height, left, bottom, right = 760, 460, 60, 40, 230
    lengths = sorted({length for _, times in curves for length, _ in times})
    all_times = [1000 * seconds for _, times in curves for _, seconds in times]
    low, high = (10 ** rounded(math.log10(value)) for rounded, value in ((math.floor, min(all_times)), (math.ceil, max(all_times))))
    x = lambda length: left + math.log(length / lengths[0]) / math.log(lengths[-1] / lengths[0]) * (width - left - right)
    y = lambda time: height - bottom - math.log(time / low) / math.log(high / low) * (height - bottom - 20)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for length in lengths:
        out.append(f'<line x1="{x(length):.0f}" y1="20" x2="{x(length):.0f}" y2="{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x(length):.0f}" y="{height - bottom + 16}" text-anchor="middle">{length}</text>')
    time = low
    while time <= high * 1.001:
        out.append(f'<line x1="{left}" y1="{y(time):.0f}" x2="{width - right}" y2="{y(time):.0f}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y(time) + 4:.0f}" text-anchor="end">{time:g}</text>')
        time *= 10
    # Names stand where their curves end, moved down where they would lie on each other.
    below = 0
    for place, (name, times) in enumerate(sorted(curves, key=lambda curve: -curve[1][-1][1])):
        colour = COLOURS[place % len(COLOURS)]
        points = " ".join(f"{x(length):.1f},{y(1000 * seconds):.1f}" for length, seconds in times)
        end = y(1000 * times[-1][1])
        base = below = max(end + 4, below + 13)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
                   f'<line x1="{x(times[-1][0]):.1f}" y1="{end:.1f}" x2="{width - right + 12}" y2="{base - 4:.1f}" stroke="{colour}" stroke-width="0.6"/>'
                   f'<text x="{width - right + 15}" y="{base:.1f}" fill="{colour}">{name}</text>')
    out.append(f'<text x="{left}" y="{height - 6}">words of a sentence (milliseconds on the left)</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("lengths")
    parser.add_argument("models", nargs="+", metavar="NAME[=MODEL][:BEAMS]")
    parser.add_argument("--train")
    parser.add_argument("--words", type=int, default=4000)
    parser.add_argument("--svg")
    parser.add_argument("--pleach", default="target/release/pleach")
    given = parser.parse_args()
    rows = list(words(given.treebank))
    lengths = [int(length) for length in given.lengths.split(",")]
    print("| parser | " + " | ".join(f"{length} words" for length in lengths) + " | power |")
    print("| --- |" + " ---: |" * (len(lengths) + 1))
    curves = []
    with tempfile.TemporaryDirectory() as folder:
        nothing = os.path.join(folder, "nothing.conllu")
        Path(nothing).touch()
        for model in given.models:
            model, _, beams = model.partition(":")
            name, _, path = model.partition("=")
            path = path or train(given.pleach, name, given.train or sys.exit(f"{name} has no model, and there is no --train"), folder)
            for beam in beams.split(",") if beams else [None]:
                command = [given.pleach, "parse", "--from", "conllu", "--to", "conllu", "--threads", "1", "-m", path]
                command += ["--max-words", str(max(1000, *lengths))] + (["--beam", beam] if beam else [])
                idle, *_ = measure([*command, nothing])
                cells, times = [], []
                for length in lengths:
                    file = os.path.join(folder, f"{length}.conllu")
                    count = max(1, given.words // length)
                    write(rows, length, count, file)
                    seconds, memory, cut = measure([*command, file])
                    time = (seconds - idle) / count
                    cells.append("–" if seconds - idle < SHORTEST else f"{milliseconds(1000 * time)} ms")
                    cells[-1] += f", {memory:.0f} MB" + (" (cut)" if cut else "")
                    if seconds - idle >= SHORTEST and not cut:
                        times.append((length, time))
                slope = power(times)
                title = f"{name}, beam {beam}" if beam else name
                print(f"| {title} | " + " | ".join(cells) + f" | {'–' if slope is None else format(slope, '.2f')} |", flush=True)
                if times:
                    curves.append((title if slope is None else f"{title}: length^{slope:.2f}", times))
    if given.svg:
        Path(given.svg).write_text(picture(curves), encoding="utf-8")


if __name__ == "__main__":
    main()
