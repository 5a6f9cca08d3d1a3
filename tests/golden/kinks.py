"""Functions with kinks: where, maximum, clip and abs."""

import numpy as np

import srcgrad as sg


def penalty(x, y):
    low = np.where(x > y, x * y, x - y)
    high = np.maximum(x, y) + np.clip(x, -0.5, 0.5)
    return np.sum(np.abs(low) * high)


gradient = sg.grad(penalty, argnums=(0, 1))


def example(rng):
    return rng.normal(size=5), rng.normal(size=5)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import greater_part, kept_if, kept_unless, within


def penalty_grad(x, y):
    """Gradient of `penalty` (kinks.py:8) with respect to `x`, `y`.

    Taken for granted: x.ndim == 1; y.ndim == 1; y.shape == x.shape.
    """
    test = x > y
    low = np.where(test, x * y, x - y)
    high = np.maximum(x, y) + np.clip(x, -0.5, 0.5)

    # backward
    # L11: return np.sum(np.abs(low) * high)
    grad_high = np.abs(low)
    grad_low = high * np.sign(low)
    # L10: high = np.maximum(x, y) + np.clip(x, -0.5, 0.5)
    grad_x = kept_if(grad_high, within(x, -0.5, 0.5)) + greater_part(grad_high, x, y)
    grad_y = greater_part(grad_high, y, x)
    # L9: low = np.where(x > y, x * y, x - y)
    grad_x_minus_y = kept_unless(grad_low, test)
    grad_x += grad_x_minus_y + kept_if(grad_low * y, test)
    return grad_x, grad_y - grad_x_minus_y + kept_if(grad_low * x, test)
