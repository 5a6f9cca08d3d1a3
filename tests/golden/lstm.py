"""A network of LSTM cells over time."""

import numpy as np

import srcgrad as sg


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def loss(w, b, xs, target):
    size = len(b) // 4
    h = np.zeros(size)
    c = np.zeros(size)
    for x in xs:
        gates = w @ np.concatenate([h, x]) + b
        forget = sigmoid(gates[:size])
        write = sigmoid(gates[size : 2 * size])
        show = sigmoid(gates[2 * size : 3 * size])
        c = forget * c + write * np.tanh(gates[3 * size :])
        h = show * np.tanh(c)
    return np.sum((h - target) ** 2)


gradient = sg.grad(loss, argnums=(0, 1))


def example(rng):
    w, b = rng.normal(size=(8, 5)), rng.normal(size=8)
    return w, b, rng.normal(size=(4, 3)), rng.normal(size=2)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def loss_grad(w, b, xs, target):
    """Gradient of `loss` (lstm.py:12) with respect to `w`, `b`.

    Taken for granted: w.ndim == 2; b.ndim == 1; xs.ndim == 2; target.ndim == 1;
    len(b) == len(w); len(w) // 4 * 4 == len(w); len(target) == len(w) // 4.
    """
    size = len(b) // 4
    h = np.zeros(size)
    c = np.zeros(size)
    steps = []
    for x in xs:
        concatenate = np.concatenate([h, x])
        gates = w @ concatenate + b
        forget = 1 / (1 + np.exp(-gates[:size]))
        write = 1 / (1 + np.exp(-gates[size : 2 * size]))
        show = 1 / (1 + np.exp(-gates[2 * size : 3 * size]))
        tanh_gates = np.tanh(gates[3 * size :])
        c_2 = forget * c + write * tanh_gates
        tanh_c = np.tanh(c_2)
        steps.append((concatenate, gates, forget, write, show, tanh_gates, tanh_c, c, h))
        h = show * tanh_c
        c = c_2

    # backward
    # L16: for x in xs:
    grad_b = zeros_like(b)
    grad_w = zeros_like(w)
    # L23: return np.sum((h - target) ** 2)
    grad_h = 2.0 * (h - target)
    grad_c = zeros_like(c)
    outers = []
    for concatenate, gates, forget, write, show, tanh_gates, tanh_c, c, h in reversed(steps):
        # L22: h = show * np.tanh(c)
        grad_c_2 = grad_c + grad_h * show * (1.0 - tanh_c * tanh_c)
        # L21: c = forget * c + write * np.tanh(gates[3 * size :])
        grad_gates = zeros_like(gates)
        grad_gates[3 * size :] = grad_c_2 * write * (1.0 - tanh_gates * tanh_gates)
        grad_c = grad_c_2 * forget
        # L20: show = sigmoid(gates[2 * size : 3 * size])
        grad_gates[2 * size : 3 * size] = grad_h * tanh_c * show * (1.0 - show)
        # L19: write = sigmoid(gates[size : 2 * size])
        grad_gates[size : 2 * size] = grad_c_2 * tanh_gates * write * (1.0 - write)
        # L18: forget = sigmoid(gates[:size])
        grad_gates[:size] = grad_c_2 * c * forget * (1.0 - forget)
        # L17: gates = w @ np.concatenate([h, x]) + b
        grad_b += grad_gates
        outers.append((grad_gates, concatenate))
        grad_concatenate = grad_gates @ w
        # L16: for x in xs:
        grad_h = grad_concatenate[: len(h)]
    grad_w += np.array([row for row, _ in outers]).T @ np.array([column for _, column in outers])
    return grad_w, grad_b
