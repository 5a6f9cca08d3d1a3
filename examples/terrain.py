"""Guesses a landscape from 300 heights: a Gaussian process whose scales are learnt by gradient.

The gradient goes through a Cholesky factorisation; scikit-learn's, written by hand, is the same.
The landscape lies near Jacksboro, Tennessee, and comes with matplotlib.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.figure import Figure
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor, kernels

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "terrain.png"


def covariance(logs, a, b):
    """Return how the heights at two sets of places vary together."""
    apart = (a[:, None, :] - b[None, :, :]) / np.exp(logs[1:3])
    return np.exp(logs[0]) * np.exp(-0.5 * np.sum(apart**2, axis=2))


@sg.value_and_grad(fallback="error")
def cost(logs, places, heights):
    """Return minus the log-likelihood of the heights, whatever the landscape is."""
    spread = covariance(logs, places, places) + np.exp(logs[3]) * np.eye(len(heights))
    factor = np.linalg.cholesky(spread)
    whitened = solve_triangular(factor, heights, lower=True)
    return np.sum(0.5 * whitened**2 + np.log(np.diag(factor)) + 0.5 * np.log(2.0 * np.pi))


def draw(land, places, guess):
    """Write the land, the places that were measured, and the guess to PICTURE."""
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    colors = {"cmap": "gist_earth", "vmin": 0, "vmax": 1000}
    panels[0].imshow(land, **colors)
    panels[1].scatter(*places.T[::-1], c=land[tuple(places.astype(int).T)], s=12, **colors)
    figure.colorbar(panels[2].imshow(guess, **colors), ax=panels, label="height (m)")
    for axes, title in zip(panels, ["land", "300 heights", "guess"], strict=True):
        axes.set(title=title, xticks=[], yticks=[], aspect="equal")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Learn the scales, guess the land, and return 1 if scikit-learn has another gradient."""
    data = np.load(get_sample_data("jacksboro_fault_dem.npz", asfileobj=False))
    land = data["elevation"][::4, ::4].astype(float)
    every = np.argwhere(land).astype(float)
    chosen = np.random.default_rng(0).choice(len(every), 300, replace=False)
    places, heights = every[chosen], land.flat[chosen]
    known = (heights - heights.mean()) / heights.std()
    start = np.log([1.0, 10.0, 10.0, 0.1])  # variance of the land, two lengths, variance of noise
    value, slope = cost(start, places, known)
    print("The gradient, through the factorisation, as srcgrad wrote it:\n", cost.source, sep="\n")
    kernel = kernels.ConstantKernel() * kernels.RBF([1.0, 1.0]) + kernels.WhiteKernel()
    peer = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(places, known)
    theirs, their_slope = peer.log_marginal_likelihood(start, eval_gradient=True)
    error = max(abs(value + theirs), np.abs(slope + their_slope).max())
    print(f"likelihood and gradient differ from scikit-learn's by {error:.1e}")
    fit = minimize(cost, start, args=(places, known), jac=True)
    spread = covariance(fit.x, places, places) + np.exp(fit.x[3]) * np.eye(len(places))
    guess = covariance(fit.x, every, places) @ np.linalg.solve(spread, heights - heights.mean())
    guess = heights.mean() + guess.reshape(land.shape)
    missed = np.std(guess - land)
    print(f"the guess is {missed:.0f} m off, where the land varies by {land.std():.0f} m")
    draw(land, places, guess)
    print(f"picture: {PICTURE}")
    return 0 if error < 1e-8 * abs(value) and missed < 0.6 * land.std() else 1


if __name__ == "__main__":
    sys.exit(main())
