"""A call that reaches a part left out of the text for all gets a text for its own flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import UnsupportedError
from tests.differences import numerical_gradient

X = np.array([0.1, 0.2])


def chosen_by_name(x: Any, kind: str = "square") -> Any:
    if kind == "square":
        return np.sum(x * x)
    by_name = getattr(np, kind)
    return np.sum(by_name(x) * x)


def always_reached(x: Any, kind: str = "square") -> Any:
    if kind == "square":
        return np.sum(x * x)
    return np.sum(np.frombuffer(x.tobytes()))


def test_a_text_for_the_flags_of_a_call_does_what_the_one_for_all_leaves_out() -> None:
    pulled = sg.pullback(chosen_by_name, fallback="error")
    for kind in ("square", "sin", "cos", "square", "exp", "sin"):
        _, back = pulled(X, kind)
        expected = numerical_gradient(chosen_by_name, (X, kind), 0)
        np.testing.assert_allclose(back(1.0), expected, rtol=1e-6)


def test_what_is_refused_for_its_flags_too_is_told() -> None:
    pulled = sg.pullback(always_reached, fallback="error")
    np.testing.assert_allclose(pulled(X)[1](1.0), 2.0 * X)
    for _ in range(2):
        with pytest.raises(UnsupportedError):
            pulled(X, "other")
