"""The gradient of `states_in_a_list` as one would write it by hand."""

import numpy as np


def gradient(x, rate):
    states = [x]
    for _ in range(10):
        states.append(states[-1] - rate * np.sin(states[-1]))

    grad_x = 2 * states[-1]
    grad_rate = 0.0
    for state in reversed(states[:-1]):
        grad_rate -= np.sum(grad_x * np.sin(state))
        grad_x = grad_x * (1 - rate * np.cos(state)) + 2 * state
    return grad_x, grad_rate
