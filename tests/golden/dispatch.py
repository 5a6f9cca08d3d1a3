"""Layers chosen by number."""

import numpy as np

import srcgrad as sg


def network(x, kinds):
    for kind in kinds:
        match kind:
            case 0:
                break
            case 1:
                x = np.tanh(x)
            case n if n > 1:
                x = n * x
    return np.sum(x**2)


gradient = sg.grad(network)


def example(rng):
    return rng.normal(size=3), [1, 3, 1, 0, 2]


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def network_grad(x, kinds):
    """Gradient of `network` (dispatch.py:8) with respect to `x`.

    Taken for granted: x.ndim == 1; kinds[i] is a number for all i.
    """
    x_saved = []
    kind_saved = []
    for kind in kinds:
        if kind == 0:
            break
        kind_saved.append(kind)
        if kind == 1:
            x = np.tanh(x)
            x_saved.append(x)
        elif kind > 1:
            n = kind
            x = n * x

    # backward
    # L17: return np.sum(x**2)
    grad_x = 2.0 * x
    # L9: for kind in kinds:
    for kind in reversed(kind_saved):
        # L13: case 1:
        if kind == 1:
            x = x_saved.pop()
            # L14: x = np.tanh(x)
            grad_x = grad_x * (1.0 - x * x)
        elif kind > 1:
            # L15: case n if n > 1:
            # L16: x = n * x
            grad_x = grad_x * kind
    return grad_x
