#!/usr/bin/env python3
"""Unlabelled F of several parses of one CoNLL-U file, by how much of a sentence's graph a tree can hold.

A tree has one arc a word, so of a graph it holds at most as many arcs as there are words with a head. Sentences are put
together by that share; arcs from the root count, arcs of empty nodes don't.

    benches/by_heads.py dev.conllu pc=pc.conllu ac=ac.conllu ta=ta.conllu
"""

import sys

BANDS = [("all", 0.0, 1.01), ("1", 1.0, 1.01), ("0.95 to 1", 0.95, 1.0), ("below 0.95", 0.0, 0.95), ("below 0.90", 0.0, 0.90)]


def graphs(path):
    """The arcs (head, dependent) of every sentence of a CoNLL-U file."""
    sentences, arcs = [], set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            columns = line.rstrip("\n").split("\t")
            if columns == [""]:
                sentences.append(arcs)
                arcs = set()
            elif columns[0].isdigit() and columns[8] != "_":
                heads = (dependency.split(":")[0] for dependency in columns[8].split("|"))
                arcs.update((head, columns[0]) for head in heads if head.isdigit())
    # A file may end without the empty line.
    return sentences + [arcs] if arcs else sentences


def held(graph):
    """How many arcs a tree can hold at most."""
    return len({dependent for _, dependent in graph})


def main(gold_path, *parses):
    gold = graphs(gold_path)
    systems = [(name, graphs(path)) for name, path in (parse.split("=", 1) for parse in parses)]
    if any(len(system) != len(gold) for _, system in systems):
        sys.exit("the files have different numbers of sentences")
    print("| a tree holds | sentences | share of arcs |" + "".join(f" {name} |" for name, _ in systems))
    print("| --- | ---: | ---: |" + " ---: |" * len(systems))
    for band, low, high in BANDS:
        inside = [n for n, graph in enumerate(gold) if graph and low <= held(graph) / len(graph) < high]
        arcs = sum(len(gold[n]) for n in inside)
        if not arcs:
            continue
        row = f"| {band} | {len(inside)} | {100 * sum(held(gold[n]) for n in inside) / arcs:.1f} % |"
        for _, system in systems:
            right = sum(len(gold[n] & system[n]) for n in inside)
            row += f" {200 * right / (arcs + sum(len(system[n]) for n in inside)):.2f} |"
        print(row)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
