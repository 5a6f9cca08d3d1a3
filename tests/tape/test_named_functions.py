"""Functions by the names of torch that take options of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad import tape
from srcgrad.tape import creation, functions

X, Y = np.array([0.5, -1.5, 2.0]), np.array([2.0, 0.3, -0.7])


@pytest.mark.parametrize("alpha", [1, 0, 2.5, -1])
def test_what_is_added_is_scaled(alpha: float) -> None:
    np.testing.assert_allclose(functions.add(X, Y, alpha=alpha).numpy(), X + alpha * Y)
    np.testing.assert_allclose(functions.sub(X, Y, alpha=alpha).numpy(), X - alpha * Y)
    y = tape.tensor(Y.copy(), requires_grad=True)
    (functions.add(X, y, alpha=alpha) - functions.sub(X, y, alpha=alpha)).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), np.full(3, 2.0 * alpha))


def test_quotients_are_rounded_as_is_asked_for() -> None:
    np.testing.assert_allclose(functions.div(X, Y).numpy(), X / Y)
    floor = functions.div(X, Y, rounding_mode="floor")
    np.testing.assert_allclose(floor.numpy(), X // Y)
    np.testing.assert_allclose(functions.div(X, Y, rounding_mode="trunc").numpy(), np.trunc(X / Y))


MADE = {
    "zeros": (creation.zeros, np.zeros((2, 3))),
    "ones": (creation.ones, np.ones((2, 3))),
}


@pytest.mark.parametrize("dtype", [None, np.float32, int])
@pytest.mark.parametrize("name", MADE)
def test_new_tensors_have_the_kind_that_is_asked_for(name: str, dtype: Any) -> None:
    make, wanted = MADE[name]
    for found in (make(2, 3, dtype=dtype), make((2, 3), dtype=dtype)):
        np.testing.assert_array_equal(found.numpy(), wanted)
        assert found.numpy().dtype == np.dtype(dtype or float)
    assert make(2).requires_grad is False
    assert make(2, requires_grad=True).requires_grad is True
