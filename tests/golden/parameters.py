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


def frequency_forward(spring_mass, spring_stiffness):
    """Run `frequency` and keep what `frequency_backward` reads."""
    out = np.sqrt(spring_stiffness / spring_mass)
    return out, (out, spring_mass)


def frequency_backward(saved, grad_out):
    """Return the gradients of `frequency` with respect to `spring_stiffness`."""
    out, spring_mass = saved
    # L18: return np.sqrt(self.stiffness / self.mass)
    return 0.5 * grad_out / out / spring_mass


def force_forward(x, v, spring_stiffness, spring_damping):
    """Run `force` and keep what `force_backward` reads."""
    value = -spring_stiffness
    return value * x - spring_damping * v, (spring_damping, value, x, v)


def force_backward(saved, grad_out):
    """Return the gradients of `force`.

    With respect to `x`, `v`, `spring_stiffness`, `spring_damping`.
    """
    spring_damping, value, x, v = saved
    # L21: return -self.stiffness * x - self.damping * v
    grad_product_2 = -grad_out
    grad_v = grad_product_2 * spring_damping
    return grad_out * value, grad_v, -(grad_out * x).sum(), (grad_product_2 * v).sum()


def displacement_grad(x, v, stiffness, damping):
    """Gradient of `displacement` (parameters.py:24) with respect to `stiffness`, `damping`.

    Taken for granted: x.ndim == 1; v.ndim == 1; stiffness is a number; damping is a number;
    v.shape == x.shape.
    """
    spring_mass = 2.0
    spring_stiffness = stiffness
    spring_damping = damping
    value, saved = frequency_forward(spring_mass, spring_stiffness)
    dt = 0.1 / value
    steps = []
    for _ in range(5):
        force_x, saved_2 = force_forward(x, v, spring_stiffness, spring_damping)
        v = v + dt * force_x / spring_mass
        steps.append((force_x, saved_2, v))
        x = x + dt * v

    # backward
    # L30: return np.sum(x**2)
    grad_x = 2 * x
    # L27: for _ in range(5):
    grad_dt = 0.0
    grad_spring_damping = 0.0
    grad_spring_stiffness = 0.0
    grad_v = zeros_like(v)
    for force_x, saved_2, v in reversed(steps):
        # L29: x = x + dt * v
        grad_dt += (grad_x * v).sum()
        grad_v = grad_v + grad_x * dt
        # L28: v = v + dt * spring.force(x, v) / spring.mass
        grad_product = grad_v / spring_mass
        grad_dt += (grad_product * force_x).sum()
        grad_x_2, grad_v_2, grad_spring_stiffness_2, grad_spring_damping_2 = force_backward(
            saved_2, grad_product * dt
        )
        grad_x = grad_x + grad_x_2
        grad_v = grad_v + grad_v_2
        grad_spring_stiffness += grad_spring_stiffness_2
        grad_spring_damping += grad_spring_damping_2
    # L26: dt = 0.1 / spring.frequency
    grad_spring_stiffness += frequency_backward(saved, -grad_dt * dt / value)
    return grad_spring_stiffness, grad_spring_damping
