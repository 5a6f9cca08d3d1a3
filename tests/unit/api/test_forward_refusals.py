"""Tests that forward mode refuses what it has no tangent of, and names the line."""

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
    assert f"test_forward_refusals.py:{line}" in str(warning.message)
    assert "`forward` and `jvp`" in str(warning.message)
