"""Tests that the tape runs where it is asked for, and that derivatives take the same options."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.api.trees import floats

X, V = np.array([0.3, -0.7, 1.2]), np.array([1.0, 2.0, -1.0])


def loss(x, rate=1.5):
    return np.sum(np.sin(x) * x * x) * rate


def another_loss(x):
    return np.sum(np.cos(x) * x)


def refused(x):
    return np.sum(x * x) + 0 * eval("x[0]")


def solved(**options):
    @sg.implicit.root(lambda x, a: x**3 - a, **options)
    def root(a):
        return np.cbrt(a)

    return root


def objective(f, options):
    return sg.scipy_objective(f, X, **options)


EVERY = {
    "grad": lambda f, how: sg.grad(f, **how)(X),
    "value_and_grad": lambda f, how: sg.value_and_grad(f, **how)(X),
    "vjp": lambda f, how: sg.vjp(f, X, **how)[1](1.0),
    "jvp": lambda f, how: sg.jvp(f, (X,), (V,), **how),
    "jacobian": lambda f, how: sg.jacobian(f, **how)(X),
    "jacfwd": lambda f, how: sg.jacfwd(f, **how)(X),
    "jacrev": lambda f, how: sg.jacrev(f, **how)(X),
    "hessian": lambda f, how: sg.hessian(f, **how)(X),
    "hvp": lambda f, how: sg.hvp(f, (X,), (V,), **how),
    "pushforward": lambda f, how: sg.pushforward(f, **how)(X, x_dot=V),
    "pullback": lambda f, how: sg.pullback(f, **how)(X)[1](1.0),
    "hessian_product": lambda f, how: sg.hessian_product(f, **how)(X, x_dot=V),
    "jac of an objective": lambda f, how: objective(f, how).jac(X),
    "hess of an objective": lambda f, how: objective(f, how).hess(X),
    "compile": lambda f, how: _by_tensors(sg.compile(f, **how)),
}
READABLE = ("grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian")
READABLE += ("pushforward", "pullback", "hessian_product")
every = pytest.mark.parametrize("take", EVERY.values(), ids=EVERY)


def _by_tensors(compiled):
    x = sg.tensor(X, requires_grad=True)
    compiled(x).backward()
    return x.grad.numpy()


@every
def test_the_tape_gives_the_same_and_is_silent(take):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, expected = take(loss, {"backend": "tape"}), take(loss, {"backend": "numpy"})
    for one, other in zip(floats(found), floats(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@every
def test_no_text_is_made_for_the_tape(take, monkeypatch):
    def made(*args, **options):
        raise AssertionError("a text was made")

    for name in ("gradient", "pushforward", "halves", "compiled"):
        for kind in ("compile_gradient", "compile_tangents", "compile_halves"):
            module = sys.modules[f"srcgrad.api.{name}"]  # a function has the same name
            monkeypatch.setattr(module, kind, made, raising=False)
    take(loss, {"backend": "tape", "fallback": "error"})
    with pytest.raises(AssertionError, match="a text was made"):
        take(another_loss, {})


@every
def test_a_fallback_is_silent_or_an_error_if_asked(take):
    with pytest.raises(sg.UnsupportedError):
        take(refused, {"fallback": "error"})


@every
def test_other_names_are_refused_before_anything_runs(take):
    for option in ({"backend": "jax"}, {"fallback": "silent"}, {"backend": ["tape"]}):
        with pytest.raises(sg.ArgumentError):
            take(loss, option)


@pytest.mark.parametrize("name", READABLE)
def test_what_runs_on_the_tape_says_that_it_has_no_text(name):
    derivative = getattr(sg, name)(loss, backend="tape")
    for read in (lambda: derivative.source, derivative.stages):
        with pytest.raises(sg.UnsupportedError, match="backend='tape'"):
            read()
    explanation = derivative.explain()
    assert explanation.engine == "tape"
    assert "backend='tape'" in str(explanation)


@pytest.mark.parametrize("backend", ["numpy", "tape"])
def test_a_solver_is_differentiated_by_its_residual(backend):
    root = solved(backend=backend)
    step = 1e-6
    difference = (root(2.0 + step) - root(2.0 - step)) / (2 * step)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(sg.grad(lambda a: root(a) * 1.0)(2.0), difference, rtol=1e-8)


def test_a_product_hands_on_what_comes_beside_the_value():
    product, aux = sg.hvp(lambda x: (loss(x), {"n": 3}), (X,), (V,), has_aux=True)
    np.testing.assert_allclose(product, sg.hvp(loss, (X,), (V,)))
    assert aux == {"n": 3}


def test_the_options_survive_binding_and_pickling():
    import pickle

    class Model:
        rate = 2.0

        @sg.grad(backend="tape")
        def slope(self, x):
            return np.sum(x * x) * self.rate

    found = Model().slope
    np.testing.assert_allclose(found(X), 4 * X)
    with pytest.raises(sg.UnsupportedError, match="backend='tape'"):
        assert found.source
    again = pickle.loads(pickle.dumps(sg.grad(loss, backend="tape")))
    with pytest.raises(sg.UnsupportedError, match="backend='tape'"):
        assert again.source
