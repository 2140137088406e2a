"""The command ``pleach``: the same program as the Rust one, from this package."""

from __future__ import annotations

import os
import signal
import sys

from . import _native


def main() -> int:
    """Runs the command line of this process."""
    # While Rust runs, Python would only note Ctrl-C; the command stops by itself where it has something to keep.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Experiments start the command again, each model in a process of its own.
    os.environ.setdefault("PLEACH_PROGRAM", sys.argv[0])
    sys.stdout.flush()
    return _native._command(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
