"""Tests that the checker ends where a text that it runs does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def refused_before_a_list_that_grows(x: Any) -> Any:
    k = np.array(3.0)
    k *= np.tanh(np.roll(k, -1, axis=0))  # which has no axis 0
    kept = [x * 1.0, x * 2.0]
    for _ in kept:
        kept.append(kept[0])
    return np.sum(kept[0]) * float(k)


def refused_before_a_loop_without_end(x: Any) -> Any:
    k = np.array(3.0)
    k *= np.tanh(np.roll(k, -1, axis=0))
    n = 1
    while n > 0:
        n += 1
    return np.sum(x) * n * float(k)


@pytest.mark.parametrize("f", [refused_before_a_list_that_grows, refused_before_a_loop_without_end])
def test_what_raises_before_a_loop_without_end_raises(f: Any) -> None:
    x = np.ones(3)
    with pytest.raises(np.exceptions.AxisError):
        f(x)
    with pytest.raises(np.exceptions.AxisError):
        sg.vjp(f, x)
    with pytest.raises(np.exceptions.AxisError):
        sg.jvp(f, (x,), (x,))


def ring(x: Any) -> Any:
    place = 0
    while x[place] < 1.5:
        place = (place + 1) % 4
    return x[place] ** 2


def two_in_turn(x: Any) -> Any:
    a, b = x[0], x[3]
    while a < 1.5:
        a, b = b, a
    return a * b**2


@pytest.mark.parametrize("f", [ring, two_in_turn])
def test_tests_that_come_round_again_end(f: Any) -> None:
    x = np.array([0.7, 1.3, 0.4, 1.9])
    steps = 1e-6 * np.eye(4)
    slopes = [(f(x + h) - f(x - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(sg.grad(f, fallback="error")(x), slopes, rtol=1e-6, atol=1e-8)
