"""A network of two layers with its parameters in a dict."""

import numpy as np

import srcgrad as sg


def loss(params, x, y):
    h = np.tanh(x @ params["w1"] + params["b1"])
    error = h @ params["w2"] + params["b2"] - y
    return np.mean(error**2)


gradient = sg.grad(loss)


def example(rng):
    params = {
        "w1": rng.normal(size=(3, 4)),
        "b1": rng.normal(size=4),
        "w2": rng.normal(size=(4, 2)),
        "b2": rng.normal(size=2),
    }
    return params, rng.normal(size=(5, 3)), rng.normal(size=(5, 2))


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def loss_grad(params, x, y):
    """Gradient of `loss` (mlp.py:8) with respect to `params`.

    Taken for granted: x.ndim == 2; y.ndim == 2; params['w1'].ndim == 2;
    params['b1'].ndim == 1; params['w2'].ndim == 2; params['b2'].ndim == 1;
    len(params['b1']) == params['w1'].shape[1]; len(params['b2']) == params['w2'].shape[1];
    len(y) == len(x); y.shape[1] == params['w2'].shape[1].
    """
    h = np.tanh(x @ params["w1"] + params["b1"])
    error = h @ params["w2"] + params["b2"] - y

    # backward
    # L11: return np.mean(error**2)
    grad_error = 2 / np.size(error) * error
    # L10: error = h @ params["w2"] + params["b2"] - y
    # L9: h = np.tanh(x @ params["w1"] + params["b1"])
    grad_total = grad_error @ params["w2"].T * (1.0 - h * h)
    return {
        "w1": x.T @ grad_total,
        "b1": grad_total.sum(axis=0),
        "w2": h.T @ grad_error,
        "b2": grad_error.sum(axis=0),
    }
