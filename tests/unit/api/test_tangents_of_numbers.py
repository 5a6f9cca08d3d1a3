"""Tangents of numbers are numbers, since an update of a number binds it anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.3, 0.5, 0.7, 0.9])
WAY = np.array([1.0, -2.0, 0.5, 0.3])


def copied_and_added_to(s: Any, x: Any) -> Any:
    e = s
    for u in x:
        e += u
    return e * s


def sum_copied_and_added_to(s: Any, x: Any) -> Any:
    out = s * x[1] + (max(-0.4, 0.7) * 2.0)
    e = out
    for u in x:
        e += 0.1 * u
    return x * out + e


def three_names_of_one(s: Any, x: Any) -> Any:
    m = np.sum(x) + s
    e = f = m
    e *= s
    f -= e
    return np.array([e, f, m])


def parts_of_a_tuple(s: Any, x: Any) -> Any:
    pair = (s, s * 2)
    a, b = pair
    a += x[0]
    b *= a
    return a * b + pair[0] * pair[1]


PROGRAMS = [copied_and_added_to, sum_copied_and_added_to, three_names_of_one, parts_of_a_tuple]


def _slope(function: Callable[..., Any]) -> Any:
    ends = [np.asarray(function(0.8 + h, X + h * WAY)) for h in (1e-6, -1e-6)]
    return (ends[0] - ends[1]) / 2e-6


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("number", [0.8, np.float64(0.8)], ids=["float", "of NumPy"])
@pytest.mark.parametrize("way", [1.0, np.float64(1.0), np.array(1.0)], ids=["1", "2", "3"])
def test_what_is_added_to_one_name_is_not_added_to_another(
    program: Callable[..., Any], number: Any, way: Any
) -> None:
    given = way.copy() if isinstance(way, np.ndarray) else way
    _, tangent = sg.jvp(program, (number, X), (given, WAY))
    np.testing.assert_allclose(tangent, _slope(program), rtol=1e-6)
    assert float(given) == 1.0


def test_an_argument_without_axes_is_written_as_the_function_writes_it() -> None:
    s = np.array(0.8)
    value, tangent = sg.jvp(copied_and_added_to, (s, X), (np.array(1.0), WAY))
    total = 0.8 + np.sum(X)  # `e` is `s`, which is written
    np.testing.assert_allclose([value, s], [total**2, total])
    np.testing.assert_allclose(tangent, 2 * total * (1.0 + np.sum(WAY)))
