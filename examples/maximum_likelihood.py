"""Fits a linear model whose noise also depends on the patient, by maximum likelihood.

Disease progression of 442 patients (the diabetes data of scikit-learn) is normal with mean
`x @ mean` and standard deviation `exp(x @ log_sd)`: 22 coefficients, with standard errors.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize
from scipy.stats import chi2
from sklearn.datasets import load_diabetes

import srcgrad as sg

PICTURE = Path(__file__).resolve().parent.parent / "build" / "maximum_likelihood.png"


@sg.value_and_grad
def cost(params, x, y):
    """Return minus the log-likelihood of `y` (without its constant)."""
    mean, log_sd = params.reshape(2, -1)
    log_scale = x @ log_sd
    z = (y - x @ mean) * np.exp(-log_scale)
    return np.sum(0.5 * z**2 + log_scale)


def standard_errors(params, x, y, step=1e-4):
    """Return the root of the diagonal of the inverse Hessian: differences of the gradient."""
    rows = [
        (cost(params + shift, x, y)[1] - cost(params - shift, x, y)[1]) / (2 * step)
        for shift in step * np.eye(len(params))
    ]
    return np.sqrt(np.diag(np.linalg.inv(np.array(rows))))


def draw(names, estimate, error):
    """Write both rows of coefficients with 95 % intervals to PICTURE."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    titles = ["mean progression", "log of its standard deviation"]
    panels = zip(figure.subplots(1, 2), titles, estimate, error, strict=True)
    for axes, title, value, spread in panels:
        axes.errorbar(value[1:], names[1:], xerr=1.96 * spread[1:], fmt="o", capsize=3)
        axes.axvline(0, color="0.6", linewidth=0.8)
        axes.set(title=title, xlabel="effect of one standard deviation")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)


def main():
    """Fit with and without varying noise, print the table, and return 1 if the fit fails."""
    data = load_diabetes()
    x = np.column_stack([np.ones(len(data.target)), data.data * np.sqrt(len(data.target))])
    y = (data.target - data.target.mean()) / data.target.std()
    names = ["constant", *data.feature_names]

    print("The gradient of `cost`, as srcgrad wrote it:\n")
    print(cost.source)
    fit = minimize(cost, np.zeros(2 * len(names)), args=(x, y), jac=True, options={"gtol": 1e-6})
    estimate = fit.x.reshape(2, -1)
    error = standard_errors(fit.x, x, y).reshape(2, -1)
    print(f"{'':10}{'mean':>12}{'log sd':>18}")
    for name, (a, b), (da, db) in zip(names, estimate.T, error.T, strict=True):
        print(f"{name:10}{a:9.3f} +- {da:.3f}{b:9.3f} +- {db:.3f}")

    residual = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    gain = 2 * (len(y) * (0.5 + np.log(residual.std())) - fit.fun)
    print(f"twice the gain over constant noise: {gain:.1f}, p = {chi2.sf(gain, 10):.1e}")
    draw(names, estimate, error)
    print(f"picture: {PICTURE}")
    return 0 if np.abs(fit.jac).max() < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
