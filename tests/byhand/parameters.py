"""The gradient of `parameters` as one would write it by hand."""

import numpy as np


def gradient(x, v, stiffness, damping):
    mass = 2.0
    dt = 0.1 / np.sqrt(stiffness / mass)
    states = []
    for _ in range(5):
        force = -stiffness * x - damping * v
        states.append((x, v, force))
        v = v + dt * force / mass
        x = x + dt * v

    grad_x = 2 * x
    grad_v = np.zeros_like(x)
    grad_dt = 0.0
    grad_stiffness = 0.0
    grad_damping = 0.0
    for x, v_old, force in reversed(states):
        v = v_old + dt * force / mass
        grad_dt += np.sum(grad_x * v)
        grad_v = grad_v + dt * grad_x
        grad_dt += np.sum(grad_v * force) / mass
        grad_force = dt / mass * grad_v
        grad_stiffness -= np.sum(grad_force * x)
        grad_damping -= np.sum(grad_force * v_old)
        grad_x = grad_x - stiffness * grad_force
        grad_v = grad_v - damping * grad_force
    grad_stiffness -= grad_dt * 0.5 * dt / stiffness
    return grad_stiffness, grad_damping
