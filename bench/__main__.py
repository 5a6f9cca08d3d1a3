"""Runs the benchmarks: all of them, or those named as arguments (`python -m bench network`).

`python -m bench --threads=2 derivatives` lets every library use two threads in the place of one.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from importlib.util import find_spec

from bench.peers import limit_threads

NAMES = [
    "network",
    "call",
    "scalar",
    "compile_time",
    "processes",
    "passes",
    "checker",
    "parts",
    "recorded",
    "kernels",
    "checkpoint",
    "rules",
    "derivatives",
    "compiled",
    "kernels.loops",
    "kernels.models",
    "device",
    "examples",
]
if find_spec("bench.tape"):
    NAMES.append("tape")


def main(chosen: list[str]) -> int:
    """Run the chosen benchmarks one after the other."""
    count = 1
    if chosen and chosen[0].startswith("--threads="):
        count = int(chosen.pop(0).partition("=")[2])
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    limit_threads(count)
    start = time.perf_counter()
    words = "one thread each" if count == 1 else f"{count} threads each"
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {words}\n")
    for name in chosen or NAMES:
        importlib.import_module(f"bench.{name}").main()
    print(f"{time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
