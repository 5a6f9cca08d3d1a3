"""Finds what lies between sources of sound and microphones from the waves that arrive there.

Each gradient goes back through 2,000 steps of the wave equation, of which a few states are kept.
Run it with ``python examples/underground.py``: where Numba is installed, the steps are compiled.
"""

import sys
import time
import tracemalloc
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "underground.png"
CELLS, CELL, DT, STEPS, USUAL = 70, 10.0, 0.0005, 2000, 2000.0  # m, s, m/s
RIM = 10  # cells in which waves die away
FREQUENCY = 12.0  # of the sources, in 1/s


def misfit(speed, source, pulse, places, heard, fade):
    """Return how far the waves at some places are from those that were heard there.

    `speed` is by cell, as a part of the usual one; `fade` is what is left of a wave after a step.
    """
    factor = (speed * USUAL * DT / CELL) ** 2
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    row, column = source
    total = 0.0
    for n in sg.checkpointed(range(len(pulse))):
        after = 2.0 * now - before
        after[1:-1, 1:-1] += factor[1:-1, 1:-1] * (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * now[1:-1, 1:-1]
        )
        after[row, column] += pulse[n]
        after *= fade
        off = after[places[0], places[1]] - heard[n]
        total += 0.5 * np.sum(off * off)
        before, now = now * fade, after
    return total


def listen(speed, source, pulse, places, fade):
    """Return the waves at some places, for each step."""
    factor = (speed * USUAL * DT / CELL) ** 2
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    heard = np.zeros((len(pulse), len(places[0])))
    for n in range(len(pulse)):
        after = 2.0 * now - before
        around = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2]
        after[1:-1, 1:-1] += factor[1:-1, 1:-1] * (around - 4.0 * now[1:-1, 1:-1])
        after[source] += pulse[n]
        after *= fade
        heard[n] = after[places]
        before, now = now * fade, after
    return heard


def ground():
    """Return the speed of sound that is to be found: layers, a cavern and a lump of ore."""
    row, column = np.mgrid[:CELLS, :CELLS]
    speed = 1.0 + 0.04 * np.sin(row / 7.0 + 0.03 * column)
    speed -= 0.12 * np.exp(-((row - 26) ** 2 + (column - 30) ** 2) / 40.0)
    return speed + 0.12 * np.exp(-((row - 45) ** 2 + (column - 42) ** 2) / 50.0)


def surroundings():
    """Return sources, the pulse, the places where one listens, and how waves fade at the rim."""
    sources = [(row, 12) for row in (15, 28, 41, 54)] + [(12, column) for column in (25, 38, 51)]
    since = (np.pi * FREQUENCY * (np.arange(STEPS) * DT - 0.1)) ** 2
    pulse = (1.0 - 2.0 * since) * np.exp(-since)
    along = np.arange(14, CELLS - 12, 2)
    right, below = (along, np.full_like(along, 57)), (np.full_like(along, 57), along)
    places = tuple(np.concatenate(pair) for pair in zip(right, below, strict=True))
    depth = np.minimum(np.arange(CELLS), np.arange(CELLS)[::-1])
    fade = np.exp(-((0.02 * np.maximum(RIM - depth, 0)) ** 2))
    return sources, pulse, places, np.outer(fade, fade)


def cost_of(gradient, *args):
    """Return the seconds that a gradient takes, but for its first call, and the most megabytes."""
    speed, source, pulse, places, heard, fade = args
    gradient(speed, source, pulse[:2], places, heard[:2], fade)
    start = time.process_time()
    gradient(*args)
    seconds = time.process_time() - start
    tracemalloc.start()
    gradient(*args)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, megabytes


