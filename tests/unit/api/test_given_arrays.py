"""Checks gradients of functions that write into arrays which a list or dict of the caller holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def scaled(p: Any, x: Any) -> Any:
    p[0] *= x
    u, v = p
    v -= u
    return np.sum(p[0] * p[1])


def arrays() -> Any:
    return [np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.25, -0.5])]


X = np.array([0.3, 1.2, -0.7])


def test_each_call_is_asked_what_it_holds() -> None:
    gradient = sg.grad(scaled, (0, 1), fallback="tape")
    first = gradient(arrays(), X)
    assert "Taken for granted: isinstance(p[0], np.ndarray)" in gradient.source
    other, _ = gradient([arrays()[0], 0.5], X)  # a number is bound anew, so the tape it is
    assert other[1] == pytest.approx(np.sum(arrays()[0] * X))
    again = gradient(arrays(), X)
    for one, two in zip((*first[0], first[1]), (*again[0], again[1]), strict=True):
        np.testing.assert_array_equal(one, two)


def test_one_array_twice_is_no_call_for_the_text() -> None:
    gradient = sg.grad(scaled, (0, 1), fallback="error")
    gradient(arrays(), X)
    one = arrays()[0]
    with pytest.raises(sg.MutationError, match="shares memory with another"):
        gradient([one, one], X)
    with pytest.raises(sg.MutationError, match="shares memory with"):
        gradient([arrays()[0], X[:]], X)


def test_pure_derivatives_leave_what_is_held() -> None:
    given = arrays()
    pure, _ = sg.grad(scaled, (0, 1), pure=True, fallback="tape")(given, X)
    written, _ = sg.grad(scaled, (0, 1), fallback="error")(arrays(), X)
    for one, two, before, now in zip(pure, written, arrays(), given, strict=True):
        np.testing.assert_allclose(one, two)
        np.testing.assert_array_equal(before, now)
