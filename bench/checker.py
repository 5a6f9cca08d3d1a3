"""Times what the checker adds to the differentiation of functions that nobody has seen."""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path
from typing import Final

from bench.compile_time import TEN_LINES, compiled_in, statements
from srcgrad.checker.witness import VARIABLE

LOOPS: Final = """\
def walk(x, rate={number}.0):
    y = x.copy()
    speed = np.zeros_like(x)
    for step in range(len(x)):
        force = np.sin(y) - rate * y**3
        if step % 2:
            force = force * 0.5
        speed += 0.1 * force
        y[1:] += 0.1 * speed[:-1]
    return np.sum(y * y) + np.sum(np.exp(speed))
"""


def main() -> None:
    """Print the times without and with the checker, and its share."""
    print("What the checker of derivatives adds to compile time (target: 10 %)")
    cases = {
        "10 lines": ("loss", lambda number: TEN_LINES.format(number=number), 15),
        "loop, branch, writes": ("walk", lambda number: LOOPS.format(number=number), 15),
        "100 statements": ("long", lambda number: statements(100, number), 5),
    }
    before = os.environ.get(VARIABLE)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for label, (name, text, count) in cases.items():
                times: dict[str, list[float]] = {"0": [], "1": []}
                for number in range(2 * count + 2):
                    os.environ[VARIABLE] = wanted = str(number % 2)
                    taken = compiled_in(text(number), name, number, Path(folder))
                    if number > 1:  # the first ones load what all need
                        times[wanted].append(taken)
                without, with_it = (statistics.median(times[key]) * 1e3 for key in "01")
                share = with_it / without - 1
                print(f"  {label:22} {without:7.1f} ms, with it {with_it:7.1f} ms: {share:+.0%}")
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


if __name__ == "__main__":
    main()
