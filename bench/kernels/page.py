"""Writes the table of kernels into the guide *Performance*: ``python -m bench.kernels.page``."""

from __future__ import annotations

import os
import platform
import re
import warnings
from pathlib import Path

import numpy as np

from bench.kernels.table import KERNELS, line, mean
from bench.peers import threads
from bench.timing import in_words

PAGE = Path(__file__).parents[2] / "docs/guides/performance.md"
_BLOCK = re.compile(r"(<!-- kernels -->\n).*(<!-- end of kernels -->)", re.DOTALL)


def machine() -> str:
    """Return what the figures were measured with."""
    software = f"Python {platform.python_version()}, NumPy {np.__version__}"
    words = "one thread" if threads() == 1 else f"{threads()} threads"
    return f"{software}, {platform.machine()} with {os.cpu_count()} cores, {words}."


def table() -> str:
    """Measure all kernels and return a table."""
    rows = [
        "| kernel | function | gradient / function | by hand / function | gradient / by hand |",
        "|---|--:|--:|--:|--:|",
    ]
    over_function, over_hand = [], []
    for kernel in KERNELS:
        found = line(kernel)
        gradient = found["gradient"] / found["function"]
        hand = found["by hand"] / found["function"]
        over_function.append(gradient)
        over_hand.append(gradient / hand)
        words = in_words(found["function"]).strip()
        name = kernel.name.replace("_", " ")
        rows.append(f"| {name} | {words} | {gradient:.1f} | {hand:.1f} | {gradient / hand:.2f} |")
    means = f"{mean(over_function):.1f} | | {mean(over_hand):.2f}"
    return "\n".join([*rows, f"| geometric mean | | {means} |"])


def main() -> None:
    """Write the table anew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        measured = f"\n{machine()}\n\n{table()}\n\n"
    text = PAGE.read_text(encoding="utf-8")
    written = _BLOCK.sub(lambda found: found[1] + measured + found[2], text)
    PAGE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
