"""Tests exports of products with vectors, Jacobians and Hessians."""

from __future__ import annotations

import ast
import copy
import re
import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import ArgumentError, ExportError, NotDifferentiableError
from tests.differences import assert_same
from tests.unit.exporting.without_srcgrad import is_same

SLOPES = {
    "jvp": sg.pushforward,
    "vjp": sg.pullback,
    "jacfwd": sg.jacfwd,
    "jacrev": sg.jacrev,
}
CURVATURES = {"hessian": sg.hessian, "hvp": sg.hessian_product}


def misfit(w, x, y):
    """Return a number."""
    return np.mean((np.tanh(x @ w) - y) ** 2)


def nested(p, x):
    return {"a": np.tanh(p["u"] * x), "b": (x, p["v"] * x)}


def options(x, /, *more, power=2.0, **rest):
    return x**power * more[0] + rest.get("offset", 1.0)


def with_aux(x):
    return np.sin(x) * x[::-1], {"twice": 2 * x, "count": 3}


def number_with_aux(x):
    return np.sum(x**3), {"twice": 2 * x}


def writes(x):
    x[0] = x[1] * x[2]
    return 2 * x


def steps(x, n):
    y = x.copy()
    total = 0.0
    for _ in range(n):
        y[1:] = np.sin(y[:-1]) * y[1:]
        total = total + np.sum(y**2)
    return total


def views(x):
    y = np.zeros(4)
    part = y[1:]
    part += x
    other = y[:2]
    other *= x[:2]
    return y * y


VECTOR = np.array([0.3, 0.8, -0.4])
WEIGHTS = np.array([[0.2, -0.1], [0.5, 0.3], [-0.4, 0.1]])
DATA = np.linspace(0.0, 1.0, 12).reshape(4, 3)
NESTED = {"u": 2 * VECTOR, "v": 0.7, "n": 3}
CASES = {
    "number": (misfit, (WEIGHTS, DATA, np.ones((4, 2))), 0),
    "by two": (misfit, (WEIGHTS, DATA, np.ones((4, 2))), (0, 1)),
    "tuple of one": (misfit, (WEIGHTS, DATA, np.ones((4, 2))), (1,)),
    "containers": (nested, (NESTED, VECTOR), 0),
    "loop": (steps, (VECTOR, 3), 0),
    "lambda": (lambda x: np.outer(x, x) * VECTOR, (VECTOR,), 0),
    "single precision": (with_aux, (VECTOR.astype(np.float32),), 0),
    "aux": (number_with_aux, (VECTOR,), 0),
    "float": (lambda a: [a**3, a], (1.5,), 0),
    "empty": (lambda x: 2 * x, (np.zeros(0),), 0),
    "views": (views, (VECTOR,), 0),
    "writes": (writes, (VECTOR,), 0),
}
TRIED = {
    "jvp": ("by two", "containers", "single precision", "writes"),
    "vjp": ("tuple of one", "containers", "views", "loop"),
    "jacfwd": ("tuple of one", "containers", "single precision", "empty", "writes"),
    "jacrev": ("by two", "containers", "views", "float"),
    "hessian": ("tuple of one", "loop", "aux"),
    "hvp": ("by two", "aux"),
}


def loaded(text):
    """Return the function of an exported module."""
    scope = {"__name__": "exported"}
    exec(compile(text, "exported", "exec"), scope)
    return scope[next(n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef))]


def seeds_like(value):
    if isinstance(value, dict):
        return {key: seeds_like(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(seeds_like, value))
    if isinstance(value, np.ndarray):
        return np.cos(np.arange(value.size)).reshape(value.shape).astype(value.dtype)
    return None if isinstance(value, int) else 0.5


def used(kind, function, arguments, names, parameters):
    """Return all that a derivative gives at some arguments."""
    arguments = copy.deepcopy(arguments)
    if kind in ("jvp", "hvp"):
        dots = {f"{name}_dot": seeds_like(arguments[parameters.index(name)]) for name in names}
        return function(*arguments, **dots)
    if kind != "vjp":
        return function(*arguments)
    value, pull, *aux = function(*arguments)
    seed = seeds_like(value)
    first = pull(seed)
    assert_same(pull(seed), first, 0)  # it may be called repeatedly
    return value, first, *aux


@pytest.mark.parametrize("kind", TRIED)
def test_the_modules_give_the_same(kind):
    for name in TRIED[kind]:
        function, arguments, argnums = CASES[name]
        made = {**SLOPES, **CURVATURES}[kind]
        has_aux = {"has_aux": True} if "aux" in name or name == "single precision" else {}
        derivative = made(function, argnums, **has_aux)
        parameters = list(function.__code__.co_varnames)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.FallbackWarning)
            expected = used(kind, derivative, arguments, derivative.names, parameters)
        exported = loaded(derivative.export())
        found = used(kind, exported, arguments, derivative.names, parameters)
        if name == "single precision":
            assert_same(found, expected, 1e-6)
        else:
            assert is_same(found, expected), name


