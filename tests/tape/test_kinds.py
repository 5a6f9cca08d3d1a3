"""Checks that plain code on the tape takes the branches that it takes alone, by types."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Container, Iterable, Sized
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

TESTS: dict[str, Callable[[Any], bool]] = {
    "float": lambda v: isinstance(v, float),
    "number": lambda v: isinstance(v, numbers.Number),
    "array": lambda v: isinstance(v, np.ndarray),
    "floating": lambda v: isinstance(v, np.floating),
    "type": lambda v: type(v) is float,
    "scalar": lambda v: bool(np.isscalar(v)),
    "attribute": lambda v: hasattr(v, "shape"),
    "length": lambda v: hasattr(v, "__len__"),
    "iterable": lambda v: isinstance(v, Iterable),
    "sized": lambda v: isinstance(v, (list, Sized)),
    "container": lambda v: isinstance(v, Container),
    "iterator": lambda v: bool(np.iterable(v)),
    "of a product": lambda v: isinstance(v * 1.5, np.ndarray),
    "of a conversion": lambda v: isinstance(np.asarray(v * 1.5), np.ndarray),
    "of a new array": lambda v: bool(np.isscalar(np.array(v))),
}


@pytest.mark.parametrize("asks", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("x", [1.5, np.float64(1.5), np.array(1.5), np.float32(1.5)], ids=repr)
def test_a_value_without_axes_is_what_it_is_alone(asks: Callable[[Any], bool], x: Any) -> None:
    def f(v: Any) -> Any:
        return v * 2.0 if asks(v) else v * 3.0

    slope = 2.0 if asks(x) else 3.0
    assert sg.grad(f, backend="tape")(x) == slope
    assert sg.jvp(f, (x,), (1.0,), backend="tape")[1] == slope
