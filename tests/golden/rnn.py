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

from srcgrad.runtime import matmul_left, matmul_right, unbroadcast, zeros_like


def loss_grad(w, u, h, xs, target):
    """Gradient of `loss` (rnn.py:8) with respect to `w`, `u`, `h`.

    Taken for granted: w.ndim == 2; u.ndim == 2.
    """
    steps = []
    for t in range(len(xs)):
        w_at_h = w @ h
        xs_t = xs[t]
        u_at_xs_t = u @ xs_t
        h_2 = np.tanh(w_at_h + u_at_xs_t)
        steps.append((w_at_h, u_at_xs_t, h_2, h))
        h = h_2

    # backward
    # L11: return np.sum((h - target) ** 2)
    grad_h = unbroadcast(2 * (h - target), h)
    # L9: for t in range(len(xs)):
    grad_u = zeros_like(u)
    grad_w = zeros_like(w)
    for t in reversed(range(len(xs))):
        w_at_h, u_at_xs_t, h_2, h = steps.pop()
        xs_t = xs[t]
        # L10: h = np.tanh(w @ h + u @ xs[t])
        grad_total = grad_h * (1 - h_2 * h_2)
        grad_w_at_h = unbroadcast(grad_total, w_at_h)
        grad_u += matmul_left(unbroadcast(grad_total, u_at_xs_t), u, xs_t)
        grad_w += matmul_left(grad_w_at_h, w, h)
        grad_h = matmul_right(grad_w_at_h, w, h)
    return grad_w, grad_u, grad_h
