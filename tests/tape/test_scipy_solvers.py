"""SciPy's solvers on the tape: closures, writes afterwards and second derivatives."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import srcgrad as sg
from srcgrad import tape
from srcgrad.api.fallback import run_on_tape
from srcgrad.runtime.results import _SOLVERS
from srcgrad.tape.scipy_solvers import _check
from tests.differences import assert_same, numerical_gradient

X = np.array([0.7, 1.3])


def closing_over_a_tensor(x: Any) -> Any:
    return np.sum(optimize.root(lambda y: y + y**3 - x, np.zeros(2), tol=1e-13).x)


def closing_over_what_changes(x: Any) -> Any:
    total, factors = 0.0, [1.0]
    for k in range(3):
        factors[0] = k + 1.0

        def cubic(y: Any) -> Any:
            return y**3 + factors[0] * y - x[0] * k  # noqa: B023 - called at once

        total = total + optimize.brentq(cubic, -5, 5)
    return total


def closing_over_in_turn(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return np.array([y[0] - x[0], y[1] - np.cos(x[1] * y[0])])

    return np.sum(optimize.root(lambda y: inner(y) * 2.0, np.zeros(2), tol=1e-13).x ** 2)


def integral_of_a_closure(x: Any) -> Any:
    return integrate.quad(lambda t: np.exp(-x[0] * t), 0, x[1])[0]


def integral_of_a_partial(x: Any) -> Any:
    scaled = functools.partial(lambda a, t, power: a * t**power, x[0], power=x[1])
    return integrate.quad(functools.partial(scaled), 0.0, 1.0)[0]


def root_of_a_partial(x: Any) -> Any:
    found = optimize.root(functools.partial(lambda a, y: y + y**3 - a, x), np.zeros(2), tol=1e-13)
    return np.sum(found.x**2)


def path_of_a_closure(x: Any) -> Any:
    times = np.linspace(0, 1, 4)
    return np.sum(integrate.odeint(lambda y, t: -x[0] * y, x[1:], times, rtol=1e-11, atol=1e-11))


def root_with_a_slope(x: Any) -> Any:
    return optimize.newton(lambda y: y**3 + y - x[0], 0.3, lambda y: 3 * y * y + 1, tol=1e-14)


@pytest.mark.parametrize(
    "function",
    [
        closing_over_a_tensor,
        closing_over_what_changes,
        closing_over_in_turn,
        integral_of_a_closure,
        integral_of_a_partial,
        root_of_a_partial,
        path_of_a_closure,
        root_with_a_slope,
    ],
)
def test_closures_are_handed_on(function: Any) -> None:
    _, (grad,) = run_on_tape(function, inspect.signature(function), ["x"], (X,), {}, aux=False)
    assert_same(grad, numerical_gradient(function, (X,), 0))


def written_after_an_integral(x: Any) -> Any:
    x = x * 1.0
    area = integrate.quad(lambda t, b: np.exp(-b[0] * t) * b[1], 0, 1, args=(x,))[0]
    x[0] = 5.0
    return area + x[0]


def written_after_a_solution(x: Any) -> Any:
    x = x * 1.0
    y = optimize.root(lambda y, b: y - b, np.zeros(2), args=(x,)).x
    x[0] = 5.0
    return np.sum(y) + x[0]


@pytest.mark.parametrize("function", [written_after_an_integral, written_after_a_solution])
def test_what_was_handed_on_is_written_later(function: Any) -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        run_on_tape(function, inspect.signature(function), ["x"], (X,), {}, aux=False)


def test_second_derivatives() -> None:
    def solved(x: Any) -> Any:
        return np.sum(optimize.root(lambda y, b: y + y**3 - b, 0 * X, args=(x,), tol=1e-13).x * x)

    def slope(x: Any) -> Any:
        return np.sum(sg.grad(solved, fallback="tape")(x) * np.array([1.0, -0.3]))

    _, (grad,) = run_on_tape(slope, inspect.signature(slope), ["x"], (X,), {}, aux=False)
    assert_same(grad, numerical_gradient(slope, (X,), 0))


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda x: optimize.minimize(_bowl, X, args=(x,)).jac, "attribute `jac`"),
        (
            lambda x: optimize.minimize(_bowl, X, args=(x,), constraints={"type": "eq"}).x,
            "`constraints=`",
        ),
        (lambda x: optimize.minimize(_bowl, X, bounds=[(x[0], 2.0), (0.0, 1.0)]).x, "`bounds`"),
    ],
)
def test_refused(call: Any, reason: str) -> None:
    def program(x: Any) -> Any:
        return np.sum(call(x))

    with pytest.raises(sg.MissingRuleError, match=reason):
        run_on_tape(program, inspect.signature(program), ["x"], (X,), {}, aux=False)


def _bowl(y: Any, b: Any = 0.0) -> Any:
    return np.sum((y - b) ** 2)


SWITCHES = [
    (name, solver, parameter)
    for name, solver in _SOLVERS.items()
    for parameter, _ in solver.refused
]


@pytest.mark.parametrize(("name", "solver", "parameter"), SWITCHES, ids=str)
def test_what_a_solver_refuses_is_refused_unless_it_is_switched_off(name, solver, parameter):
    for off in (None, False, (), {}, []):
        _check(name, solver, {parameter: off})
    for on in (True, 1.5, ("a",)):
        with pytest.raises(sg.MissingRuleError, match=f"`{name}` with `{parameter}=`"):
            _check(name, solver, {parameter: on})


@pytest.mark.parametrize(
    ("name", "solver", "parameter"),
    [(name, solver, held) for name, solver in _SOLVERS.items() for held in solver.held],
    ids=str,
)
def test_what_a_solver_holds_constant_may_be_no_variable(name, solver, parameter):
    _check(name, solver, {parameter: tape.tensor(1.0)})
    with pytest.raises(sg.MissingRuleError, match=f"in its `{parameter}`"):
        _check(name, solver, {parameter: tape.tensor(1.0, requires_grad=True)})


class Notes:
    def __init__(self) -> None:
        self.count = 0
        self.seen = 0.0


def noting_in_a_list(x: Any) -> Any:
    noted: list[Any] = []

    def balance(y: Any) -> Any:
        noted.append(x[0] * y)
        return x[0] * y * y - x[1]

    return optimize.brentq(balance, 0.0, 10.0) + noted[0] + noted[1]


def noting_in_a_dict(x: Any) -> Any:
    noted = {"last": 0.0}

    def balance(y: Any) -> Any:
        noted["last"] = x[0] * 3.0
        return x[0] * y * y - x[1]

    return optimize.brentq(balance, 0.0, 10.0) + noted["last"]


def noting_in_an_object(x: Any) -> Any:
    notes = Notes()

    def balance(y: Any) -> Any:
        notes.seen = x[0] * 3.0
        return x[0] * y * y - x[1]

    return optimize.brentq(balance, 0.0, 10.0) + notes.seen


def noting_in_a_variable(x: Any) -> Any:
    noted = 0.0

    def balance(y: Any) -> Any:
        nonlocal noted
        noted = x[0] * 3.0
        return x[0] * y * y - x[1]

    return optimize.brentq(balance, 0.0, 10.0) + noted


NOTING = [noting_in_a_list, noting_in_a_dict, noting_in_an_object, noting_in_a_variable]


def counting_in_an_object(x: Any) -> Any:
    notes = Notes()

    def balance(y: Any) -> Any:
        notes.count += 1
        return x[0] * y * y - x[1]

    return optimize.brentq(balance, 0.0, 10.0)


@pytest.mark.parametrize("f", NOTING)
def test_a_function_that_leaves_values_behind_is_refused(f):
    """What it leaves went into copies, or had no derivative."""
    with pytest.raises(sg.MutationError, match="`balance`, which a solver calls, writes into"):
        run_on_tape(f, inspect.signature(f), ["x"], (X,), {}, aux=False)
    with pytest.raises(sg.UnsupportedError):
        sg.grad(f, fallback="error")(X)


def test_a_function_may_count_its_calls():
    counted = counting_in_an_object
    _, (grad,) = run_on_tape(counted, inspect.signature(counted), ["x"], (X,), {}, aux=False)
    assert_same(grad, numerical_gradient(counted, (X,), 0))
