"""The negative log-likelihood of a logistic model with a penalty."""

import numpy as np

import srcgrad as sg


def loss(w, x, y, penalty):
    p = 1 / (1 + np.exp(-(x @ w)))
    likelihood = y * np.log(p) + (1 - y) * np.log(1 - p)
    return -np.sum(likelihood) + penalty * np.sum(w**2)


gradient = sg.grad(loss)


def example(rng):
    y = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    return rng.normal(size=3), rng.normal(size=(5, 3)), y, 0.1


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def loss_grad(w, x, y, penalty):
    """Gradient of `loss` (logistic_regression.py:8) with respect to `w`.

    Taken for granted: w.ndim == 1; x.ndim == 2; y.ndim == 1; penalty is a number;
    len(x) == len(y).
    """
    p = 1 / (1 + np.exp(-(x @ w)))

    # backward
    # L10: likelihood = y * np.log(p) + (1 - y) * np.log(1 - p)
    grad_p = (1 - y) / (1.0 - p) - y / p
    # L11: return -np.sum(likelihood) + penalty * np.sum(w**2)
    # L9: p = 1 / (1 + np.exp(-(x @ w)))
    return 2.0 * w * penalty + grad_p * p * (1.0 - p) @ x
