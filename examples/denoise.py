"""Removes noise from a photograph by descending its total variation, and beats the best blur.

A blur smears edges. Total variation charges for the height of an edge and not for its sharpness, so
that its minimum is smooth where there is noise and sharp where there is something.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize
from sklearn.datasets import load_sample_image

import srcgrad as sg

NOISE, WEIGHT, STEPS = 0.15, 0.16, 50
PICTURE = Path(__file__).resolve().parent.parent / "build" / "denoise.png"


def energy(image, noisy):
    """Return half the squared distance from the noisy image, plus weighted total variation."""
    down = np.zeros_like(image)
    right = np.zeros_like(image)
    down[:-1] = image[1:] - image[:-1]  # the last row and column have no neighbour: they stay 0
    right[:, :-1] = image[:, 1:] - image[:, :-1]
    # the root over all three colours together keeps their edges in one place
    slope = np.sqrt(np.sum(down**2 + right**2, axis=2) + 1e-4)
    return 0.5 * np.sum((image - noisy) ** 2) + WEIGHT * np.sum(slope)


def decibels(image, clean):
    """Return the peak signal-to-noise ratio: 20 more is a tenth of the error."""
    return -10 * np.log10(np.mean((image - clean) ** 2))


def draw(images):
    """Write the images side by side to PICTURE."""
    figure = Figure(figsize=(9, 6.8), layout="constrained")
    for axes, (title, image) in zip(figure.subplots(2, 2).flat, images.items(), strict=True):
        axes.imshow(np.clip(image, 0, 1), interpolation="nearest")
        axes.set_title(title)
        axes.set_axis_off()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Denoise, compare with every blur, and return 1 if a blur does better."""
    clean = load_sample_image("flower.jpg")[60:320:2, 140:500:2] / 255
    noisy = clean + np.random.default_rng(0).normal(scale=NOISE, size=clean.shape)

    print("The gradient of `energy`, as srcgrad wrote it:\n")
    print(sg.grad(energy).source)
    descent = sg.scipy_objective(energy, noisy, noisy)  # lays the image out as SciPy's vector
    options = {"maxiter": STEPS}
    found = minimize(descent.fun_and_jac, descent.x0, jac=True, method="L-BFGS-B", options=options)
    denoised = descent.unravel(found.x)

    blurs = [gaussian_filter(noisy, (width, width, 0)) for width in np.linspace(0.3, 3, 28)]
    blurred = max(blurs, key=lambda image: decibels(image, clean))
    images = {"noisy": noisy, "best blur": blurred, "denoised": denoised}
    scores = {name: decibels(image, clean) for name, image in images.items()}
    for name, score in scores.items():
        print(f"{name:12}{score:6.1f} dB")
    titled = {f"{name}: {scores[name]:.1f} dB": image for name, image in images.items()}
    draw({"photograph": clean, **titled})
    print(f"picture: {PICTURE}")
    return 0 if scores["denoised"] > scores["best blur"] + 1 else 1


if __name__ == "__main__":
    sys.exit(main())
