"""A network whose layers are a list of pairs."""

import numpy as np

import srcgrad as sg


def loss(layers, x):
    for w, b in layers:
        x = np.maximum(x @ w + b, 0.0)
    return np.sum(x**2)


gradient = sg.grad(loss)


def example(rng):
    layers = [(rng.normal(size=(3, 3)), rng.normal(size=3)) for _ in range(3)]
    return layers, rng.normal(size=(2, 3))


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import order_of, part_if_greater, unbroadcast, zeros_like


def loss_grad(layers, x):
    """Gradient of `loss` (layers.py:8) with respect to `layers`.

    Taken for granted: x.ndim == 2; layers[i][0].ndim == 2 for all i;
    layers[i][1].ndim == 1 for all i.
    """
    steps = []
    for i in range(len(layers)):
        w, b = layers[i]
        x_at_w = x @ w
        total = x_at_w + b
        order = order_of(total, 0.0)
        steps.append((w, b, x_at_w, x, order))
        x = np.maximum(total, 0.0)

    # backward
    # L11: return np.sum(x**2)
    grad_x = 2.0 * x
    # L9: for w, b in layers:
    grad_layers = zeros_like(layers)
    for i in reversed(range(len(layers))):
        w, b, x_at_w, x, order = steps.pop()
        # L10: x = np.maximum(x @ w + b, 0.0)
        grad_total = part_if_greater(grad_x, order)
        grad_x_at_w = unbroadcast(grad_total, x_at_w)
        grad_x = grad_x_at_w @ w.T
        # L9: for w, b in layers:
        grad_layers[i][0] += x.T @ grad_x_at_w
        grad_layers[i][1] += unbroadcast(grad_total, b)
    return grad_layers
