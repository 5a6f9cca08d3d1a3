"""Tests derivatives of Jacobians and Hessians, by source and on the tape."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])


def number(a):
    return np.sum(a**4) * a[0]


def vector(a):
    return a**3 * a[1]


def table(p):
    return {"u": p["a"] ** 2 * p["b"], "v": np.sum(p["a"]) * p["b"] ** 3}


def pair(x):
    return x**2 * x[0], np.sum(x) ** 3


def two(a, b):
    return np.sum(a**3) * b**2


def cube(a):
    return a**3


SCOPE: dict = {"np": np}
exec(
    "def number(a): return np.sum(a**4) * a[0]\n"
    "def vector(a): return a**3 * a[1]\n"
    "def two(a, b): return np.sum(a**3) * b**2\n"
    "def cube(a): return a**3\n",
    SCOPE,
)
OF_SCALARS = [
    lambda f, x: sg.jacfwd(sg.hessian(f))(x),
    lambda f, x: sg.jacrev(sg.jacrev(f))(x),
    lambda f, x: sg.jacobian(sg.jacobian(sg.hessian(f)))(x),
    lambda f, x: sg.vjp(sg.hessian(f), x)[1](np.ones((3, 3)))[0],
    lambda f, x: sg.jvp(sg.hessian(f), (x,), (x * 0.5,))[1],
    lambda f, x: sg.grad(lambda y: np.sum(sg.hessian(f)(y) * y))(x),
]
OF_VECTORS = [
    lambda f, x: sg.jacrev(sg.jacfwd(f))(x),
    lambda f, x: sg.jvp(sg.jacobian(f), (x,), (x * 0.5,))[1],
]
CASES = [("number", take, (X,)) for take in OF_SCALARS]
CASES += [("vector", take, (X,)) for take in OF_VECTORS]
CASES += [
    ("two", lambda f, *args: sg.jacobian(sg.jacfwd(f, argnums=1), argnums=0)(*args), (X, 2.0)),
    ("two", lambda f, *args: sg.jacobian(sg.jacfwd(f, argnums=0), argnums=1)(*args), (X, 2.0)),
    ("two", lambda f, *args: sg.jacobian(sg.grad(f, argnums=0), argnums=1)(*args), (X, 2.0)),
    ("cube", lambda f, x: sg.grad(sg.jacfwd(f))(x), (2.0,)),
]


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize(("name", "take", "args"), CASES)
def test_the_tape_gives_what_the_text_gives(name, take, args):
    by_source, on_tape = take(globals()[name], *args), take(SCOPE[name], *args)
    assert np.shape(on_tape) == np.shape(by_source)
    np.testing.assert_allclose(on_tape, by_source, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_jacobians_in_containers_are_differentiated_on_the_tape():
    found = sg.jacobian(sg.jacobian(table))({"a": X, "b": 2.0})
    np.testing.assert_allclose(found["u"]["a"]["b"], np.diag(2 * X))
    np.testing.assert_allclose(found["v"]["b"]["a"], 12.0 * np.ones(3))
    np.testing.assert_allclose(found["v"]["b"]["b"], 12.0 * np.sum(X))
    np.testing.assert_allclose(sg.jacobian(sg.jacobian(pair))(X)[1], 36.0 * np.ones((3, 3)))


def test_jacobians_by_containers_inside_of_a_function_are_refused():
    def loss(p):
        return np.sum(sg.jacobian(lambda q: np.sum(q["a"] ** 2) * q["b"])(p)["a"])

    with pytest.raises(sg.UnsupportedError, match="a Jacobian by a container"):
        sg.grad(loss)({"a": X, "b": 2.0})
