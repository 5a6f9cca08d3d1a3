"""Derivatives that a program takes itself, in each way to name them."""

from __future__ import annotations

from functools import partial

import numpy as np

import srcgrad as sg
from tests.programs.corpus import program


def inner(a, b):
    return np.sum(a * a * b)


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, w):
        return np.sum(w**3) * self.k

    @sg.grad
    def slope(self, w):
        return np.sum(w**2) * self.k


@program("v")
def grad_argnums(x):
    g = sg.grad(inner, argnums=(0, 1))
    a, b = g(x, x * 2)
    return np.sum(a * b)


@program("v")
def grad_negative(x):
    return np.sum(sg.grad(inner, argnums=-1)(x, x * 2) * x)


@program("v")
def grad_names(x):
    return np.sum(sg.grad(inner, argnames="b")(x, x * 2) * x)


@program("v")
def grad_two_names(x):
    a, b = sg.grad(inner, argnames=("a", "b"))(x, x * 2)
    return np.sum(a * b)


@program("v")
def grad_partial(x):
    return np.sum(sg.grad(partial(inner, b=x * 2))(x) * x)


@program("v")
def grad_partial_first(x):
    return np.sum(sg.grad(partial(inner, x * 2))(x) * x)


@program("v")
def grad_method(x):
    m = Model(2.0)
    return np.sum(sg.grad(m.loss)(x) * x)


@program("v")
def jac_of_grad(x):
    return np.sum(sg.jacfwd(sg.grad(lambda a: np.sum(a**3)))(x))


@program("v")
def jac_rev(x):
    return np.sum(sg.jacrev(lambda a: a**2 * a[0])(x) ** 2)


@program("v")
def hess(x):
    return np.sum(sg.hessian(lambda a: np.sum(a**3) * a[0])(x))


@program("v")
def hess_of_two(x):
    return np.sum(sg.hessian(inner, argnums=0)(x, x))


@program("v")
def vjp_in(x):
    out, pull = sg.vjp(inner, x, x * 2)
    a, b = pull(1.0)
    return out * np.sum(a * b)


@program("v")
def vjp_one_constant(x):
    c = np.ones(4)
    _out, pull = sg.vjp(lambda a, k, b: a * b * k, x, c, x * 2)
    g = pull(x)
    return np.sum(g[0] * g[2])


@program("v")
def jvp_in(x):
    out, t = sg.jvp(inner, (x, x * 2), (x, np.ones(4)))
    return out * t


@program("v")
def jvp_names(x):
    out, t = sg.jvp(inner, primals=[x, x * 2], tangents=[x, np.ones(4)])
    return out * t


@program("v")
def hvp_in(x):
    h = sg.hvp(lambda a: np.sum(a**3), (x,), (x * 2,))
    return np.sum(h * x)


@program("v")
def vag(x):
    v, g = sg.value_and_grad(lambda a: np.sum(np.sin(a) * a))(x)
    return v * np.sum(g)


@program("v")
def aux(x):
    g, a = sg.grad(lambda w: (np.sum(w**2), w * 3), has_aux=True)(x)
    return np.sum(g * a)


@program("v")
def grad_of_grad(x):
    return np.sum(sg.grad(lambda a: np.sum(sg.grad(lambda b: np.sum(b**4))(a)))(x))


SLOPE = sg.grad(inner)


@program("v")
def grad_outside(x):
    return np.sum(SLOPE(x, x) * x)


@program("v")
def grad_of_outside(x):
    return np.sum(sg.grad(lambda a: np.sum(SLOPE(a, a)))(x))


@program("v")
def grad_keyword(x):
    return np.sum(sg.grad(f=inner)(x, b=x))


def kwonly(a, *, b=2.0):
    return np.sum(a**2) * b


@program("v")
def grad_kwonly(x):
    return np.sum(sg.grad(kwonly)(x, b=x[0]))


# -- inner functions that change the containers that they are given, read afterwards


def swapped(parts):
    parts[0], parts[1] = parts[1], parts[0]
    return parts[0] * parts[1] ** 2


def swapped_sum(parts):
    return np.sum(swapped(parts))


def doubled_entry(parts):
    parts["a"] = parts["a"] * 2.0
    return np.sum(parts["a"] ** 3)


def appended(parts):
    parts.append(parts[1] * 2.0)
    return np.sum(parts[0] * parts[2] ** 2)


def doubled_field(model):
    model.k = model.k * 2.0
    return np.sum(model.k**3)


def moved_within(tree):
    tree["a"], tree["in"]["b"] = tree["in"]["b"] * 2, tree["a"]
    return np.sum(tree["a"] * tree["in"]["b"] ** 2)


@program("v", by="tape")
def grad_swaps_its_list(x):
    parts = [x * 1.0, x * 2.0]
    g = sg.grad(swapped_sum, fallback="tape")(parts)
    return np.sum(parts[0] * 3 + parts[1] * g[0])


