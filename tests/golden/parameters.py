"""A dataclass of parameters with a property and a method."""

from dataclasses import dataclass

import numpy as np

import srcgrad as sg


@dataclass
class Oscillator:
    mass: float
    stiffness: float
    damping: float = 0.1

    @property
    def frequency(self):
        return np.sqrt(self.stiffness / self.mass)

    def force(self, x, v):
        return -self.stiffness * x - self.damping * v


def displacement(x, v, stiffness, damping):
    spring = Oscillator(2.0, stiffness, damping=damping)
    dt = 0.1 / spring.frequency
    for _ in range(5):
        v = v + dt * spring.force(x, v) / spring.mass
        x = x + dt * v
    return np.sum(x**2)


gradient = sg.grad(displacement, argnums=(2, 3))


def example(rng):
    return rng.normal(size=3), rng.normal(size=3), 3.0, 0.2


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def displacement_grad(x, v, stiffness, damping):
    """Gradient of `displacement` (parameters.py:24) with respect to `stiffness`, `damping`.

    Taken for granted: x.ndim == 1; v.ndim == 1; stiffness is a number; damping is a number;
    v.shape == x.shape.
    """
    spring_mass = 2.0
    spring_stiffness = stiffness
    spring_damping = damping
    sqrt = np.sqrt(spring_stiffness / spring_mass)
    dt = 0.1 / sqrt
    steps = []
    for _ in range(5):
        difference = -spring_stiffness * x - spring_damping * v
        v_2 = v + dt * difference / spring_mass
        steps.append((difference, v_2, v, x))
        x = x + dt * v_2
        v = v_2

    # backward
    # L30: return np.sum(x**2)
    grad_x = 2.0 * x
    # L27: for _ in range(5):
    grad_dt = 0.0
    grad_spring_damping = 0.0
    grad_spring_stiffness = 0.0
    grad_v = zeros_like(v)
    for difference, v_2, v, x in reversed(steps):
        # L29: x = x + dt * v
        grad_v = grad_v + grad_x * dt
        # L28: v = v + dt * spring.force(x, v) / spring.mass
        grad_product = grad_v / spring_mass
        grad_dt += grad_x @ v_2 + grad_product @ difference
        grad_difference = grad_product * dt
        grad_spring_damping -= grad_difference @ v
        grad_v = grad_v - grad_difference * spring_damping
        grad_x = grad_x + grad_difference * -spring_stiffness
        grad_spring_stiffness -= grad_difference @ x
    # L26: dt = 0.1 / spring.frequency
    grad_spring_stiffness -= 0.5 * (grad_dt / sqrt * dt) / sqrt / spring_mass
    return grad_spring_stiffness, grad_spring_damping
