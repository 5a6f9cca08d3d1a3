"""Writes the table of kernels into the guide *Performance*: ``python -m bench.kernels.page``."""

from __future__ import annotations

import os
import platform
import re
import warnings
from pathlib import Path

import numpy as np

from bench import peers
from bench.kernels.table import KERNELS, line, mean
from bench.timing import in_words

PAGE = Path(__file__).parents[2] / "docs/guides/performance.md"
_BLOCK = re.compile(r"(<!-- kernels -->\n).*(<!-- end of kernels -->)", re.DOTALL)


_HEAD = (
    "| kernel | function | gradient / function | by hand / function | gradient / by hand "
    "| JAX / function | first call | memory |"
)


def machine() -> str:
    """Return what the figures were measured with."""
    software = f"Python {platform.python_version()}, NumPy {np.__version__}"
    jax = peers.load_jax()
    software += "" if jax is None else f", JAX {jax.__version__} (compiled, in float64)"
    words = "one thread" if peers.threads() == 1 else f"{peers.threads()} threads"
    return f"{software}, {platform.machine()} with {os.cpu_count()} cores, {words}."


def table() -> str:
    """Measure all kernels and return a table."""
    rows = [_HEAD, "|---" + "|--:" * 7 + "|"]
    over_function, over_hand = [], []
    for kernel in KERNELS:
        found = line(kernel)
        base = found["function"]
        gradient, hand = found["gradient"] / base, found["by hand"] / base
        over_function.append(gradient)
        over_hand.append(gradient / hand)
        cells = [
            kernel.name.replace("_", " "),
            in_words(base).strip(),
            f"{gradient:.1f}",
            f"{hand:.1f}",
            f"{gradient / hand:.2f}",
            f"{found['JAX'] / base:.1f}" if "JAX" in found else "",
            in_words(found["first"]).strip(),
            ", ".join(f"{found[f'peak {place}']:.0f}" for place in range(3)),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    means = f"{mean(over_function):.1f} | | {mean(over_hand):.2f}"
    return "\n".join([*rows, f"| geometric mean | | {means} | | | |"])


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
