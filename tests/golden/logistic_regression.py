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

from srcgrad.runtime import scalar_seed, unbroadcast


def loss_grad(w, x, y, penalty):
    """Gradient of `loss` (logistic_regression.py:8) with respect to `w`."""
    exp = np.exp(-(x @ w))
    total = 1 + exp
    p = 1 / total
    log_p = np.log(p)
    difference = 1 - y
    difference_2 = 1 - p
    log = np.log(difference_2)
    likelihood = y * log_p + difference * log
    neg_2 = -np.sum(likelihood)
    sum_2 = np.sum(w**2)

    # backward
    # L11: return -np.sum(likelihood) + penalty * np.sum(w**2)
    grad_out = scalar_seed(neg_2 + penalty * sum_2)
    grad_w = 2 * w * unbroadcast(grad_out * penalty, sum_2)
    # L10: likelihood = y * np.log(p) + (1 - y) * np.log(1 - p)
    grad_likelihood = np.broadcast_to(-unbroadcast(grad_out, neg_2), np.shape(likelihood))
    grad_p = -(unbroadcast(grad_likelihood * difference, log) / difference_2)
    grad_p += unbroadcast(grad_likelihood * y, log_p) / p
    # L9: p = 1 / (1 + np.exp(-(x @ w)))
    grad_w += x.T @ -(-grad_p * p / total * exp)
    return grad_w
