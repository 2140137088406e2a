#!/usr/bin/env python3
"""How accurate and how fast: labelled F against words per CPU second, for models and beams, beside other systems.

Usage: benches/speed_curve.py [TREEBANK.conllu NAME=MODEL[:BEAMS] ...] [--rounds 3] [--recorded FILE.tsv] [--svg FILE] [--pleach target/release/pleach]

    benches/speed_curve.py dev.conllu s2s-combined=s2s.pleach:1,4,16 sl-fast=fast.pleach:1
    benches/speed_curve.py --recorded docs/results/speed-points.tsv --svg docs/results/speed.svg

Points of earlier runs come from a file of lines with tabs: name, LF, words per CPU second, where it was measured.

The models take turns, a round each, on one thread; a speed is the median of its rounds. The sentences have gold tokens and
tags. The table is Markdown; it has the points of other systems on UD_English-EWT dev below, which were measured on another
machine of the same kind, with small training budgets.
"""
import argparse, json, math, statistics, subprocess
from pathlib import Path

# Name, LF, words per second.
PEERS = [
    ("TurboSemanticParser, second order", 82.82, 483),
    ("TurboSemanticParser, arc-factored", 77.32, 1262),
    ("supar biaffine, best head if none", 82.30, 1700),
]


def bench(pleach, treebank, model, beams):
    command = [pleach, "bench", "-m", model, treebank, "--rounds", "1", "--threads", "1", "--json"]
    if beams:
        command += ["--beams", beams]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def picture(points):
    """Points as SVG: words per second from left to right, on a logarithmic scale, LF upwards."""
    width, height, left, bottom = 760, 420, 60, 40
    lowest = math.floor(min(lf for _, lf, _ in points)) - 1
    highest = math.ceil(max(lf for _, lf, _ in points)) + 1
    slowest = 10 ** math.floor(math.log10(min(speed for *_, speed in points)))
    fastest = 10 ** math.ceil(math.log10(max(speed for *_, speed in points)))
    span = math.log10(fastest / slowest)
    x = lambda speed: left + math.log10(speed / slowest) / span * (width - left - 200)
    y = lambda lf: height - bottom - (lf - lowest) / (highest - lowest) * (height - bottom - 20)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    power = slowest
    while power <= fastest:
        out.append(f'<line x1="{x(power):.0f}" y1="20" x2="{x(power):.0f}" y2="{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{x(power):.0f}" y="{height - bottom + 16}" text-anchor="middle">{power:,}</text>')
        power *= 10
    for lf in range(lowest, highest + 1, 2):
        out.append(f'<line x1="{left}" y1="{y(lf):.0f}" x2="{x(fastest):.0f}" y2="{y(lf):.0f}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y(lf) + 4:.0f}" text-anchor="end">{lf}</text>')
    peers = {name for name, *_ in PEERS}
    # What names must not lie on: the points, then other names.
    taken = [(x(speed) - 5, x(speed) + 5, y(lf) + 4) for _, lf, speed in points]
    for name, lf, speed in sorted(points, key=lambda point: -point[1]):
        colour = "#999" if name in peers else "#06c"
        wide, base = 6 * len(name), y(lf) + 4
        free = lambda at, base: left <= at and not any(
            abs(base - other) < 11 and at < end and begin < at + wide for begin, end, other in taken)
        # A name stands on the right of its point, else on the left, else as near as it lies on nothing, with a line to the point.
        places = ((at, base + away) for step in range(0, 200, 3) for away in (step, -step) for at in (x(speed) + 7, x(speed) - 7 - wide))
        at, place = next((place for place in places if free(*place)), (x(speed) + 7, base))
        taken.append((at, at + wide, place))
        anchor, edge = ("start", at) if at > x(speed) else ("end", at + wide)
        if place != base:
            out.append(f'<line x1="{x(speed):.1f}" y1="{y(lf):.1f}" x2="{edge:.1f}" y2="{place - 4:.1f}" stroke="#999" stroke-width="0.6"/>')
        out.append(f'<circle cx="{x(speed):.1f}" cy="{y(lf):.1f}" r="4" fill="{colour}"/>'
                   f'<text x="{edge:.1f}" y="{place:.1f}" text-anchor="{anchor}">{name}</text>')
    out.append(f'<text x="{left}" y="{height - 6}">words per CPU second (LF on the left)</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", nargs="?")
    parser.add_argument("models", nargs="*", metavar="NAME=MODEL[:BEAMS]")
    parser.add_argument("--recorded", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--svg")
    parser.add_argument("--pleach", default="target/release/pleach")
    given = parser.parse_args()
    runs = []
    for model in given.models:
        name, _, rest = model.partition("=")
        path, _, beams = rest.partition(":")
        runs.append((name, path, beams))
    speeds, known = {}, {}
    for _ in range(given.rounds):
        for name, path, beams in runs:
            report = bench(given.pleach, given.treebank, path, beams)
            for beam in report["beams"]:
                key = (name, beam["beam"])
                speeds.setdefault(key, []).append(beam["tokens_per_cpu_second"])
                known[key] = (beam["scores"]["LF"], report["model_bytes"] / 1e6)
    print("| parser | beam | LF | words/CPU s | lowest to highest | model MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    points = []
    for (name, beam), found in speeds.items():
        (lf, size), speed = known[name, beam], statistics.median(found)
        beam = "" if beam is None else beam
        points.append((f"{name} {beam}".strip(), lf, speed))
        print(f"| {name} | {beam} | {lf:.2f} | {speed:,.0f} | {min(found):,.0f} to {max(found):,.0f} | {size:.1f} |")
    if given.recorded:
        rows = Path(given.recorded).read_text(encoding="utf-8").splitlines()
        for name, lf, speed, source in (row.split("\t") for row in rows if row and not row.startswith("#")):
            points.append((name, float(lf), float(speed)))
            print(f"| {name} | | {float(lf):.2f} | {float(speed):,.0f} | {source} | |")
    for name, lf, speed in PEERS:
        print(f"| {name} | | {lf:.2f} | {speed:,} | | |")
    if given.svg:
        Path(given.svg).write_text(picture(points + PEERS), encoding="utf-8")


if __name__ == "__main__":
    main()
