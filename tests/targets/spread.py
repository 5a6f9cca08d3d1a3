"""Counts the programs of the corpus on a device, in several processes.

`python -m tests.targets.spread 14`; without a number it takes a process for each core.
"""

from __future__ import annotations

import collections
import importlib
import multiprocessing
import os
import sys

from tests.programs.corpus import programs_by
from tests.targets.on_cupy import counted

Counts = tuple[collections.Counter[str], dict[str, list[str]]]


def part(place: tuple[int, int]) -> Counts:
    """Count every so many programs, from one on."""
    k, processes = place
    every = [item for name, item in programs_by("source").items() if "scipy" not in name]
    return counted(every[k::processes], importlib.import_module("cupy"))


def main(processes: int) -> int:
    """Print the counts and the reasons; return how many programs are wrong."""
    kinds: collections.Counter[str] = collections.Counter()
    reasons: dict[str, list[str]] = collections.defaultdict(list)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for some, why in pool.imap_unordered(part, [(k, processes) for k in range(processes)]):
            kinds.update(some)
            for reason, names in why.items():
                reasons[reason] += names
            print(dict(kinds), flush=True)
    for why, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4}  {why}\n      {' '.join(names)}")
    return kinds["wrong"] + kinds["broken"]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count() or 1))
