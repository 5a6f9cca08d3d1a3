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

import math

from srcgrad.runtime import scalar_seed, unbroadcast, zeros_like


def log_likelihood_grad(q, r, series):
    """Gradient of `log_likelihood` (kalman.py:10) with respect to `q`, `r`."""
    mean = 0.0
    variance = 1.0
    total = 0.0
    steps = []
    for value in series:
        variance_2 = variance + q
        surprise = value - mean
        scale = variance_2 + r
        log_scale = math.log(scale)
        surprise_squared = surprise**2
        ratio = surprise_squared / scale
        product = 0.5 * (log_scale + ratio)
        total_3 = total - product
        gain = variance_2 / scale
        mean_2 = mean + gain * surprise
        difference = 1 - gain
        variance_3 = difference * variance_2
        steps.append(
            (
                variance_2,
                surprise,
                scale,
                log_scale,
                surprise_squared,
                ratio,
                product,
                gain,
                difference,
                variance,
                total,
                mean,
            ),
        )
        variance = variance_3
        total = total_3
        mean = mean_2

    # backward
    # L13: for value in series:
    grad_q = zeros_like(q)
    grad_r = zeros_like(r)
    grad_total = scalar_seed(total)
    grad_mean = zeros_like(mean)
    grad_variance = zeros_like(variance)
    for variance_2, surprise, scale, log_scale, surprise_squared, ratio, product, gain, difference, variance, total, mean in (
        reversed(steps)
    ):
        # L20: variance = (1 - gain) * variance
        grad_variance_2 = unbroadcast(grad_variance * difference, variance_2)
        grad_gain = -(grad_variance * variance_2)
        # L19: mean = mean + gain * surprise
        grad_mean_2 = grad_mean
        grad_mean = unbroadcast(grad_mean_2, mean)
        grad_gain += unbroadcast(grad_mean_2 * surprise, gain)
        grad_surprise = unbroadcast(grad_mean_2 * gain, surprise)
        # L18: gain = variance / scale
        grad_variance_2 = grad_variance_2 + unbroadcast(grad_gain / scale, variance_2)
        grad_scale = -grad_gain * gain / scale
        # L17: total -= 0.5 * (math.log(scale) + surprise**2 / scale)
        grad_total_3 = grad_total
        grad_total = unbroadcast(grad_total_3, total)
        grad_total_2 = unbroadcast(-grad_total_3, product) * 0.5
        grad_surprise_squared = unbroadcast(grad_total_2 / scale, surprise_squared)
        grad_scale += unbroadcast(-grad_total_2 * ratio / scale, scale)
        grad_surprise = grad_surprise + 2 * surprise * grad_surprise_squared
        grad_scale += unbroadcast(grad_total_2, log_scale) / (scale * math.log(math.e))
        # L16: scale = variance + r
        grad_variance_2 += unbroadcast(grad_scale, variance_2)
        grad_r += unbroadcast(grad_scale, r)
        # L15: surprise = value - mean
        grad_mean = grad_mean + unbroadcast(-grad_surprise, mean)
        # L14: variance = variance + q
        grad_variance = unbroadcast(grad_variance_2, variance)
        grad_q += unbroadcast(grad_variance_2, q)
    return grad_q, grad_r
