"""The gradient of `kinks` as one would write it by hand."""

import numpy as np


def gradient(x, y):
    low = np.where(x > y, x * y, x - y)
    high = np.maximum(x, y) + np.clip(x, -0.5, 0.5)

    grad_low = np.sign(low) * high
    grad_high = np.abs(low)
    x_leads = np.where(x == y, 0.5, x > y)
    inside = (x >= -0.5) & (x <= 0.5)
    grad_x = grad_low * np.where(x > y, y, 1) + grad_high * (x_leads + inside)
    grad_y = grad_low * np.where(x > y, x, -1) + grad_high * (1 - x_leads)
    return grad_x, grad_y
