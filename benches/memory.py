#!/usr/bin/env python3
"""The memory that `pleach convert` needs for a large file.

    benches/memory.py FILE.conllu [--gigabytes 1] [--to conllu]

Repeats FILE until it has the wanted size, in a temporary folder, converts it with the release binary
(`cargo build --release -p pleach-cli` first) and prints the largest resident size. Fails above 100 MB.
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--to", default="conllu")
    parser.add_argument("--binary", default=TARGET / "release" / "pleach", help="the pleach to measure")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="pleach-memory-")
    try:
        piece = pathlib.Path(args.file).read_bytes()
        large = pathlib.Path(folder) / ("large" + pathlib.Path(args.file).suffix)
        with open(large, "wb") as out:
            while out.tell() < args.gigabytes * 1e9:
                out.write(piece)
        size = large.stat().st_size
        start = time.perf_counter()
        subprocess.run([args.binary, "convert", large, "/dev/null", "--to", args.to], check=True)
        seconds = time.perf_counter() - start
    finally:
        shutil.rmtree(folder)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{size / 1e9:.2f} GB in {seconds:.1f} s ({size / seconds / 1e6:.0f} MB/s), peak {peak:.1f} MB")
    if peak > 100:
        sys.exit("that is more than 100 MB")


if __name__ == "__main__":
    main()
