#!/usr/bin/env python3
"""Reading CoNLL-U: Pleach beside the PyPI package `conllu`, in one run.

    benches/read_conllu.py FILE.conllu [--rounds N] [--json]

Installs `conllu` into target/bench-venv, builds Pleach's own benchmark, and lets the two read the file in
turns. Both make every sentence of the file, DEPS included; the best round of each counts.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

BASELINE = """
import sys, time, conllu
start = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as file:
    count = sum(1 for sentence in conllu.parse_incr(file))
print(time.perf_counter() - start, count)
"""


def python_with_conllu() -> str:
    folder = TARGET / "bench-venv"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    check = [python, "-c", "import conllu"]
    if subprocess.run(check, capture_output=True, check=False).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "conllu"], check=True)
    return str(python)


def pleach_bench() -> str:
    command = ["cargo", "bench", "-p", "pleach-formats", "--bench", "speed", "--no-run", "--message-format=json"]
    built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in built.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "speed":
            return message["executable"]
    sys.exit("cargo built no benchmark")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    python, bench = python_with_conllu(), pleach_bench()
    theirs, ours = [], []
    for _ in range(args.rounds):
        out = subprocess.run([python, "-c", BASELINE, args.file], check=True, stdout=subprocess.PIPE, text=True)
        seconds, count = out.stdout.split()
        theirs.append(float(seconds))
        out = subprocess.run([bench, "--json", args.file], check=True, stdout=subprocess.PIPE, text=True)
        ours.append(json.loads(out.stdout))
        if ours[-1]["sentences"] != int(count):
            sys.exit(f"{count} sentences for conllu, {ours[-1]['sentences']} for Pleach")
    best = {key: min(run[key] for run in ours) for key in ("scan", "read", "write")}
    result = {
        "file": args.file,
        "bytes": ours[0]["bytes"],
        "sentences": ours[0]["sentences"],
        "conllu_seconds": min(theirs),
        "pleach_read_seconds": best["read"],
        "pleach_write_seconds": best["write"],
        "scan_seconds": best["scan"],
        "times_as_fast_as_conllu": min(theirs) / best["read"],
        "times_scan": best["read"] / best["scan"],
    }
    if args.json:
        print(json.dumps(result, indent=2))
        return
    size = result["bytes"] / 1e6
    print(f"{args.file}: {result['sentences']} sentences, {size:.1f} MB; best of {args.rounds}")
    print(f"conllu (PyPI)   {min(theirs):9.3f} s  {size / min(theirs):8.1f} MB/s")
    print(f"pleach, read    {best['read']:9.3f} s  {size / best['read']:8.1f} MB/s")
    print(f"pleach, write   {best['write']:9.3f} s  {size / best['write']:8.1f} MB/s")
    print(f"memchr scan     {best['scan']:9.3f} s  {size / best['scan']:8.1f} MB/s")
    print(f"Pleach reads {result['times_as_fast_as_conllu']:.0f} times as fast as conllu, in {result['times_scan']:.1f} times the time of a scan.")


if __name__ == "__main__":
    main()
