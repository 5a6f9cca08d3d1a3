"""A recurrent network over time, with the state carried along."""

import numpy as np

import srcgrad as sg


def loss(w, u, h, xs, target):
    for t in range(len(xs)):
        h = np.tanh(w @ h + u @ xs[t])
    return np.sum((h - target) ** 2)


gradient = sg.grad(loss, argnums=(0, 1, 2))


def example(rng):
    w, u = rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    return w, u, rng.normal(size=3), rng.normal(size=(4, 2)), rng.normal(size=3)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def loss_grad(w, u, h, xs, target):
    """Gradient of `loss` (rnn.py:8) with respect to `w`, `u`, `h`.

    Taken for granted: w.ndim == 2; u.ndim == 2; h.ndim == 1; xs.ndim == 2; target.ndim == 1;
    len(u) == len(w); len(w) == len(h); target.shape == h.shape.
    """
    steps = []
    for t in range(len(xs)):
        h_2 = np.tanh(w @ h + u @ xs[t])
        steps.append((h_2, h))
        h = h_2

    # backward
    # L9: for t in range(len(xs)):
    grad_u = zeros_like(u)
    grad_w = zeros_like(w)
    # L11: return np.sum((h - target) ** 2)
    grad_h = 2.0 * (h - target)
    outers = []
    for t in reversed(range(len(xs))):
        h_2, h = steps.pop()
        # L10: h = np.tanh(w @ h + u @ xs[t])
        grad_total = grad_h * (1.0 - h_2 * h_2)
        grad_u += np.outer(grad_total, xs[t])
        outers.append((grad_total, h))
        grad_h = grad_total @ w
    # L9: for t in range(len(xs)):
    grad_w += np.array([row for row, _ in outers]).T @ np.array([column for _, column in outers])
    return grad_w, grad_u, grad_h
