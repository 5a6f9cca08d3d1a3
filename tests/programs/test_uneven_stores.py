"""Checks vectors that are stored over themselves in other steps: NumPy mixes elements up there."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import MutationError
from srcgrad.runtime.striding import reads_what_it_wrote

WEIGHTS = np.arange(1.0, 13.0)


def spread_out(x: Any) -> Any:
    y = x * 2.0
    y[::2] = y[:6]
    return np.sum(y * WEIGHTS)


def spread_by_name(x: Any) -> Any:
    first, _ = np.split(x, 2)
    x[::2] = first
    return np.sum(x * WEIGHTS)


def drawn_together(x: Any) -> Any:
    y = x * 2.0
    y[6:] = y[::2]
    return np.sum(y * WEIGHTS)


def drawn_together_at_the_start(x: Any) -> Any:
    y = x * 2.0
    y[:6] = y[1::2]
    return np.sum(y * WEIGHTS)


def copied_by_numpy(x: Any) -> Any:
    y = x * 2.0
    np.copyto(y[::3], y[2:6])
    return np.sum(y * WEIGHTS)


def row_of_a_column(x: Any) -> Any:
    y = x.reshape(3, 4) * 2.0
    y[1, :3] = y[:, 0]
    return np.sum(y.ravel() * WEIGHTS)


def column_of_a_row(x: Any) -> Any:
    y = x.reshape(3, 4) * 2.0
    y.T[0] = y[0, 1:]
    return np.sum(y.ravel() * WEIGHTS)


def turned_in_place(x: Any) -> Any:
    y = x * 2.0
    y[:] = y[::-1]
    return np.sum(y * WEIGHTS)


def shifted(x: Any) -> Any:
    y = x * 2.0
    y[1:] = y[:-1]
    y[::2] = y[1::2]
    return np.sum(y * WEIGHTS)


EVERY = [spread_out, spread_by_name, drawn_together, drawn_together_at_the_start, copied_by_numpy]
EVERY += [row_of_a_column, column_of_a_row, turned_in_place, shifted]


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("function", EVERY)
def test_the_gradient_is_that_of_what_numpy_does_or_refused(
    function: Callable[[Any], Any], backend: Any
) -> None:
    x = np.linspace(0.3, 2.0, 12)
    differences = [
        (function(x + 1e-6 * unit) - function(x - 1e-6 * unit)) / 2e-6 for unit in np.eye(12)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        try:
            value, found = sg.value_and_grad(function, backend=backend)(x.copy())
        except MutationError:
            assert function in (spread_out, spread_by_name, copied_by_numpy)
            return
    assert value == function(x.copy())
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", [turned_in_place, shifted])
def test_what_goes_on_in_the_same_steps_goes_by_source(function: Callable[[Any], Any]) -> None:
    sg.grad(function, fallback="error")(np.linspace(0.3, 2.0, 12))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_numpy_mixes_up_what_is_said_to_be(size: int) -> None:
    for step, pace in itertools.product((1, 2, 3), repeat=2):
        for begin, start in itertools.product(range(12 - (size - 1) * 3), repeat=2):
            memory = np.arange(12.0)
            target = memory[begin : begin + (size - 1) * step + 1 : step]
            value = memory[start : start + (size - 1) * pace + 1 : pace]
            wanted, said = value.copy(), reads_what_it_wrote(target, value)
            target[...] = value
            assert said != np.array_equal(target, wanted)
