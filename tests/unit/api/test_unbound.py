"""Tests that a derivative raises where the function does for want of a binding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

VECTOR = np.array([0.5, 1.0, 2.0])


def bound_in_a_branch(x: Any) -> Any:
    if x[0] > 100:
        y = x[1]
    return y + x[0]


def bound_in_an_inner_branch(x: Any) -> Any:
    if x[0] > 0:
        if x[1] > 100:
            y = x[1] * 2.0
    else:
        y = x[2]
    z = y * 3.0 + x[0]
    return z + x[2]


@pytest.mark.parametrize("f", [bound_in_a_branch, bound_in_an_inner_branch])
@pytest.mark.parametrize("derive", [sg.grad, sg.value_and_grad])
def test_what_no_path_has_bound_cannot_be_read(f: Any, derive: Any) -> None:
    with pytest.raises(UnboundLocalError):
        f(VECTOR)
    with pytest.raises(UnboundLocalError):
        derive(f, fallback="error")(VECTOR)


def test_what_the_path_has_bound_can_be_read() -> None:
    far = VECTOR + 200.0
    np.testing.assert_array_equal(sg.grad(bound_in_a_branch)(far), [1.0, 1.0, 0.0])
