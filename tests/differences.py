"""Central differences of functions of nested floats and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def numerical_gradient(f: Callable[..., Any], args: tuple[Any, ...], argnum: int) -> Any:
    """Return the gradient of `f` with respect to one argument, with the argument's structure."""

    def at(value: Any) -> float:
        return float(f(*[value if i == argnum else copied(a) for i, a in enumerate(args)]))

    return _gradient(at, args[argnum], lambda value: value)


def copied(value: Any) -> Any:
    """Return a deep copy of nested dicts, tuples, lists and arrays."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(copied(item) for item in value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _gradient(at: Callable[[Any], float], value: Any, place: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {
            key: _gradient(at, item, lambda v, key=key: place({**copied(value), key: v}))
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return type(value)(
            _gradient(at, item, lambda v, i=i: place(_replaced(value, i, v)))
            for i, item in enumerate(value)
        )
    if not isinstance(value, np.ndarray):
        return _slope(lambda step: at(place(value + step)))
    grad = np.zeros(value.shape)
    for index in np.ndindex(value.shape):
        unit = np.zeros(value.shape)
        unit[index] = 1.0
        # an array without axes stays one
        grad[index] = _slope(lambda step, unit=unit: at(place(np.asarray(value + step * unit))))
    return grad


def _replaced(value: Any, position: int, new: Any) -> Any:
    return type(value)(new if i == position else copied(item) for i, item in enumerate(value))


def _slope(at: Callable[[float], float], step: float = 1e-4) -> float:
    """Return a derivative by differences of fourth order."""
    near = at(step) - at(-step)
    far = at(2 * step) - at(-2 * step)
    return (8 * near - far) / (12 * step)


def numerical_jacobian(
    function: Callable[..., Any], args: list[Any], place: int, shift: float = 1e-6
) -> Any:
    """Return the Jacobian by one argument, an array or a number, by central differences."""
    x = np.asarray(args[place], float)
    found = np.zeros(np.shape(function(*args)) + x.shape)
    for index in np.ndindex(x.shape):
        ends = []
        for step in (shift, -shift):
            moved = x.copy()
            moved[index] += step
            given = moved if np.ndim(args[place]) else moved.item()
            ends.append(np.asarray(function(*args[:place], given, *args[place + 1 :])))
        found[(..., *index)] = (ends[0] - ends[1]) / (2 * shift)
    return found


def assert_same(actual: Any, expected: Any, rtol: float = 1e-6, atol: float = 1e-7) -> None:
    """Assert that nested gradients agree in structure, shape and value."""
    if isinstance(expected, dict):
        assert isinstance(actual, dict)
        assert actual.keys() == expected.keys()
        for key, item in expected.items():
            assert_same(actual[key], item, rtol, atol)
    elif isinstance(expected, (list, tuple)):
        assert type(actual) is type(expected)
        for mine, item in zip(actual, expected, strict=True):
            assert_same(mine, item, rtol, atol)
    else:
        assert np.shape(actual) == np.shape(expected)
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)