def show_costs(by_numpy, gradient, args):
    """Say what a gradient costs, and return whether both give the same."""
    seconds, megabytes = cost_of(by_numpy, *args)
    print(f"a gradient by NumPy takes {seconds:.2f} s and {megabytes:.0f} MB")
    print(f"(all {STEPS:,} states together are {3 * 8 * CELLS**2 * STEPS / 1e6:.0f} MB)")
    if gradient is by_numpy:
        print("Numba is not installed: NumPy runs the steps")
        return True
    start = time.process_time()
    value, slope = gradient(*args)
    print(f"its first call by Numba takes {time.process_time() - start:.1f} s")
    compiled, megabytes = cost_of(gradient, *args)
    print(
        f"and the others {compiled:.2f} s, {seconds / compiled:.1f} times less, {megabytes:.0f} MB"
    )
    other, others = by_numpy(*args)
    return np.isclose(value, other) and np.abs(slope - others).max() < 1e-6 * np.abs(slope).max()


def draw(truth, found, shots):
    """Write the ground, what was found, and the waves of one source to PICTURE."""
    sources, _, places, _ = surroundings()
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    panels = figure.subplots(1, 3)
    size = (0, CELLS * CELL, CELLS * CELL, 0)
    colors = {"cmap": "viridis", "vmin": 0.88 * USUAL, "vmax": 1.12 * USUAL, "extent": size}
    for axes, speed, title in zip(panels, (truth, found), ("ground", "found"), strict=False):
        image = axes.imshow(speed * USUAL, **colors)
        axes.set(title=title, xlabel="m", ylabel="m")
    panels[0].plot(*(np.array(sources).T[::-1] * CELL), "r*", label="sources")
    panels[0].plot(places[1] * CELL, places[0] * CELL, "w.", label="microphones", ms=3)
    panels[0].legend(loc="lower left", fontsize="small", ncols=2)
    figure.colorbar(image, ax=panels[:2], label="speed of sound [m/s]")
    panels[2].imshow(shots[0], aspect="auto", cmap="RdBu", extent=(0, 44, STEPS * DT, 0))
    panels[2].set(title="heard of one source", xlabel="microphone", ylabel="s")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Find the ground, and return 1 if the gradient is wrong or the ground is not found."""
    sources, pulse, places, fade = surroundings()
    truth = ground()
    shots = [listen(truth, source, pulse, places, fade) for source in sources]
    by_numpy = sg.value_and_grad(misfit, fallback="error")
    compiles = find_spec("numba") is not None
    gradient = (
        sg.value_and_grad(misfit, backend="numba", fallback="error") if compiles else by_numpy
    )
    start = np.ones_like(truth)
    is_right = show_costs(by_numpy, gradient, (start, sources[0], pulse, places, shots[0], fade))
    print("\nThe way back through a step:\n")
    text = by_numpy.source
    print(
        text[text.index("def misfit_step_back") : text.index("def misfit_value_and_grad")].rstrip()
    )

    def cost(speed):
        square = speed.reshape(truth.shape)
        parts = [
            gradient(square, source, pulse, places, heard, fade)
            for source, heard in zip(sources, shots, strict=True)
        ]
        return sum(part[0] for part in parts), sum(part[1] for part in parts).ravel()

    way = np.random.default_rng(0).normal(size=truth.size)
    ahead, behind = (cost(start.ravel() + sign * 1e-4 * way)[0] for sign in (1.0, -1.0))
    differences, slope = (ahead - behind) / 2e-4, cost(start.ravel())[1] @ way
    print(
        f"\nalong a random way the misfit changes by {slope:.5f}, by differences {differences:.5f}"
    )
    fit = minimize(cost, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 12})
    found = fit.x.reshape(truth.shape)
    inside = (slice(15, 55), slice(15, 55))
    likeness = np.corrcoef(found[inside].ravel(), truth[inside].ravel())[0, 1]
    print(f"after {fit.nit} steps the misfit is {fit.fun:.2e}, of {cost(start.ravel())[0]:.2e}")
    print(
        f"between sources and microphones the ground is found with a correlation of {likeness:.2f}"
    )
    draw(truth, found, shots)
    print(f"picture: {PICTURE}")
    is_right = is_right and abs(slope - differences) < 1e-3 * abs(slope)
    return 0 if is_right and likeness > 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
