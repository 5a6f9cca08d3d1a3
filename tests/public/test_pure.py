"""Tests `pure=True`: arguments stay as they are, and nothing is done that only they would show."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same
from tests.programs.corpus import Program, programs_by


def scaled(x: Any, y: Any) -> Any:
    x *= 2.0
    y[0] = 3.0
    total = 0.0
    for i in range(len(x)):
        x[i] = x[i] * y[i]
        total += x[i] ** 2
    x[:] = 0.0
    return total


def flattened(x: Any, y: Any) -> Any:
    flat = x.reshape(-1)
    flat[1:] *= y[1:]
    return np.sum(x**2) + flat[0] * y[0]


def counted_down(x: Any, y: Any) -> Any:
    if y[0] > 3.0:
        return np.sum(x * y)
    x *= 1.5
    return counted_down(x, y + 1.0) + np.sum(x)


def appended(values: Any) -> Any:
    values.append(values[0] * values[1])
    values[0] = values[2] * 3.0
    return values[0] * values[1]


def kept_inside(parts: Any) -> Any:
    parts["w"] *= 2.0
    parts["b"][0] = 1.5
    return np.sum(parts["w"]) * np.sum(parts["b"] ** 2)


X, Y = np.array([0.5, -1.5, 2.0]), np.array([1.0, 0.4, -0.7])
WIDE = np.arange(12.0).reshape(3, 4) / 3.0
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "scaled": (scaled, (X, Y)),
    "flattened": (flattened, (X, Y)),
    "every other element": (flattened, (np.arange(6.0)[::2], Y)),
    "a column": (flattened, (WIDE[:, 1], Y)),
    "counted down": (counted_down, (X, Y)),
    "a list": (appended, ([0.5, 1.5],)),
    "a dict": (kept_inside, ({"w": X, "b": Y},)),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
every_backend = pytest.mark.parametrize("backend", ["auto", "tape"])


def derivatives(function: Any, args: tuple[Any, ...], **how: Any) -> dict[str, Callable[[], Any]]:
    """Return calls of the derivatives of a function at some arguments."""

    def pulled() -> Any:
        value, pull = sg.vjp(function, *args, **how)
        return value, pull(1.0)

    seeds = copy.deepcopy(args)
    return {
        "grad": lambda: sg.grad(function, **how)(*args),
        "value_and_grad": lambda: sg.value_and_grad(function, **how)(*args),
        "jvp": lambda: sg.jvp(function, args, seeds, **how),
        "vjp": pulled,
        "jacfwd": lambda: sg.jacfwd(function, **how)(*args),
        "jacrev": lambda: sg.jacrev(function, **how)(*args),
        "hessian": lambda: sg.hessian(function, **how)(*args),
        "hvp": lambda: sg.hvp(function, args, seeds, **how),
    }


@every_case
@every_backend
@pytest.mark.parametrize("name", [*derivatives(scaled, (X, Y))])
def test_arguments_stay_and_derivatives_are_the_same(case: Any, backend: Any, name: str) -> None:
    function, args = case
    how: Any = {"backend": backend, "fallback": "tape"}
    impure = laid_out_alike(args)
    try:
        expected = derivatives(function, impure, **how)[name]()
    except sg.UnsupportedError:
        pytest.skip("it is refused anyway")
    given = laid_out_alike(args)
    found = derivatives(function, given, pure=True, **how)[name]()
    assert_same(given, args, 0, 0)
    assert_same(found, expected, 1e-12)
    if name == "grad":
        function(*(before := laid_out_alike(args)))
        with pytest.raises(AssertionError):
            assert_same(before, args, 0, 0)  # which the function does not leave alone


def laid_out_alike(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return copies of arrays that lie in memory as those do."""

    def alike(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.base is None:
            return copy.deepcopy(value)
        memory = value.base.copy()
        start = value.ctypes.data - value.base.ctypes.data
        return np.ndarray(value.shape, value.dtype, memory.data, start, value.strides)

    return tuple(map(alike, args))


WRITERS = {
    name: item
    for name, item in programs_by("source", "tape").items()
    if item.name.split(".")[0] in ("written_elsewhere", "mutation", "writes", "views", "aliases")
}


@pytest.mark.parametrize("program", WRITERS.values(), ids=list(WRITERS))
def test_programs_leave_their_arguments(program: Program) -> None:
    args, used = program.arguments(), program.arguments()
    expected = sg.grad(program.function, program.argnums, fallback="tape")(*used)
    found = sg.grad(program.function, program.argnums, fallback="tape", pure=True)(*args)
    assert_same(args, program.arguments(), 0, 0)
    assert_same(found, expected, 1e-12)


def overwritten(x: Any) -> Any:
    total = np.sum(x**2)
    x[:] = np.sin(x)
    for i in range(len(x)):
        x[i] = x[i] * 2.0
    return total


def test_work_that_nobody_sees_is_not_done() -> None:
    gradient, usual = sg.grad(overwritten, pure=True), sg.grad(overwritten)
    given = X.copy()
    assert_same(gradient(given), usual(X.copy()), 0, 0)
    assert "sin" in usual.source
    assert "sin" not in gradient.source
    assert "    for " not in gradient.source
    assert_same(given, X, 0, 0)


def test_the_same_memory_twice_is_refused_as_without() -> None:
    for pure in (False, True):
        given = X.copy()
        with pytest.raises(sg.MutationError):
            sg.grad(scaled, pure=pure)(given, given)


def test_a_text_is_the_usual_one_where_nothing_is_written() -> None:
    def plain(x: Any) -> Any:
        return np.sum(np.tanh(x) * x)

    gradient, usual = sg.grad(plain, pure=True), sg.grad(plain)
    assert_same(gradient(X), usual(X), 0, 0)
    assert gradient.source == usual.source


@pytest.mark.parametrize("verify", [False, True])
def test_a_pure_text_is_verified_and_proven(verify: bool) -> None:
    gradient = sg.grad(flattened, argnums=(0, 1), pure=True, verify=verify, fallback="error")
    given = X.copy(), Y.copy()
    gradient(*given)
    assert_same(given, (X, Y), 0, 0)


def test_compiled_functions_and_objectives() -> None:
    compiled = sg.compile(scaled, pure=True, fallback="tape")
    given = X.copy(), Y.copy()
    assert compiled(*given) == scaled(X.copy(), Y.copy())
    assert_same(given, (X, Y), 0, 0)
    leaf, other = sg.tensor(X.copy(), requires_grad=True), sg.tensor(Y.copy())
    compiled(leaf * 1.0, other).backward()
    assert_same(leaf.grad.numpy(), sg.grad(scaled)(X.copy(), Y.copy()), 1e-12)
    assert_same(other.numpy(), Y, 0, 0)
    objective = sg.scipy_objective(scaled, X, Y.copy(), pure=True)
    first = objective.fun(objective.x0)
    assert_same(objective.fun(objective.x0), first, 0, 0)
