"""Fits a driven, damped pendulum to noisy measurements through its own time loop."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

STEP = 0.02
NAMES = ["gravity / length", "damping", "drive", "first angle", "first velocity"]
TRUE = np.array([4.0, 0.25, 1.2, 1.0, 0.0])
GUESS = np.array([3.5, 0.1, 0.8, 0.8, 0.2])
PICTURE = Path(__file__).resolve().parent.parent / "build" / "oscillator.png"


def simulate(params, count):
    """Return the angle at `count` moments, by the semi-implicit Euler method."""
    angle = np.zeros(count)
    velocity = np.zeros(count)
    angle[0] = params[3]
    velocity[0] = params[4]
    for i in range(count - 1):
        force = params[2] * np.cos(1.2 * STEP * i) - params[0] * np.sin(angle[i])
        velocity[i + 1] = velocity[i] + STEP * (force - params[1] * velocity[i])
        angle[i + 1] = angle[i] + STEP * velocity[i + 1]
    return angle


@sg.value_and_grad
def misfit(params, measured):
    """Return the mean squared difference between the simulated and the measured angles."""
    angle = simulate(params, len(measured))
    return np.mean((angle - measured) ** 2)


def draw(measured, fitted):
    """Write the measurements and three pendulums to PICTURE."""
    time = STEP * np.arange(len(measured))
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(time, measured, ".", color="0.7", markersize=3, label="measured")
    axes.plot(time, simulate(GUESS, len(time)), ":", color="C1", label="first guess")
    axes.plot(time, simulate(fitted, len(time)), color="C0", label="fitted")
    axes.set(xlabel="time (s)", ylabel="angle (rad)", title="a driven, damped pendulum")
    axes.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit, print the parameters beside the true ones, and return 1 if they are not found."""
    noise = np.random.default_rng(0).normal(scale=0.05, size=1000)
    measured = simulate(TRUE, 1000) + noise

    print("The gradient of `misfit`, through the time loop, as srcgrad wrote it:\n")
    print(misfit.source)
    result = minimize(misfit, GUESS, args=(measured,), jac=True, method="BFGS")

    print(f"{'':18}{'true':>9}{'fitted':>9}")
    for name, true, fitted in zip(NAMES, TRUE, result.x, strict=True):
        print(f"{name:18}{true:9.3f}{fitted:9.3f}")
    print(f"{result.nit} steps, {result.nfev} gradients; noise left {np.sqrt(result.fun):.3f}")
    draw(measured, result.x)
    print(f"picture: {PICTURE}")
    return 0 if np.abs(result.x - TRUE).max() < 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())
