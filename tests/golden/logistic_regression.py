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

from srcgrad.runtime import matmul_right, scalar_seed, unbroadcast


def loss_grad(w, x, y, penalty):
    """Gradient of `loss` (logistic_regression.py:8) with respect to `w`."""
    exp = np.exp(-(x @ w))
    total = 1 + exp
    p = 1 / total
    difference = 1 - y
    difference_2 = 1 - p
    likelihood = y * np.log(p) + difference * np.log(difference_2)

    # backward
    # L11: return -np.sum(likelihood) + penalty * np.sum(w**2)
    grad_out = scalar_seed(-np.sum(likelihood) + penalty * np.sum(w**2))
    grad_w = 2 * w * (grad_out * penalty)
    # L10: likelihood = y * np.log(p) + (1 - y) * np.log(1 - p)
    grad_likelihood = np.broadcast_to(-grad_out, np.shape(likelihood))
    grad_p = -(unbroadcast(grad_likelihood * difference, p) / difference_2)
    grad_p += unbroadcast(grad_likelihood * y, p) / p
    # L9: p = 1 / (1 + np.exp(-(x @ w)))
    grad_w += matmul_right(-(-grad_p * p / total * exp), x, w)
    return grad_w
