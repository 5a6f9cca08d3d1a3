"""The gradient of `mlp` as one would write it by hand."""

import numpy as np


def gradient(params, x, y):
    h = np.tanh(x @ params["w1"] + params["b1"])
    error = h @ params["w2"] + params["b2"] - y

    grad_error = 2 / error.size * error
    grad_total = grad_error @ params["w2"].T * (1 - h**2)
    return {
        "w1": x.T @ grad_total,
        "b1": grad_total.sum(axis=0),
        "w2": h.T @ grad_error,
        "b2": grad_error.sum(axis=0),
    }
