"""Calls a derivative again with other arguments, or after a change: it says what a new one says."""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

GAIN = 2.0


def helper(x):
    return np.tanh(x * GAIN)


def number(x, w=0.5):
    return np.sum(helper(x) * x * w)


def array(x, w=0.5):
    return helper(x) * w + np.sum(x)


def _vjp(f: Any) -> Callable[..., Any]:
    def pulled(x: Any, *args: Any, **kwargs: Any) -> Any:
        value, pull = sg.vjp(f, x, *args, kwargs=kwargs)
        return value, pull(np.ones_like(value) * 0.5)[0]

    return pulled


def _jvp(f: Any) -> Callable[..., Any]:
    def pushed(x: Any, *args: Any, **kwargs: Any) -> Any:
        return sg.jvp(f, (x, *args), (x * 0.5, *(None for _ in args)), kwargs=kwargs)

    return pushed


def _hvp(f: Any) -> Callable[..., Any]:
    def product(x: Any, *args: Any, **kwargs: Any) -> Any:
        return sg.hvp(f, (x, *args), (x * 0.5, *(None for _ in args)), kwargs=kwargs)

    return product


MAKERS: dict[str, tuple[Callable[[Any], Callable[..., Any]], Any]] = {
    "grad": (sg.grad, number),
    "value_and_grad": (sg.value_and_grad, number),
    "vjp": (_vjp, array),
    "jvp": (_jvp, array),
    "jacfwd": (sg.jacfwd, array),
    "jacrev": (sg.jacrev, array),
    "jacobian": (sg.jacobian, array),
    "hessian": (sg.hessian, number),
    "hvp": (_hvp, number),
}
every_maker = pytest.mark.parametrize(("make", "function"), MAKERS.values(), ids=MAKERS)

X = np.array([0.5, -1.2, 2.0])
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((X,), {}),
    ((X.astype(np.float32),), {}),
    ((X[:2],), {}),
    ((np.ones((2, 2)),), {}),
    ((0.25,), {}),
    ((np.float64(0.25),), {}),
    ((X, 2.0), {}),
    ((X, X), {}),
    ((X, 2), {}),
    ((X,), {"w": 3.0}),
    ((X[::-1],), {}),
    ((np.asfortranarray(np.arange(4.0).reshape(2, 2)),), {"w": np.ones(2)}),
]


def _afresh(function: Any) -> Any:
    """Return a function of the same text that no derivative was taken of."""
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    copy.__defaults__ = function.__defaults__
    return copy


def _leaves(found: Any) -> list[Any]:
    return [leaf for part in found for leaf in _leaves(part)] if type(found) is tuple else [found]


def _assert_alike(found: Any, expected: Any) -> None:
    for one, other in zip(_leaves(found), _leaves(expected), strict=True):
        assert type(one) is type(other)
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)
        is_narrow = getattr(one, "dtype", None) == np.float32
        np.testing.assert_allclose(one, other, 1e-5 if is_narrow else 1e-12)


@functools.cache
def _expected(make: Any, function: Any) -> list[Any]:
    """Return what derivatives that were never called say."""
    return [make(_afresh(function))(*args, **kwargs) for args, kwargs in CALLS]


@every_maker
def test_calls_of_other_kinds_do_not_disturb_each_other(make: Any, function: Any) -> None:
    derivative = make(function)
    expected = _expected(make, function)
    for first, second in itertools.pairwise([*range(len(CALLS)), *range(0, len(CALLS), 2)]):
        for place in (first, second, first):
            args, kwargs = CALLS[place]
            _assert_alike(derivative(*args, **kwargs), expected[place])


