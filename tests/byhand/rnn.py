"""The gradient of `rnn` as one would write it by hand."""

import numpy as np


def gradient(w, u, h, xs, target):
    hs = [h]
    for x in xs:
        h = np.tanh(w @ h + u @ x)
        hs.append(h)

    grad_w = np.zeros_like(w)
    grad_u = np.zeros_like(u)
    grad_h = 2 * (h - target)
    for t in reversed(range(len(xs))):
        grad_total = grad_h * (1 - hs[t + 1] ** 2)
        grad_w += np.outer(grad_total, hs[t])
        grad_u += np.outer(grad_total, xs[t])
        grad_h = w.T @ grad_total
    return grad_w, grad_u, grad_h
