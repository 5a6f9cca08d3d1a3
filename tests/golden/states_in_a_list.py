"""A time series that is kept in a list."""

import numpy as np

import srcgrad as sg


def loss(x, rate):
    states = [x]
    for _ in range(10):
        states.append(states[-1] - rate * np.sin(states[-1]))
    return np.sum(np.stack(states) ** 2)


gradient = sg.grad(loss, (0, 1))


def example(rng):
    return rng.normal(size=3), 0.1


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import copied, gathered, unstack_like


def loss_grad(x, rate):
    """Gradient of `loss` (states_in_a_list.py:8) with respect to `x`, `rate`.

    Taken for granted: x.ndim == 1; rate is a number.
    """
    states = [x]
    steps = []
    for _ in range(10):
        states_part_2 = states[-1]
        sin_states = np.sin(states_part_2)
        steps.append((states_part_2, sin_states))
        states.append(states[-1] - rate * sin_states)

    # backward
    # L12: return np.sum(np.stack(states) ** 2)
    grad_states = gathered(unstack_like(2 * np.stack(states), 0), states)
    # L10: for _ in range(10):
    grad_rate = 0.0
    for states_part_2, sin_states in reversed(steps):
        # L11: states.append(states[-1] - rate * np.sin(states[-1]))
        grad_difference = grad_states.pop()
        grad_rate -= np.sum(grad_difference * sin_states)
        grad_states[-1] += grad_difference - grad_difference * rate * np.cos(states_part_2)
    # L9: states = [x]
    return copied(grad_states[0]), grad_rate
