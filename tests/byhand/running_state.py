"""The gradient of `running_state` as one would write it by hand."""

import numpy as np


def gradient(x, keep):
    average = 0.0
    averages = []
    for value in np.tanh(x):
        averages.append(average)
        average = keep * average + (1 - keep) * value

    grad_x = np.zeros_like(x)
    grad_keep = 0.0
    grad_average = 2 * average
    for i in reversed(range(len(x))):
        value = np.tanh(x[i])
        grad_keep += grad_average * (averages[i] - value)
        grad_x[i] = grad_average * (1 - keep) * (1 - value**2)
        grad_average = grad_average * keep
    return grad_x, grad_keep
