"""A helper with two results, called twice."""

import numpy as np

import srcgrad as sg


def normalized(x, eps=1e-5):
    mean = np.mean(x)
    scale = np.sqrt(np.mean((x - mean) ** 2) + eps)
    return (x - mean) / scale, scale


def loss(x, y):
    a, scale = normalized(x)
    b, _ = normalized(y * scale)
    return np.sum(a * b**2)


gradient = sg.grad(loss, argnums=(0, 1))


def example(rng):
    return rng.normal(size=4), rng.normal(size=4)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def normalized_forward(x, eps):
    """Run `normalized` and keep what `normalized_backward` reads."""
    mean = np.mean(x)
    x_minus_mean = x - mean
    scale = np.sqrt(np.mean(x_minus_mean**2) + eps)
    out_1 = x_minus_mean / scale
    return (out_1, scale), (scale, out_1, x_minus_mean, x)


def normalized_backward(saved, grad_out_1, grad_out_2):
    """Return the gradients of `normalized` with respect to `x`."""
    scale, out_1, x_minus_mean, x = saved
    # L11: return (x - mean) / scale, scale
    grad_numerator = grad_out_1 / scale
    grad_scale = grad_out_2 - grad_numerator @ out_1
    # L10: scale = np.sqrt(np.mean((x - mean) ** 2) + eps)
    grad_x_minus_mean = grad_numerator + x_minus_mean * (grad_scale / scale / np.size(x))
    grad_mean = -grad_x_minus_mean.sum()
    # L9: mean = np.mean(x)
    return grad_x_minus_mean + grad_mean / np.size(x)


def loss_grad(x, y):
    """Gradient of `loss` (helper.py:14) with respect to `x`, `y`.

    Taken for granted: x.ndim == 1; y.ndim == 1; y.shape == x.shape.
    """
    (a, scale), saved = normalized_forward(x, 1e-05)
    (b, _), saved_2 = normalized_forward(y * scale, 1e-05)

    # backward
    # L17: return np.sum(a * b**2)
    grad_b = 2.0 * b * a
    # L16: b, _ = normalized(y * scale)
    grad_y_times_scale = normalized_backward(saved_2, grad_b, zeros_like(_))
    grad_scale = grad_y_times_scale @ y
    # L15: a, scale = normalized(x)
    grad_x = normalized_backward(saved, b**2, grad_scale)
    # L16: b, _ = normalized(y * scale)
    return grad_x, grad_y_times_scale * scale