def test_tangents_are_given_by_name_whatever_the_parameters():
    derivative = sg.pushforward(options)
    call = (VECTOR, 2.0), {"power": 3.0, "offset": 4.0, "x_dot": np.ones(3)}
    exported = loaded(derivative.export())
    assert_same(exported(*call[0], **call[1]), derivative(*call[0], **call[1]), 1e-12)
    assert "def options_jvp(x, /, *more, power=2.0, x_dot, **rest):" in derivative.export()


def test_the_pushforward_of_a_gradient_gives_the_gradient_and_its_tangent():
    derivative = sg.pushforward(sg.grad(misfit, argnums=(0, 1)), argnums=(0, 1))
    arguments = CASES["by two"][1]
    dots = {"w_dot": WEIGHTS, "x_dot": DATA}
    exported = loaded(derivative.export())
    assert_same(exported(*arguments, **dots), derivative(*arguments, **dots), 1e-12)


def test_an_exported_pullback_is_apart_from_the_arrays_of_the_caller():
    x = VECTOR.copy()
    value, pull = loaded(sg.pullback(lambda x: np.exp(1.0 * x)).export())(x)
    x[:] = 0.0
    value[:] = 0.0
    assert_same(pull(np.ones(3)), np.exp(VECTOR), 1e-12)


def test_what_does_not_fit_is_refused():
    push, pull = loaded(sg.pushforward(nested).export()), loaded(sg.pullback(nested).export())
    with pytest.raises(ValueError, match="must be a dict with the keys"):
        push(NESTED, VECTOR, p_dot={"u": VECTOR})
    with pytest.raises(ValueError, match="has the shape"):
        push(NESTED, VECTOR, p_dot={**NESTED, "u": 1.0})
    with pytest.raises(ValueError, match="must be a sequence of 2"):
        pull(NESTED, VECTOR)[1]({"a": VECTOR, "b": VECTOR})
    with pytest.raises(TypeError, match="x_dot"):
        loaded(sg.pushforward(with_aux, has_aux=True).export())(VECTOR, x_dot=1j * VECTOR)


@pytest.mark.parametrize(
    "export",
    [
        lambda: sg.jacfwd(misfit, argnums=(0, 1)).export(),
        lambda: sg.hessian(misfit, argnums=(0, 1)).export(),
        lambda: sg.jacobian(with_aux, sparsity="detect").export(),
        lambda: sg.jacobian(sg.jacobian(lambda x: x**3)).export(),
        lambda: sg.jacrev(sg.grad(misfit)).export(),
        lambda: sg.pullback(sg.grad(misfit)).export(),
        lambda: sg.hessian_product(sg.grad(misfit)).export(),
    ],
)
def test_what_no_module_can_hold_is_refused_by_name(export):
    with pytest.raises(ExportError) as caught:
        export()
    assert caught.value.hint


def test_complex_arguments_and_missing_examples_are_refused():
    with pytest.raises(NotDifferentiableError, match="Jacobian"):
        sg.jacobian(with_aux).export(example=(VECTOR * 1j,))
    with pytest.raises(ArgumentError, match="needs arguments"):
        sg.jacobian(with_aux).export(with_check=True)


def test_what_was_called_before_changes_nothing():
    before = sg.jacobian(lambda w: np.sum(w**2))
    text = before.export()
    before(VECTOR)
    assert before.export() == text
    chosen = before.export(example=(VECTOR,))
    assert "by_rows" in chosen
    assert "by_columns" in text


@pytest.mark.parametrize(
    ("kind", "name"),
    [("jvp", "number"), ("vjp", "containers"), ("jacrev", "by two"), ("hessian", "number")],
)
def test_self_checks_pass_and_fail(kind, name, capsys):
    function, arguments, argnums = CASES[name]
    derivative = {**SLOPES, **CURVATURES}[kind](function, argnums)
    text = derivative.export(example=arguments, with_check=True)
    exec(compile(text, "exported", "exec"), {"__name__": "__main__"})
    assert "the derivative agrees with differences" in capsys.readouterr().out
    wrong = re.sub(r"\b1(\.0)? - ", "1.01 - ", text)
    with pytest.raises(SystemExit):
        exec(compile(wrong, "exported", "exec"), {"__name__": "__main__"})
