#!/usr/bin/env python3
"""Processor time and memory of models against the length of a sentence, with one thread.

Usage: benches/lengths.py PLEACH DEV.conllu LENGTH,LENGTH,… MODEL…

A sentence of N words is the first N words of DEV; it is parsed alone, in a process of its own, so that memory is all
that the process ever had. The time of an empty input is taken off.
"""
import os, subprocess, sys, tempfile


def words(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = line.rstrip("\n").split("\t")
            if row[0].isdigit():
                yield row


def measure(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode().strip()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said


def main():
    pleach, dev, lengths, *models = sys.argv[1:]
    rows = list(words(dev))
    lengths = [int(length) for length in lengths.split(",")]
    print("| model | " + " | ".join(f"{length} words" for length in lengths) + " |")
    print("|-------|" + "---:|" * len(lengths))
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            cells = []
            command = [pleach, "parse", "--from", "conllu", "--to", "conllu", "--threads", "1", "-m", model]
            command += os.environ.get("PLEACH_OPTIONS", "").split()
            nothing = os.path.join(folder, "nothing.conllu")
            open(nothing, "w").close()
            idle, _, _ = measure([*command, nothing])
            for length in lengths:
                file = os.path.join(folder, f"{length}.conllu")
                with open(file, "w", encoding="utf-8") as out:
                    for number in range(length):
                        row = rows[number % len(rows)]
                        out.write("\t".join([str(number + 1), *row[1:6], "_", "_", "_", "_"]) + "\n")
                    out.write("\n")
                seconds, memory, said = measure([*command, file])
                cells.append(f"{max(0, seconds - idle):.2f} s, {memory:.0f} MB" + (" (cut)" if "pieces" in said else ""))
            print(f"| {os.path.basename(model).removesuffix('.pleach')} | " + " | ".join(cells) + " |", flush=True)


main()
