"""The log-likelihood of a scalar series under a Kalman filter."""

import math

import numpy as np

import srcgrad as sg


def log_likelihood(q, r, series):
    mean, variance = 0.0, 1.0
    total = 0.0
    for value in series:
        variance = variance + q
        surprise = value - mean
        scale = variance + r
        total -= 0.5 * (math.log(scale) + surprise**2 / scale)
        gain = variance / scale
        mean = mean + gain * surprise
        variance = (1 - gain) * variance
    return total


gradient = sg.grad(log_likelihood, argnums=(0, 1))


def example(rng):
    return 0.3, 0.5, rng.normal(size=5)


# ---------------------------------------- the derivative ----------------------------------------

def log_likelihood_grad(q, r, series):
    """Gradient of `log_likelihood` (kalman.py:10) with respect to `q`, `r`.

    Taken for granted: q is a number; r is a number; series.ndim == 1.
    """
    mean = 0.0
    variance = 1.0
    steps = []
    for value in series:
        variance = variance + q
        surprise = value - mean
        scale = variance + r
        gain = variance / scale
        steps.append((variance, surprise, scale, gain))
        mean = mean + gain * surprise
        variance = (1 - gain) * variance

    # backward
    # L13: for value in series:
    grad_q = 0.0
    grad_r = 0.0
    grad_mean = 0.0
    grad_variance = 0.0
    for variance, surprise, scale, gain in reversed(steps):
        # L20: variance = (1 - gain) * variance
        # L19: mean = mean + gain * surprise
        grad_gain = grad_mean * surprise - grad_variance * variance
        # L18: gain = variance / scale
        grad_numerator = grad_gain / scale
        # L17: total -= 0.5 * (math.log(scale) + surprise**2 / scale)
        grad_numerator_2 = -0.5 / scale
        grad_scale = -grad_numerator * gain - grad_numerator_2 * (surprise**2 / scale)
        grad_surprise = grad_mean * gain + 2 * surprise * grad_numerator_2
        grad_scale -= 0.5 / scale
        # L16: scale = variance + r
        grad_variance = grad_variance * (1 - gain) + grad_numerator + grad_scale
        grad_r += grad_scale
        # L15: surprise = value - mean
        grad_mean = grad_mean - grad_surprise
        # L14: variance = variance + q
        grad_q += grad_variance
    return grad_q, grad_r
