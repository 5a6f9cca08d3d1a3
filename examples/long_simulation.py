"""Finds the friction of eight pendulums from the energy that they have left after 100 seconds.

The simulation takes 100,000 steps; its gradient keeps a few hundred states. Run it with
``python examples/long_simulation.py``.
"""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import matplotlib as mpl
import numpy as np

import srcgrad as sg

mpl.use("Agg")
import matplotlib.pyplot as plt

GRAVITY, LENGTH, DT, STEPS = 9.81, 1.0, 0.001, 100_000  # m/s^2, m, s
ANGLES = np.radians(np.linspace(10.0, 80.0, 8))  # let go at these, at rest
PICTURE = Path(__file__).parents[1] / "build" / "long_simulation.png"


def energy_left(friction, steps):
    """Return the mean energy by mass after some steps of the symplectic Euler method."""
    angle = ANGLES
    velocity = np.zeros(8)
    for _ in sg.checkpointed(range(steps)):
        pull = GRAVITY / LENGTH * np.sin(angle) + friction * velocity
        velocity = velocity - DT * pull
        angle = angle + DT * velocity
    height = LENGTH * (1.0 - np.cos(angle))
    return np.mean(0.5 * (LENGTH * velocity) ** 2 + GRAVITY * height)


def main() -> None:
    """Show the gradient, measure its memory, and find the friction by Newton's method."""
    slope = sg.value_and_grad(energy_left, fallback="error")
    slope(0.05, 2)
    print(slope.source)

    measured = energy_left(0.034, STEPS)  # the friction to be found again, in 1/s
    print(f"after {STEPS * DT:.0f} s of {ANGLES.size} pendulums {measured:.4f} J/kg are left")
    tracemalloc.start()
    slope(0.03, STEPS // 10)
    kilobytes = tracemalloc.get_traced_memory()[1] / 1000
    tracemalloc.stop()
    print(f"the gradient of {STEPS // 10:,} steps takes {kilobytes:.0f} kB")
    friction, path = 0.03, []
    for _ in range(8):
        energy, change = slope(friction, STEPS)
        path.append((friction, energy))
        print(f"friction {friction:.6f} 1/s: {energy:.6f} J/kg, changing by {change:.3f}")
        if math.isclose(energy, measured, rel_tol=3e-3):
            break
        friction -= energy * math.log(energy / measured) / change  # Newton's step for its log
    print(f"the friction is {friction:.6f} 1/s, and was 0.034")
    draw(path, measured)


def draw(path: list[tuple[float, float]], measured: float) -> None:
    """Draw the energies that were met on the way."""
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.semilogy(*zip(*path, strict=True), "o-", label="Newton's method")
    axes.axhline(measured, color="grey", label="measured")
    axes.set(xlabel="friction [1/s]", ylabel="energy left after 100 s [J/kg]")
    axes.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=150)
    print(f"drawn to {PICTURE.name}")


if __name__ == "__main__":
    main()
