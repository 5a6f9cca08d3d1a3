"""A first call that fails leaves nothing behind: the next one sees what was defined since."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.gradient import Gradient
from srcgrad.codegen import cache
from tests.differences import assert_same, numerical_gradient

X = np.array([1.0, 2.0])
PROGRAM = """\
def loss(x):
    return np.sum(helper(x) * weights * Options.gain) + library.sum(x)
def helper_(x):
    return x * x
class Options_:
    gain = 3.0
def enclosing():
    def loss(x):
        return np.sum(inner(x) * weights)
    def define(function, value):
        nonlocal inner, weights
        inner, weights = function, value
    if False:
        inner = weights = None
    return loss, define
"""


@pytest.fixture
def names(tmp_path):
    """Return the names of a module, as a notebook that is run from its middle has them."""
    path = tmp_path / "notebook.py"
    path.write_text(PROGRAM, encoding="utf-8")
    space = {"np": np, "__name__": "__main__"}
    exec(compile(PROGRAM, str(path), "exec"), space)
    return space


def of_value_and_grad(f, **how):
    both = sg.value_and_grad(f, **how)
    return lambda x: both(x)[1]


DERIVATIVES = {
    "grad": sg.grad,
    "value_and_grad": of_value_and_grad,
    "jacobian": sg.jacobian,
    "vjp": lambda f, **how: lambda x: sg.vjp(f, x, **how)[1](1.0)[0],
    "jvp": lambda f, **how: (
        lambda x: np.array([sg.jvp(f, (x,), (way,), **how)[1] for way in np.eye(2)])
    ),
}


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("how", [{}, {"fallback": "error"}, {"backend": "tape"}], ids=str)
@pytest.mark.parametrize("make", DERIVATIVES.values(), ids=DERIVATIVES)
def test_globals_that_are_defined_later_are_seen(names, make, how):
    derivative = make(names["loss"], **how)
    later = {
        "helper": names["helper_"],
        "weights": np.array([2.0, 5.0]),
        "Options": names["Options_"],
        "library": np,
    }
    for name, value in later.items():
        with pytest.raises((NameError, sg.UnsupportedError)):
            derivative(X)
        names[name] = value
    expected = numerical_gradient(names["loss"], (X,), 0)
    assert_same(derivative(X), expected)
    del names["weights"]
    with pytest.raises(NameError):
        derivative(X)
    names["weights"] = np.array([1.0, -1.0])
    assert_same(derivative(X), numerical_gradient(names["loss"], (X,), 0))


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("make", DERIVATIVES.values(), ids=DERIVATIVES)
def test_free_variables_that_are_bound_later_are_seen(names, make):
    loss, define = names["enclosing"]()
    derivative = make(loss)
    with pytest.raises(NameError):
        derivative(X)
    define(names["helper_"], np.array([2.0, 5.0]))
    assert_same(derivative(X), numerical_gradient(loss, (X,), 0))


def test_an_interrupted_compilation_is_begun_anew(monkeypatch):
    def loss(x):
        return np.sum(np.sin(x) * x)

    gradient, make, turns = sg.grad(loss), Gradient._make_plan, []

    def interrupted(self, *args, **kwargs):
        turns.append(1)
        if len(turns) < 3:
            raise KeyboardInterrupt
        return make(self, *args, **kwargs)

    monkeypatch.setattr(Gradient, "_make_plan", interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            gradient(X)
    assert_same(gradient(X), numerical_gradient(loss, (X,), 0))


@pytest.mark.parametrize("make", DERIVATIVES.values(), ids=DERIVATIVES)
def test_an_exception_of_the_users_code_spoils_nothing(make):
    stored = []

    def loss(x):
        if x[0] < 0:
            raise ValueError("not here")
        return np.sum(np.sin(x) * x)

    derivative = make(loss)
    before = np.geterr()
    for _ in range(2):
        with pytest.raises(ValueError, match="not here"):
            derivative(-X)
        assert_same(derivative(X), numerical_gradient(loss, (X,), 0))
    assert np.geterr() == before
    assert sg.is_grad_enabled()
    assert not stored


def test_a_full_disk_spoils_nothing(monkeypatch):
    def loss(x):
        return np.sum(np.cos(x) * x * 1.25)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setattr(cache, "_write", full)
        assert_same(sg.grad(loss)(X), numerical_gradient(loss, (X,), 0))
    gradient = sg.grad(loss)
    assert_same(gradient(X), numerical_gradient(loss, (X,), 0))
    assert "cos" in gradient.source
