"""Says how sure a logistic regression is, by the Laplace approximation of its posterior.

Near the maximum of their posterior the weights are normal, with the inverse Hessian as covariance.
They tell tumours apart (the breast cancer data of scikit-learn) by two measurements.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import load_breast_cancer

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "laplace.png"
SPREAD = 3.0  # of the weights, before there are data


def features(a, b):
    """Return all products of at most two of the numbers 1, a and b."""
    return np.column_stack([np.ones(len(a)), a, b, a * a, b * b, a * b])


def cost(w, x, y):
    """Return minus the log of the posterior (without its constant)."""
    return np.sum(np.logaddexp(0.0, -y * (x @ w))) + 0.5 * np.sum(w**2) / SPREAD**2


def probabilities(w, covariance, x):
    """Return the probability at the weights, and its mean over the posterior (MacKay 1992)."""
    score, variance = x @ w, np.sum((x @ covariance) * x, axis=1)
    return expit(score), expit(score / np.sqrt(1.0 + np.pi * variance / 8.0))


def draw(points, label, panels, grid):
    """Write both maps of probabilities, with the data, to PICTURE."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    titles = ["the most probable weights", "all weights of the posterior"]
    for axes, title, values in zip(figure.subplots(1, 2), titles, panels, strict=True):
        shown = axes.contourf(*grid, values.reshape(grid[0].shape), np.linspace(0, 1, 11))
        axes.scatter(*points.T, c=label, s=6, cmap="gray", edgecolors="0.4", linewidths=0.2)
        axes.set(title=title, xlabel="mean radius", ylabel="mean texture")
    figure.colorbar(shown, ax=figure.axes, label="probability that it is benign")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Find the maximum and the covariance, and return 1 if sampling says otherwise."""
    data, label = load_breast_cancer(return_X_y=True)
    points = (data[:, :2] - data[:, :2].mean(axis=0)) / data[:, :2].std(axis=0)
    given = features(*points.T), 2.0 * label - 1.0
    target = sg.scipy_objective(cost, np.zeros(6), *given)
    fit = minimize(target.fun, target.x0, jac=target.jac, hessp=target.hessp, method="trust-ncg")
    hessian = sg.hessian(cost)
    covariance = np.linalg.inv(hessian(fit.x, *given))
    print("The tangent of the gradient of `cost`, as srcgrad wrote it:\n", hessian.source, sep="\n")
    print("weights", fit.x.round(2), "+-", np.sqrt(np.diag(covariance)).round(2))
    # the weights of samples say how far the posterior is from normal
    samples = np.random.default_rng(0).multivariate_normal(fit.x, covariance, 4000)
    excess = np.array([cost(w, *given) for w in samples]) - fit.fun
    normal = 0.5 * np.sum(((samples - fit.x) @ hessian(fit.x, *given)) * (samples - fit.x), axis=1)
    weights = np.exp(normal - excess - np.max(normal - excess))
    share = weights.sum() ** 2 / np.sum(weights**2) / len(weights)
    print(f"effective share of 4000 samples: {share:.0%}")
    grid = np.meshgrid(np.linspace(-4, 6, 120), np.linspace(-4, 6, 120))
    at = features(*map(np.ravel, grid))
    draw(points, label, probabilities(fit.x, covariance, at), grid)
    print(f"picture: {PICTURE}")
    return 0 if share > 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
