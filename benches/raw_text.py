#!/usr/bin/env python3
"""What a model that reads text reaches on a treebank: raw text in, gold tokens in, by genre; and words per CPU second.

Usage: benches/raw_text.py TREEBANK.conllu [MODEL] [--pleach target/release/pleach]

Genres are what stands before the first '-' of the sentence ids, as in UD_English-EWT. The text is rebuilt from SpaceAfter and the
paragraph marks, one paragraph a line and a blank line between them. The table is Markdown.
"""
import argparse, json, resource, subprocess, sys, tempfile
from pathlib import Path

METRICS = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "ELAS"]


def sentences(path):
    return [block for block in Path(path).read_text(encoding="utf-8").split("\n\n") if block.strip()]


def text(blocks):
    """The text that the sentences were made from."""
    paragraphs, line = [], ""
    for block in blocks:
        if "# newpar" in block or "# newdoc" in block:
            paragraphs.append(line.strip())
            line = ""
        until = 0
        for row in block.split("\n"):
            cells = row.split("\t")
            if len(cells) != 10 or "." in cells[0]:
                continue
            if "-" in cells[0]:
                until = int(cells[0].split("-")[1])
            elif int(cells[0]) <= until:
                continue
            line += cells[1] + ("" if "SpaceAfter=No" in cells[9].split("|") else " ")
    paragraphs.append(line.strip())
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


def run(command):
    """Standard output, and the CPU seconds of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scores(pleach, gold, parsed):
    report = json.loads(run([pleach, "eval", gold, parsed, "--metric", "eud", "--json"])[0])
    found = {}

    def collect(value):
        if isinstance(value, dict):
            if isinstance(value.get("name") or value.get("metric"), str) and "f1" in value:
                found[value.get("name") or value.get("metric")] = value["f1"]
            for key, inner in value.items():
                if isinstance(inner, dict) and "f1" in inner:
                    found[key] = inner["f1"]
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(report)
    return {name.lower(): score for name, score in found.items()}


def row(name, cells):
    return f"| {name} | " + " | ".join(cells) + " |"


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("treebank")
    asked.add_argument("model", nargs="?", default="en")
    asked.add_argument("--pleach", default="target/release/pleach")
    asked = asked.parse_args()
    blocks = sentences(asked.treebank)
    genres = {}
    for block in blocks:
        name = next((line.split("=")[1].strip() for line in block.split("\n") if line.startswith("# sent_id")), "")
        genres.setdefault(name.split("-")[0], []).append(block)
    parts = [("all", blocks)] + (sorted(genres.items()) if 1 < len(genres) < 20 else [])
    print(row("", METRICS + ["LF, gold tokens", "sentences"]))
    print(row("---", ["---:"] * (len(METRICS) + 2)))
    speed = None
    with tempfile.TemporaryDirectory() as folder:
        raw, gold, parsed = (str(Path(folder) / name) for name in ("raw.txt", "gold.conllu", "parsed.conllu"))
        parse = [asked.pleach, "parse", "-m", asked.model, "--threads", "1", "-o", parsed]
        for name, some in parts:
            Path(gold).write_text("\n\n".join(some) + "\n\n", encoding="utf-8")
            Path(raw).write_text(text(some), encoding="utf-8")
            _, seconds = run(parse + [raw])
            if speed is None:
                words = sum(row.split("\t")[0].isdigit() for block in some for row in block.split("\n"))
                speed = words / seconds
            found = scores(asked.pleach, gold, parsed)
            run(parse + [gold, "--tags", "predicted"])
            graphs = json.loads(run([asked.pleach, "eval", gold, parsed, "--metric", "sdp", "--json"])[0])
            lf = graphs["LF"]
            cells = [f"{100 * found[m.lower()]:.2f}" if m.lower() in found else "–" for m in METRICS]
            print(row(name, cells + [f"{100 * lf:.2f}", f"{len(some):,}"]), flush=True)
    print(f"\n{speed:,.0f} words per CPU second, one thread, from raw text to CoNLL-U, start included")


if __name__ == "__main__":
    sys.exit(main())
