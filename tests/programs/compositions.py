"""Programs that take derivatives themselves, and are differentiated."""

from __future__ import annotations

import functools

import numpy as np

import srcgrad as sg
from tests.programs.corpus import program

RATE = 0.7


def energy(x):
    return np.sum(np.sin(x) * x**2) * RATE


def cubic(a):
    return np.sin(a) * a**3


def weighted(w, x):
    return np.sum(np.tanh(w * x) ** 2)


def curve(x, a):
    return np.exp(-a * x) * x


@sg.grad
def slope(y):
    return np.sum(y**3 / 3.0)


@sg.value_and_grad(argnums=(0, 1))
def both(a, b):
    return np.sum(a * b**2)


@program("v")
def penalty_on_the_gradient(x):
    return np.sum(sg.grad(energy)(x) ** 2)


@program("v", "v")
def slope_along_a_direction(x, t):
    value, along = sg.jvp(energy, (x,), (t,))
    return value * along


@program("v")
def value_and_gradient_together(x):
    value, gradient = sg.value_and_grad(energy)(x)
    return value * np.sum(gradient)


@program("v", "v")
def pulled_back(x, w):
    values, pull = sg.vjp(weighted, w, x)
    by_w, by_x = pull(2.0)
    return np.sum(by_w * by_x) + values


@program("v")
def pulled_back_by_one(x):
    value, pull = sg.vjp(energy, x)
    return np.sum(pull(1.5)[0] ** 2) * value


@program("v")
def sum_of_a_hessian(x):
    return np.sum(sg.hessian(energy)(x) ** 2)


@program("v", "s")
def jacobian_of_a_lambda(x, a):
    return np.sum(sg.jacobian(lambda y: y * y * a)(x) ** 2)


@program("v")
def decorated_callee(x):
    return np.sum(np.sin(slope(x * x)))


@program("v", "v")
def decorated_callee_of_two(x, y):
    value, (by_a, by_b) = both(x, y)
    return value + np.sum(by_a * np.cos(by_b))


@program("v", "s")
def force_of_a_closure(x, a):
    def potential(q):
        return np.sum(a * q**2) + np.sum(x * q)

    force = sg.grad(potential)
    return np.sum(force(x) * force(2.0 * x))


@program("s")
def second_derivative(a):
    return sg.grad(sg.grad(cubic))(a)


@program("s")
def third_derivative(a):
    return a * sg.grad(sg.grad(sg.grad(cubic)))(a)


@program("s", "s")
def mixed_derivative(x, a):
    by_x = sg.grad(curve)
    return sg.grad(by_x, argnums=1)(x, a) * x


@program("v", "v")
def curvature_along_a_direction(x, v):
    return v @ sg.hvp(energy, (x,), (v,))


@program("v", "s")
def steps_of_descent(w, rate):
    x = np.linspace(0.2, 1.0, 4)
    for _ in range(3):
        w = w - rate * sg.grad(weighted)(w, x)
    return weighted(w, x)


@program("v")
def named_argument(x):
    return np.sum(sg.grad(weighted, argnames="x")(np.ones(4) * 0.3, x) ** 2)


@program("v")
def auxiliary_result(x):
    def loss(y):
        z = np.sin(y)
        return np.sum(z * y), z

    gradient, z = sg.grad(loss, has_aux=True)(x)
    return np.sum(gradient * z)


@program("v", "s")
def partial_function(x, a):
    scaled = functools.partial(weighted, a)
    return np.sum(sg.grad(lambda y: 2.0 * scaled(y))(x) ** 2)


@program("d")
def gradient_of_a_dict(p):
    def loss(q):
        return np.sum(np.tanh(q["w"] @ np.array([0.3, -0.2, 0.9]) + q["b"]) ** 2)

    step = sg.grad(loss)(p)
    return np.sum(step["w"] ** 2) + np.sum(step["b"] * p["b"])


@program("v")
def derivative_on_one_branch(x):
    if np.sum(x) > 100.0:
        return np.sum(x)
    gradient = sg.grad(energy)(x) if x.size > 2 else x
    return np.sum(gradient * x)


@program("v")
def newton_step(x):
    gradient = sg.grad(energy)(x)
    curvature = sg.hessian(energy)(x) + 20.0 * np.eye(4)
    return np.sum((x - np.linalg.solve(curvature, gradient)) ** 2)


@program("v")
def forward_in_forward(x):
    def along(y):
        return sg.jvp(energy, (y,), (np.ones(4),))[1]

    return sg.jvp(along, (x,), (np.arange(4.0),))[1]


class Spring:
    """A spring with a stiffness."""

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, q):
        """Return the energy of a displacement."""
        return 0.5 * self.stiffness * np.sum(q**2) + np.sum(q**4)


SPRING = Spring(1.7)


@program("v")
def gradient_of_a_method(q):
    return np.sum(sg.grad(SPRING.energy)(q) ** 2)


def product_of_a_pair(pair):
    match pair:
        case (a, b):
            y = a * b
        case _:
            y = pair[0]
    return np.sum(y * y)


@program("t")
def gradient_of_a_tuple(pair):
    by_a, by_b = sg.grad(product_of_a_pair)(pair)
    return np.sum(by_a * by_b)
