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

from srcgrad.runtime import copied, expand_sum, share_among_ties, unbroadcast


def log_likelihood_grad(means, log_scales, weights, x):
    """Gradient of `log_likelihood` (mixture.py:8).

    With respect to `means`, `log_scales`, `weights`.
    """
    x_minus_means = x[:, None] - means
    exp_log_scales = np.exp(log_scales)
    z = x_minus_means / exp_log_scales
    difference = np.log(weights) - log_scales
    log_p = difference - 0.5 * z**2
    peak = np.max(log_p, axis=1)
    peak_part = peak[:, None]
    exp = np.exp(log_p - peak_part)
    sum_2 = np.sum(exp, axis=1)
    log = np.log(sum_2)

    # backward
    # L12: return np.sum(peak + np.log(np.sum(np.exp(log_p - peak[:, None]), axis=1)))
    grad_total = np.broadcast_to(1.0, np.shape(peak + log))
    grad_peak = unbroadcast(grad_total, peak)
    grad_log_p_minus_peak = expand_sum(
        unbroadcast(grad_total, log) / sum_2, np.shape(exp), 1, False
    ) * exp
    grad_log_p = unbroadcast(grad_log_p_minus_peak, log_p)
    grad_peak = copied(grad_peak)
    grad_peak[:, None] += unbroadcast(-grad_log_p_minus_peak, peak_part)
    # L11: peak = np.max(log_p, axis=1)
    grad_log_p = grad_log_p + share_among_ties(grad_peak, log_p, peak, 1)
    # L10: log_p = np.log(weights) - log_scales - 0.5 * z**2
    grad_difference = unbroadcast(grad_log_p, difference)
    grad_z = 2 * z * (unbroadcast(-grad_log_p, z) * 0.5)
    grad_log_scales = unbroadcast(-grad_difference, log_scales)
    grad_weights = unbroadcast(grad_difference, weights) / weights
    # L9: z = (x[:, None] - means) / np.exp(log_scales)
    grad_x_minus_means = unbroadcast(grad_z / exp_log_scales, x_minus_means)
    grad_log_scales += unbroadcast(-grad_z * z / exp_log_scales, log_scales) * exp_log_scales
    grad_means = unbroadcast(-grad_x_minus_means, means)
    return grad_means, grad_log_scales, grad_weights
