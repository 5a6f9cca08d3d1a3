"""A nested function that keeps state, and lambdas that read better in place."""

import numpy as np

import srcgrad as sg


def smoothed(x, keep):
    average = 0.0
    mix = lambda old, new: keep * old + (1 - keep) * new

    def feed(value):
        nonlocal average
        average = mix(average, value)

    for i in range(len(x)):
        feed(np.tanh(x[i]))
    return average**2


gradient = sg.grad(smoothed, argnums=(0, 1))


def example(rng):
    return rng.normal(size=5), 0.8


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def smoothed_grad(x, keep):
    """Gradient of `smoothed` (running_state.py:8) with respect to `x`, `keep`.

    Taken for granted: x.ndim == 1; keep is a number.
    """
    average = 0.0
    steps = []
    for i in range(len(x)):
        value_2 = np.tanh(x[i])
        steps.append((value_2, average))
        average = keep * average + (1 - keep) * value_2

    # backward
    # L18: return average**2
    grad_average = 2 * average
    # L16: for i in range(len(x)):
    grad_keep = 0.0
    grad_x = zeros_like(x)
    for i in reversed(range(len(x))):
        value_2, average = steps.pop()
        # L14: average = mix(average, value)
        grad_value_2 = grad_average * (1 - keep)
        grad_keep += grad_average * average - grad_average * value_2
        grad_average = grad_average * keep
        # L17: feed(np.tanh(x[i]))
        grad_x[i] = grad_value_2 * (1 - value_2 * value_2)
    return grad_x, grad_keep
