"""The gradient of `kalman` as one would write it by hand."""

import numpy as np


def gradient(q, r, series):
    mean, variance = 0.0, 1.0
    states = []
    for value in series:
        prior = variance + q
        surprise = value - mean
        scale = prior + r
        gain = prior / scale
        states.append((prior, surprise, scale, gain))
        mean = mean + gain * surprise
        variance = (1 - gain) * prior

    grad_q = 0.0
    grad_r = 0.0
    grad_mean = 0.0
    grad_variance = 0.0
    for prior, surprise, scale, gain in reversed(states):
        grad_gain = grad_mean * surprise - grad_variance * prior
        grad_prior = grad_variance * (1 - gain) + grad_gain / scale
        grad_surprise = grad_mean * gain - surprise / scale
        grad_scale = 0.5 * (surprise**2 / scale - 1) / scale - grad_gain * gain / scale
        grad_r += grad_scale
        grad_mean -= grad_surprise
        grad_variance = grad_prior + grad_scale
        grad_q += grad_variance
    return grad_q, grad_r
