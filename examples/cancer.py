"""Tells malignant from benign tumours by logistic regression, with second derivatives for SciPy.

The parameters are a dict; `sg.scipy_objective` lays them out as the vector that SciPy wants, and
gives it the product of the Hessian with a vector too. scikit-learn must find the same numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "cancer.png"


def cost(params, x, sign):
    """Return minus the log-likelihood of the diagnoses (-1 or 1), plus half the squared weights."""
    margin = sign * (x @ params["weights"] + params["offset"])
    return np.sum(np.logaddexp(0.0, -margin)) + 0.5 * np.sum(params["weights"] ** 2)


def draw(names, weights, x, benign, params):
    """Write the weights, and the foretold probabilities by diagnosis, to PICTURE."""
    figure = Figure(figsize=(11, 6), layout="constrained")
    left, right = figure.subplots(1, 2)
    order = np.argsort(weights)
    left.barh(names[order], weights[order], color=np.where(weights[order] < 0, "C3", "C0"))
    left.set(title="weight of one standard deviation", xlabel="malignant  <  0  <  benign")
    left.tick_params(axis="y", labelsize=8)
    chance = 1 / (1 + np.exp(-(x @ params["weights"] + params["offset"])))
    groups = [chance[~benign], chance[benign]]
    right.hist(groups, bins=20, color=["C3", "C0"], label=["malignant", "benign"], log=True)
    right.set(title="tumours", xlabel="foretold probability of being benign", ylabel="count")
    right.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit with first and with second derivatives; return 1 if scikit-learn finds otherwise."""
    data = load_breast_cancer()
    x = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    benign = data.target == 1
    print("The gradient of `cost`, as srcgrad wrote it:\n")
    start = {"weights": np.zeros(x.shape[1]), "offset": 0.0}
    o = sg.scipy_objective(cost, start, x, np.where(benign, 1.0, -1.0))
    print(sg.grad(cost).source)

    first = minimize(o.fun_and_jac, o.x0, jac=True, method="L-BFGS-B")
    second = minimize(o.fun, o.x0, jac=o.jac, hessp=o.hessp, method="trust-krylov")
    print(f"L-BFGS: {first.nit} steps to {first.fun:.4f}; with curvature:", end=" ")
    print(f"{second.nit} steps to {second.fun:.4f}")
    params = o.unravel(second.x)
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(x, data.target)
    error = np.abs(params["weights"] - peer.coef_[0]).max()
    print(f"largest difference from the weights of scikit-learn: {error:.1e}")
    right = np.mean((x @ params["weights"] + params["offset"] > 0) == benign)
    print(f"{right:.1%} of {len(x)} tumours are told (those of the fit itself)")
    draw(data.feature_names, params["weights"], x, benign, params)
    print(f"picture: {PICTURE}")
    return 0 if error < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
