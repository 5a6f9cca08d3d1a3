"""Tests that forward mode and pullbacks refuse what only they cannot do, and name the line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0])


class WithoutTangent(sg.autograd.Function):
    """A rule for reverse mode alone."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2.0

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2.0


def by_a_rule_for_reverse_mode(x: Any) -> Any:
    y = WithoutTangent.apply(x)
    return np.sum(y)


def test_an_unknown_tangent_is_refused_by_line() -> None:
    words = r"the tangent of `.*WithoutTangent` is not known"
    with (
        pytest.warns(sg.FallbackWarning, match=words) as caught,
        pytest.raises(NotImplementedError),
    ):
        sg.jvp(by_a_rule_for_reverse_mode, (X,), (X,))
    (warning,) = caught
    line = by_a_rule_for_reverse_mode.__code__.co_firstlineno + 1
    assert f"test_refusals_of_modes.py:{line}" in str(warning.message)
    assert "`forward` and `jvp`" in str(warning.message)


def weight_updated(x: Any, w: Any) -> Any:
    w += x
    return w * x


def test_a_pullback_of_a_function_that_updates_its_parameter_goes_by_source() -> None:
    x, w = np.array([0.5, -1.0]), np.array([1.0, 2.0])
    value, pull = sg.vjp(weight_updated, x, w.copy(), fallback="error")
    expected, pull_plainly = sg.vjp(lambda x, w: (w + x) * x, x, w)
    np.testing.assert_allclose(value, expected)
    for found, known in zip(pull(value), pull_plainly(value), strict=True):
        np.testing.assert_allclose(found, known)
