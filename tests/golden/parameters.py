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

from srcgrad.runtime import accumulate, unbroadcast, zeros_like


def frequency_forward(spring_mass, spring_stiffness):
    """Run `frequency` and keep what `frequency_backward` reads."""
    out = np.sqrt(spring_stiffness / spring_mass)
    return out, (out, spring_mass)


def frequency_backward(saved, grad_out):
    """Return the gradients of `frequency` with respect to `spring_stiffness`."""
    out, spring_mass = saved
    # L18: return np.sqrt(self.stiffness / self.mass)
    grad_spring_stiffness = 0.5 * grad_out / out / spring_mass
    return grad_spring_stiffness


def force_forward(x, v, spring_stiffness, spring_damping):
    """Run `force` and keep what `force_backward` reads."""
    value = -spring_stiffness
    product = value * x
    product_2 = spring_damping * v
    return product - product_2, (product, product_2, v, spring_damping, value, x, spring_stiffness)


def force_backward(saved, grad_out):
    """Return the gradients of `force`.

    With respect to `x`, `v`, `spring_stiffness`, `spring_damping`.
    """
    product, product_2, v, spring_damping, value, x, spring_stiffness = saved
    # L21: return -self.stiffness * x - self.damping * v
    grad_product = unbroadcast(grad_out, product)
    grad_product_2 = unbroadcast(-grad_out, product_2)
    grad_spring_damping = unbroadcast(grad_product_2 * v, spring_damping)
    grad_v = unbroadcast(grad_product_2 * spring_damping, v)
    grad_x = unbroadcast(grad_product * value, x)
    grad_spring_stiffness = -unbroadcast(grad_product * x, spring_stiffness)
    return grad_x, grad_v, grad_spring_stiffness, grad_spring_damping


def displacement_grad(x, v, stiffness, damping):
    """Gradient of `displacement` (parameters.py:24) with respect to `stiffness`, `damping`."""
    spring_mass = 2.0
    spring_stiffness = stiffness
    spring_damping = damping
    value, saved = frequency_forward(spring_mass, spring_stiffness)
    dt = 0.1 / value
    steps = []
    for _ in range(5):
        force_x, saved_2 = force_forward(x, v, spring_stiffness, spring_damping)
        ratio = dt * force_x / spring_mass
        v_2 = v + ratio
        dt_times_v = dt * v_2
        x_2 = x + dt_times_v
        steps.append((force_x, saved_2, ratio, v_2, dt_times_v, v, x))
        v = v_2
        x = x_2

    # backward
    # L30: return np.sum(x**2)
    grad_x = 2 * x
    # L27: for _ in range(5):
    grad_dt = zeros_like(dt)
    grad_spring_damping = zeros_like(spring_damping)
    grad_spring_stiffness = zeros_like(spring_stiffness)
    grad_v = zeros_like(v)
    for _ in reversed(range(5)):
        force_x, saved_2, ratio, v_2, dt_times_v, v, x = steps.pop()
        # L29: x = x + dt * v
        grad_x_2 = grad_x
        grad_x = unbroadcast(grad_x_2, x)
        grad_dt_times_v = unbroadcast(grad_x_2, dt_times_v)
        grad_dt += unbroadcast(grad_dt_times_v * v_2, dt)
        grad_v_2 = grad_v + grad_dt_times_v * dt
        # L28: v = v + dt * spring.force(x, v) / spring.mass
        grad_v = unbroadcast(grad_v_2, v)
        grad_product = unbroadcast(grad_v_2, ratio) / spring_mass
        grad_dt += unbroadcast(grad_product * force_x, dt)
        grad_x_2, grad_v_2, grad_spring_stiffness_2, grad_spring_damping_2 = force_backward(
            saved_2, unbroadcast(grad_product * dt, force_x)
        )
        grad_x = grad_x + grad_x_2
        grad_v = grad_v + grad_v_2
        grad_spring_stiffness = accumulate(grad_spring_stiffness, grad_spring_stiffness_2)
        grad_spring_damping = accumulate(grad_spring_damping, grad_spring_damping_2)
    # L26: dt = 0.1 / spring.frequency
    grad_value = -grad_dt * dt / value
    grad_spring_stiffness = accumulate(grad_spring_stiffness, frequency_backward(saved, grad_value))
    return grad_spring_stiffness, grad_spring_damping