@program("v", by="tape")
def grad_binds_an_entry(x):
    parts = {"a": x * 1.0}
    g = sg.grad(doubled_entry, fallback="tape")(parts)
    return np.sum(parts["a"] * g["a"])


@program("v", by="tape")
def grad_appends(x):
    parts = [x * 1.0, x * 2.0]
    g = sg.grad(appended, fallback="tape")(parts)
    return np.sum(parts[2] * 3 + parts[1] * g[0])


@program("v", by="tape")
def grad_binds_a_field(x):
    model = Model(x * 1.0)
    g = sg.grad(doubled_field, fallback="tape")(model)
    return np.sum(model.k * g.k)


@program("v", by="tape")
def grad_moves_nested(x):
    tree = {"a": x * 1.0, "in": {"b": x * 3}}
    g = sg.grad(moved_within, fallback="tape")(tree)
    return np.sum(tree["a"] * 3 + tree["in"]["b"] * g["in"]["b"])


@program("v", by="tape")
def vjp_swaps_its_list(x):
    parts = [x * 1.0, x * 2.0]
    v, pull = sg.vjp(swapped, parts, fallback="tape")
    (g,) = pull(x * 3)
    return np.sum(parts[0] * 3 + parts[1] * g[1] + v)


@program("v", by="tape")
def jvp_swaps_its_list(x):
    parts = [x * 1.0, x * 2.0]
    v, t = sg.jvp(swapped, (parts,), ([x * x, x],))
    return np.sum(parts[0] * 3 + parts[1] * t + v)


class Slopes:
    """Derivatives that stand in a class, of functions and of each other."""

    def __init__(self, k):
        self.k = k

    def loss(self, w):
        return np.sum(w**3) * self.k

    slope = sg.grad(loss)
    both = sg.value_and_grad(loss)
    curvature = sg.jacfwd(sg.grad(loss))


@program("v")
def grad_in_a_class(x):
    return np.sum(Slopes(2.0).slope(x) * x)


@program("v")
def value_and_grad_in_a_class(x):
    v, g = Slopes(x[0]).both(x)
    return v * np.sum(g * x)


@program("v")
def grad_of_grad_in_a_class(x):
    return np.sum(Slopes(2.0).curvature(x) * x)


@program("v")
def jvp_by_names(x):
    out, t = sg.jvp(inner, primals=(x, x * 2), tangents=(x**2, x))
    return out * t


@program("v")
def jvp_of_one(x):
    return np.prod(sg.jvp(inner, (x, x * 2), (None, x**2)))


@program("v")
def hvp_of_one(x):
    return np.sum(sg.hvp(inner, (x, x * 2), (x**2, None)) * x)


@program("v")
def jacobian_by_name(x):
    return np.sum(sg.jacrev(inner_vector, argnames="b")(x, x * 2) ** 2)


def inner_vector(a, b):
    return a * b[0] + np.sum(b**2)


@program("v")
def hessian_by_the_second(x):
    return np.sum(sg.hessian(inner_squares, argnums=1)(x, x * 2) * x)


def inner_squares(a, b):
    return np.sum(a * b**2)


@program("v")
def grad_with_fallback(x):
    return np.sum(sg.grad(inner, 1, fallback="error")(x, x * 2) * x)


@program("v")
def vjp_applied_to_both(x):
    _, pull = sg.vjp(inner_vector, x, x * 2)
    a, b = pull(x**2)
    return np.sum(a * b)


@program("v")
def vjp_of_the_second(x):
    _, pull = sg.vjp(inner_vector, 2.0, x)
    _, b = pull(x[1] ** 2)
    return np.sum(b * x)


@program("v")
def aux_beside_the_value(x):
    (v, extra), g = sg.value_and_grad(with_aux, has_aux=True)(x)
    return v * np.sum(g * extra)


def with_aux(a):
    return np.sum(a**3), a * 2


@program("v")
def grad_of_jvp(x):
    def slope(a):
        return sg.jvp(inner_vector, (a, a * 2), (a, None))[1]

    return np.sum(sg.grad(lambda a: np.sum(slope(a)))(x))


@program("v")
def newton_by_an_own_hessian(x):
    def objective(a):
        return np.sum(np.cosh(a)) + a[0] * a[1]

    y = x
    for _ in range(2):
        y = y - 0.1 * np.linalg.solve(sg.hessian(objective)(y), sg.grad(objective)(y))
    return objective(y)


@program("v")
def steps_of_gradient_descent(x):
    step = sg.grad(lambda a, b: np.sum((a - b) ** 4))
    y = x * 0.5
    for _ in range(3):
        y = y - 0.05 * step(y, x)
    return np.sum(y**2)


@program("v", by="tape")
def grad_by_a_partial_in_a_list(x):
    slopes = [sg.grad(partial(inner, b=x * k)) for k in (1.0, 2.0)]
    return np.sum(slopes[0](x) * slopes[1](x))
