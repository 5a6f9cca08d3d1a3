"""Prints what a checkpointed loop costs: its time and its peak of memory against a plain one.

Run it with ``python -m bench checkpoint``.
"""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.runtime.long_loops import observed_loops

SIZE = 1000
STEPS = 3000
LONG = 100_000
BUDGETS = (None, 30, 300)


def plain(rate: float, start: Any, steps: int) -> Any:
    u = start
    for _ in range(steps):
        u = u + 0.01 * (rate * (np.roll(u, 1) - u) - np.sin(u))
    return np.sum(u * u)


def checkpointed(rate: float, start: Any, steps: int, budget: Any = None) -> Any:
    u = start
    for _ in sg.checkpointed(range(steps), budget=budget):
        u = u + 0.01 * (rate * (np.roll(u, 1) - u) - np.sin(u))
    return np.sum(u * u)


def seconds(gradient: Any, *args: Any) -> float:
    """Return the time of a call."""
    start = time.perf_counter()
    gradient(*args)
    return time.perf_counter() - start


def peak(gradient: Any, *args: Any) -> int:
    """Return the peak of the memory that a call takes."""
    tracemalloc.start()
    gradient(*args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def main() -> None:
    """Print the table."""
    start = np.sin(np.linspace(0.0, 3.0, SIZE))
    by_plain = sg.grad(plain, (0, 1), fallback="error")
    by_states = sg.grad(checkpointed, (0, 1), fallback="error")
    by_plain(0.3, start, 2), by_states(0.3, start, 2)
    base = seconds(by_plain, 0.3, start, STEPS), peak(by_plain, 0.3, start, STEPS)
    print(f"{STEPS:,} steps of {SIZE:,} numbers, against the gradient of the plain loop")
    print(f"  {'':16}{'time':>8}{'memory':>10}{'states kept':>14}{'steps run':>12}")
    for budget in BUDGETS:
        args = 0.3, start, STEPS, budget
        with observed_loops() as reports:
            taken = seconds(by_states, *args) / base[0]
        report = reports[0]
        part = peak(by_states, *args) / base[1]
        name = "no budget" if budget is None else f"budget={budget}"
        again = report.steps_run / STEPS
        print(f"  {name:16}{taken:8.2f}{part:10.4f}{report.most_kept:14,}{again:12.2f}")
    small = start[:100]
    most = peak(by_states, 0.3, small, LONG)
    ratio = seconds(by_states, 0.3, small, LONG) / seconds(by_plain, 0.3, small, LONG)
    print(f"{LONG:,} steps of {small.size} numbers: the peak is {most / small.nbytes:,.0f} states,")
    print(f"  the time {ratio:.1f} times that of the gradient of the plain loop\n")


if __name__ == "__main__":
    main()
