"""The log-likelihood of a mixture of Gaussians."""

import numpy as np

import srcgrad as sg


def log_likelihood(means, log_scales, weights, x):
    z = (x[:, None] - means) / np.exp(log_scales)
    log_p = np.log(weights) - log_scales - 0.5 * z**2
    peak = np.max(log_p, axis=1)
    return np.sum(peak + np.log(np.sum(np.exp(log_p - peak[:, None]), axis=1)))


gradient = sg.grad(log_likelihood, argnums=(0, 1, 2))


def example(rng):
    weights = np.array([0.2, 0.5, 0.3])
    return rng.normal(size=3), rng.normal(size=3), weights, rng.normal(size=5)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def log_likelihood_grad(means, log_scales, weights, x):
    """Gradient of `log_likelihood` (mixture.py:8).

    With respect to `means`, `log_scales`, `weights`.

    Taken for granted: means.ndim == 1; log_scales.ndim == 1; weights.ndim == 1; x.ndim == 1;
    log_scales.shape == means.shape; means.shape == weights.shape.
    """
    exp_log_scales = np.exp(log_scales)
    z = (x[:, None] - means) / exp_log_scales
    log_p = np.log(weights) - log_scales - 0.5 * z**2
    peak = np.max(log_p, axis=1)
    exp = np.exp(log_p - peak[:, None])

    # backward
    # L12: return np.sum(peak + np.log(np.sum(np.exp(log_p - peak[:, None]), axis=1)))
    grad_sum_2 = 1.0 / np.sum(exp, axis=1)
    grad_log_p_minus_peak = grad_sum_2[:, None] * exp
    # L10: log_p = np.log(weights) - log_scales - 0.5 * z**2
    grad_difference = grad_log_p_minus_peak.sum(axis=0)
    # L9: z = (x[:, None] - means) / np.exp(log_scales)
    grad_numerator = z * -grad_log_p_minus_peak / exp_log_scales
    return (
        -grad_numerator.sum(axis=0),
        -grad_difference - (grad_numerator * z).sum(axis=0) * exp_log_scales,
        grad_difference / weights,
    )
