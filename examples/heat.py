"""Turns diffusion back: which photograph has become this blur after a while of heat flow?

The flow is a loop over time that writes into an array, and its gradient is that loop backwards.
Heat that flows backwards blows up whatever noise there is, so small variation is asked for, too.
The photograph of Grace Hopper comes with matplotlib.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from matplotlib.image import imread
from scipy.optimize import minimize

import srcgrad as sg

TIME, NOISE, WEIGHT, STEPS = 8, 0.003, 4e-5, 60
PICTURE = Path(__file__).resolve().parent.parent / "build" / "heat.png"


def flow(warm, steps):
    """Return what becomes of temperatures; those of the frame are held."""
    for _ in range(steps):
        around = warm[2:, 1:-1] + warm[:-2, 1:-1] + warm[1:-1, 2:] + warm[1:-1, :-2]
        change = 0.2 * (around - 4 * warm[1:-1, 1:-1])
        after = warm.copy()
        after[1:-1, 1:-1] += change
        warm = after
    return warm


def cost(before, seen):
    """Return how far the flow ends from what is seen, plus weighted total variation."""
    down, right = before[1:, :-1] - before[:-1, :-1], before[:-1, 1:] - before[:-1, :-1]
    slope = np.sqrt(down**2 + right**2 + 1e-4)
    return 0.5 * np.sum((flow(before, TIME) - seen) ** 2) + WEIGHT * np.sum(slope)


def draw(images):
    """Write the images side by side to PICTURE."""
    figure = Figure(figsize=(9, 3.9), layout="constrained")
    for axes, (title, image) in zip(figure.subplots(1, 3), images.items(), strict=True):
        axes.imshow(image, cmap="inferno", vmin=0, vmax=1)
        axes.set_title(title)
        axes.set_axis_off()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Find the photograph, and return 1 if it is not much closer than what is seen."""
    with get_sample_data("grace_hopper.jpg") as file:
        photograph = imread(file, format="jpg")[20:440:3, 80:440:3].mean(axis=2) / 255
    noise = np.random.default_rng(0).normal(scale=NOISE, size=photograph.shape)
    seen = flow(photograph, TIME) + noise
    print(f"The gradient of `cost`, as srcgrad wrote it:\n\n{sg.grad(cost).source}")
    descent = sg.scipy_objective(cost, seen, seen)
    options = {"maxiter": STEPS}
    found = minimize(descent.fun_and_jac, descent.x0, jac=True, method="L-BFGS-B", options=options)
    before = descent.unravel(found.x)
    scores = [-10 * np.log10(np.mean((image - photograph) ** 2)) for image in (seen, before)]
    print(f"what is seen {scores[0]:.1f} dB, what was before {scores[1]:.1f} dB")
    names = [f"seen: {scores[0]:.1f} dB", f"turned back: {scores[1]:.1f} dB"]
    draw({"before": photograph, **dict(zip(names, (seen, before), strict=True))})
    print(f"picture: {PICTURE}")
    return 0 if scores[1] > scores[0] + 2 else 1


if __name__ == "__main__":
    sys.exit(main())
