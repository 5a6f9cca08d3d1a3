"""The gradient of `helper` as one would write it by hand."""

import numpy as np


def normalized(x, eps=1e-5):
    mean = np.mean(x)
    scale = np.sqrt(np.mean((x - mean) ** 2) + eps)
    return (x - mean) / scale, scale


def normalized_back(out, scale, grad_out, grad_scale):
    grad_scale = grad_scale - np.sum(grad_out * out) / scale
    grad_centered = grad_out / scale + grad_scale * out / out.size
    return grad_centered - np.mean(grad_centered)


def gradient(x, y):
    a, scale = normalized(x)
    b, scale_b = normalized(y * scale)

    grad_a = b**2
    grad_b = 2 * a * b
    grad_scaled = normalized_back(b, scale_b, grad_b, 0.0)
    grad_y = grad_scaled * scale
    grad_scale = np.sum(grad_scaled * y)
    grad_x = normalized_back(a, scale, grad_a, grad_scale)
    return grad_x, grad_y
