"""Tests second derivatives of solvers that are differentiated by what they solve."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.api.test_implicit import (
    VECTOR,
    assert_close,
    balance,
    best,
    by_iteration,
    newton,
    root_of_cubic,
    slope,
    system,
)

WAY = np.array([0.3, -0.7, 0.9])
BY_SOURCE = ["root", "fixed point", "minimum", "two levels"]


def by_root(a):
    return root_of_cubic(a) ** 2 * np.sin(a)


def by_balance(t):
    return np.sum(balance(t) ** 2 * t)


def by_best(a):
    return np.sum(best(a) ** 3 * a)


def ridge(w, penalty, x, y):
    return np.sum((x @ w - y) ** 2) + np.exp(penalty) * np.sum(w**2)


@sg.implicit.argmin(ridge)
def fitted(penalty, x, y):
    return np.linalg.solve(x.T @ x + np.exp(penalty) * np.eye(x.shape[1]), x.T @ y)


DATA = np.random.default_rng(1).normal(size=(12, 4))


def validation(z):
    """An outer objective of inner parameters: the loss on other data of what fits some."""
    x, y = DATA[:, :3], DATA[:, 3] * z[0] + z[1]
    w = fitted(z[2], x[:7], y[:7])
    return np.mean((x[7:] @ w - y[7:]) ** 2)


LOSSES = [(by_root, 1.3, 0.7), (by_balance, VECTOR, WAY), (by_best, VECTOR, WAY)]
LOSSES += [(validation, np.array([0.8, 0.3, -0.5]), WAY)]


def modes(f, x, v) -> dict[str, Callable[[], object]]:
    """Every order of two modes, each as the second derivative along `v`, twice."""
    return {
        "hessian": lambda: v @ np.atleast_1d(sg.hessian(f)(x) @ v) if np.ndim(x) else None,
        "product": lambda: np.sum(sg.hvp(f, (x,), (v,)) * v),
        "reverse over reverse": lambda: np.sum(sg.vjp(sg.grad(f), x)[1](v)[0] * v),
        "reverse over forward": lambda: np.sum(along_reversed(f, v)(x) * v),
        "forward over forward": lambda: sg.jvp(along(f, v), (x,), (v,))[1],
    }


def along(f, v):
    return lambda x: sg.jvp(f, (x,), (v,))[1]


def along_reversed(f, v):
    return sg.grad(lambda x: sg.jvp(f, (x,), (v,))[1])


@pytest.mark.parametrize(("f", "x", "v"), LOSSES, ids=BY_SOURCE)
def test_every_order_of_modes_agrees_with_differences_by_source(f, x, v):
    expected = slope(lambda h: np.sum(sg.grad(f)(x + h * v) * v), 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.FallbackWarning)
        for name, second in modes(f, x, v).items():
            found = second()
            if found is not None:
                np.testing.assert_allclose(found, expected, rtol=1e-7, err_msg=name)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize(("f", "x", "v"), LOSSES[:3], ids=BY_SOURCE[:3])
def test_they_agree_on_the_tape_too(f, x, v):
    solve = {by_root: root_of_cubic, by_balance: balance, by_best: best}[f]
    scope = {"solve": solve, "np": np, "sg": sg, "v": v}
    exec("def loss(a):\n    return np.sum(solve(a) ** 2 * a)", scope)
    exec("def along(a):\n    return sg.jvp(loss, (a,), (v,))[1]", scope)
    loss = scope["loss"]
    expected = slope(lambda h: np.sum(sg.grad(loss)(x + h * v) * v), 0.0)
    assert_close(sg.jvp(loss, (x,), (v,))[1], np.sum(sg.grad(loss)(x) * v), 1e-12)
    assert_close(np.sum(sg.hvp(loss, (x,), (v,)) * v), expected, 1e-7)
    assert_close(np.sum(sg.vjp(sg.grad(loss), x)[1](v)[0] * v), expected, 1e-7)
    assert_close(np.sum(sg.grad(scope["along"])(x) * v), expected, 1e-7)
    with pytest.raises(sg.UnsupportedError, match="a third derivative of"):
        sg.jvp(scope["along"], (x,), (v,))


def energy(z, p, count):
    """A residual in a dict, of parameters in a dict and a number without a derivative."""
    return {
        "u": z["u"] ** 3 + p["k"] * z["u"] - count * p["c"] * z["v"],
        "v": 2.0 * z["v"] + np.sin(z["u"][0]) * p["c"] - 1.0,
    }


@sg.implicit.root(energy)
def rest(p, count):
    u, v = np.ones(2) * 0.5, 0.3
    for _ in range(60):
        u = u - (u**3 + p["k"] * u - count * p["c"] * v) / (3 * u**2 + p["k"])
        v = (1.0 - np.sin(u[0]) * p["c"]) / 2.0
    return {"u": u, "v": v}


def by_rest(p):
    z = rest(p, 2)
    return np.sum(z["u"] ** 2) * z["v"] + p["c"] * z["v"] ** 2


@pytest.mark.parametrize("linear_solver", [None, by_iteration])
@pytest.mark.parametrize("case", ["system", "rest"])
def test_structured_parameters_and_solutions(case, linear_solver):
    rng = np.random.default_rng(0)
    if case == "system":
        solve = sg.implicit.root(system, linear_solver=linear_solver)(newton)
        p = {"A": rng.normal(size=(3, 3)) + 4 * np.eye(3), "b": rng.normal(size=3)}
        moved = {"A": rng.normal(size=(3, 3)), "b": rng.normal(size=3)}

        def loss(p):
            return np.sum(solve(p) ** 2)
    else:
        p, moved, loss = {"k": np.array([2.0, 3.0]), "c": 0.7}, {"k": WAY[:2], "c": 1.2}, by_rest

    def dot(a, b):
        return sum(np.sum(a[key] * b[key]) for key in a)

    gradient = sg.grad(loss)
    expected = slope(lambda h: dot(gradient({k: p[k] + h * moved[k] for k in p}), moved), 0.0)
    assert_close(dot(sg.hvp(loss, (p,), (moved,)), moved), expected, 1e-7)
    assert_close(dot(sg.vjp(gradient, p)[1](moved)[0], moved), expected, 1e-7)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_third_derivatives_are_refused():
    with pytest.raises(sg.UnsupportedError, match="a third derivative of `root_of_cubic`"):
        sg.grad(sg.grad(sg.grad(by_root)))(1.3)
    with pytest.raises(sg.UnsupportedError, match="a third derivative of `balance`"):
        sg.jacfwd(sg.hessian(by_balance))(VECTOR)
