"""Times what the checker adds to the differentiation of functions that nobody has seen."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import srcgrad as sg
from bench.compile_time import TEN_LINES, function_in, statements
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
                for mode, operator in (("reverse", sg.grad), ("forward", sg.pushforward)):
                    times: dict[str, list[float]] = {"0": [], "1": []}
                    for number in range(2 * count + 2):
                        os.environ[VARIABLE] = wanted = str(number % 2)
                        unique = number + 1000 * (mode == "forward")
                        function = function_in(text(unique), name, unique, Path(folder))
                        taken = _taken(operator(function, fallback="error"))
                        if number > 1:  # the first ones load what all need
                            times[wanted].append(taken)
                    _print(f"{label}, {mode}", times)
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


def _taken(derivative: Any) -> float:
    """Return the seconds of this process that a text takes until it could run."""
    start = time.process_time()
    proof = derivative.plan().generated.proof
    if proof is not None:
        proof.verdict  # noqa: B018 - asked for, it is found out
    return time.process_time() - start


def _print(label: str, times: dict[str, list[float]]) -> None:
    without, with_it = (statistics.median(times[key]) * 1e3 for key in "01")
    share = with_it / without - 1
    print(f"  {label:30} {without:7.1f} ms, with it {with_it:7.1f} ms: {share:+.0%}", flush=True)


if __name__ == "__main__":
    main()