@every_maker
def test_changes_between_calls_are_noticed(
    make: Any, function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = _afresh(function)
    derivative = make(function)

    def check() -> None:
        new = make(_afresh(function))
        for args in ((X,), (X, 2.0), (X,)):
            _assert_alike(derivative(*args), new(*args))

    check()
    monkeypatch.setitem(globals(), "GAIN", 0.75)
    check()
    monkeypatch.setitem(globals(), "GAIN", X)
    check()
    monkeypatch.setitem(globals(), "helper", lambda x: np.sin(x * GAIN))
    check()
    function.__defaults__ = (1.5,)
    check()
    function.__code__ = (lambda x, w=0.5: np.cos(x) @ x * w * x[0]).__code__
    if make in (sg.grad, sg.value_and_grad, sg.hessian, _hvp):
        check()


@every_maker
def test_wrong_calls_are_refused_as_before(make: Any, function: Any) -> None:
    derivative = make(function)
    derivative(X)
    for args, kwargs in (((X, 1.0, 2.0), {}), ((X,), {"v": 1.0}), ((X, 1.0), {"w": 1.0})):
        with pytest.raises(TypeError):
            derivative(*args, **kwargs)
    with pytest.raises((sg.SrcgradError, TypeError)):
        derivative(np.arange(3))


def _starred(x, *rest):
    return np.tanh(x) * x * sum(part for part in rest)


def _starred_once(x, w):
    return np.tanh(x) * x * w


def _of_complex(x, w):
    return np.real(np.tanh(x * w) * w)


@pytest.mark.parametrize("make", [sg.jacfwd, _jvp])
def test_parameters_with_a_star_and_complex_arguments_take_the_long_way(make: Any) -> None:
    derivative, of_complex = make(_starred), make(_of_complex)
    for rest in ((2.0,), (2.0, X), (X,), (2.0,)):
        _assert_alike(derivative(X, *rest), make(_starred_once)(X, sum(rest)))
    for factor in (X, X * 1j, X, X.astype(complex)):
        _assert_alike(of_complex(X, factor), make(_afresh(_of_complex))(X, factor))


def _of_other_type(x, w):
    return np.tanh(x).astype(np.float32) * 2


def _selected(x, w):
    return x[x > w] ** 2


def _at_times(x, w):
    return x * w if w > 0 else np.ones(3)


@pytest.mark.parametrize("make", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("function", [_of_other_type, _selected, _at_times])
def test_results_may_change_where_the_kinds_of_arguments_do_not(make: Any, function: Any) -> None:
    derivative = make(function)
    for w in (1.0, -1.0, 0.0, 5.0, 1.0):
        _assert_alike(derivative(X, w), make(_afresh(function))(X, w))


def test_side_effects_happen_once_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    def prints(x):
        print("called")
        return np.tanh(x).astype(np.float32)

    for make in (sg.jacfwd, sg.jacrev):
        derivative = make(prints)
        for _ in range(3):
            derivative(X)
        assert capsys.readouterr().out.count("called") == 3


@pytest.mark.parametrize("make", [sg.jacfwd, _jvp])
def test_results_of_repeated_calls_are_nobody_elses_memory(make: Any) -> None:
    def itself(x, w):
        return x, w

    def both(x, w):
        return np.concatenate([x, w @ x])

    matrix = np.ones((3, 3))
    for function in (itself, both):
        derivative = make(function)
        results = [derivative(X, matrix) for _ in range(3)]
        for found in results[1:]:
            _assert_alike(_flat(found), _flat(results[0]))
            for leaf in _leaves(_flat(found)[-1:]):
                assert not np.shares_memory(leaf, X)
                assert not np.shares_memory(leaf, matrix)


def _flat(found: Any) -> Any:
    return (
        found if type(found) is not tuple else tuple(x for part in found for x in _leaves((part,)))
    )


@every_maker
def test_threads_call_one_derivative_with_arguments_of_different_kinds(
    make: Any, function: Any
) -> None:
    derivative = make(function)
    expected = _expected(make, function)
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for place in [*range(start, len(CALLS)), *range(start)]:
                args, kwargs = CALLS[place]
                _assert_alike(derivative(*args, **kwargs), expected[place])
        except BaseException as error:  # noqa: BLE001 - for the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(3 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
