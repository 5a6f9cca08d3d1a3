"""Prints how many bytes a gradient records in each step of a time loop.

What no adjoint reads is not recorded: a linear stencil costs a few numbers a step, whatever the
size of its arrays. Run it with ``python bench/recorded.py``.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad as sg

SIZE = 10_000
STEPS = 40


def heat(start: Any, steps: int) -> Any:
    u = start.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


def jacobi(start: Any, steps: int) -> Any:
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return np.sum(u * u)


def wave(start: Any, steps: int) -> Any:
    before = start.copy()
    now = start.copy()
    after = np.zeros_like(start)
    for _ in range(steps):
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + 0.1 * (now[2:] - 2 * now[1:-1] + now[:-2])
        before, now, after = now, after, before
    return np.sum(now * now)


def maxwell(start: Any, steps: int) -> Any:
    e = start.copy()
    h = np.zeros_like(start)
    for _ in range(steps):
        h[:-1] += 0.5 * (e[1:] - e[:-1])
        e[1:] += 0.5 * (h[1:] - h[:-1])
    return np.sum(e * e)


def burgers(start: Any, steps: int) -> Any:
    u = start.copy()
    for _ in range(steps):
        u[1:] -= 0.1 * u[1:] * (u[1:] - u[:-1])
    return np.sum(u * u)


PROGRAMS: tuple[Callable[..., Any], ...] = (heat, jacobi, wave, maxwell, burgers)


def peak(gradient: Any, start: Any, steps: int) -> int:
    """Return the peak of the memory that a call takes."""
    tracemalloc.start()
    gradient(start, steps)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def recorded(function: Callable[..., Any]) -> float:
    """Return the bytes that each step adds to the peak."""
    gradient = sg.grad(function, fallback="error")
    start = np.sin(np.linspace(0.0, 3.0, SIZE))
    gradient(start, 2)
    return (peak(gradient, start, 2 * STEPS) - peak(gradient, start, STEPS)) / STEPS


def main() -> None:
    """Print the table."""
    whole = SIZE * 8
    print(f"bytes recorded a step, of arrays of {whole:,} bytes")
    for function in PROGRAMS:
        count = recorded(function)
        print(f"{function.__name__:10} {count:12,.0f}   {count / whole:6.2f} arrays")


if __name__ == "__main__":
    main()
