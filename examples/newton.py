"""Fits two models by Newton steps whose linear systems are solved with exact products alone.

A logistic regression of tumours (the breast cancer data of scikit-learn) takes Newton steps with
products with the Hessian; a law of petals (the flowers of scikit-learn) is fitted to least
squares by Gauss-Newton steps, with products with the Jacobian and its transpose.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.datasets import load_breast_cancer, load_iris

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "newton.png"


def loss(w, x, y):
    """Return the mean logistic loss, with a small penalty."""
    return np.mean(np.logaddexp(0.0, -y * (x @ w))) + 1e-3 * np.sum(w * w)


def residuals(p, length, width):
    """Return what a logistic law of petal width by petal length leaves over."""
    return p[0] / (1.0 + np.exp(-p[1] * (length - p[2]))) - width


def newton(w, x, y):
    """Return the gradient of the loss, and the product with its Hessian."""
    return sg.grad(loss)(w, x, y), lambda v: sg.hvp(loss, (w, x, y), (v, None, None))


def gauss_newton(p, length, width):
    """Return the gradient of half the sum of squares, and the product with its linear part."""
    left, pull = sg.vjp(residuals, p, length, width)
    along = functools.partial(sg.jvp, residuals, (p, length, width))
    return pull(left)[0], lambda v: pull(along((v, None, None))[1])[0]


def solve(system, point, *data):
    """Return the point after nine steps, and the norm of the gradient at each."""
    slopes = []
    for _ in range(9):
        slope, product = system(point, *data)
        slopes.append(np.linalg.norm(slope))
        matrix = LinearOperator((len(slope), len(slope)), matvec=product, dtype=float)
        point = point - cg(matrix, slope, rtol=1e-10)[0]
    return point, slopes


def main():
    """Fit both, draw how fast the gradients vanish, and return 1 if one does not."""
    x, label = load_breast_cancer(return_X_y=True)
    x = np.column_stack([np.ones(len(x)), (x - x.mean(axis=0)) / x.std(axis=0)])
    print("The tangent of the gradient of `loss`, as srcgrad wrote it:\n")
    print(sg.hessian(loss).source)
    w, first = solve(newton, np.zeros(x.shape[1]), x, 2.0 * label - 1.0)
    print(f"tumours told apart: {np.mean((x @ w > 0) == label):.1%}")
    p, second = solve(gauss_newton, np.array([2.5, 1.0, 4.0]), *load_iris().data[:, 2:].T)
    print("width = {:.3f} / (1 + exp(-{:.3f} (length - {:.3f})))".format(*p))
    axes = Figure(figsize=(7, 4), layout="constrained").subplots()
    axes.semilogy(first, "o-", label="Newton: logistic regression, 31 weights")
    axes.semilogy(second, "s-", label="Gauss-Newton: a law of petals")
    axes.set(xlabel="step", ylabel="norm of the gradient")
    axes.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    axes.figure.savefig(PICTURE, dpi=120)
    print(f"picture: {PICTURE}")
    return 0 if max(first[-1], second[-1]) < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
