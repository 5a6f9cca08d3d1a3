"""Tells what joins lists from what could only be done to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import UnsupportedSyntaxError
from tests.differences import numerical_gradient


def symmetric_or_summed(x: Any) -> Any:
    if isinstance(x, np.ndarray) and x.ndim == 2:
        return np.sum((x + x.T) ** 2)
    return np.sum(np.asarray(x) ** 2)


def joined(x: Any) -> Any:
    return np.sum(np.asarray(x + x) ** 2)


def test_what_a_list_cannot_do_joins_none() -> None:
    gradient = sg.grad(symmetric_or_summed, fallback="error")
    np.testing.assert_array_equal(gradient([1.0, 2.0]), [2.0, 4.0])


def test_what_joins_lists_is_refused_for_them() -> None:
    gradient = sg.grad(joined, fallback="error")
    with pytest.raises(UnsupportedSyntaxError, match="joins, repeats"):
        gradient([1.0, 2.0])


def copied_as_an_array(x: Any) -> Any:
    y = np.copy(x)
    return np.sum((y + y * x[0]) ** 2)


def copied_as_it_is(x: Any) -> Any:
    y = x.copy()
    return np.sum(np.asarray(y + y) ** 2)


def test_what_numpy_copies_is_an_array() -> None:
    expected = numerical_gradient(copied_as_an_array, ([1.0, 2.0],), 0)
    found = sg.grad(copied_as_an_array, fallback="error")([1.0, 2.0])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(UnsupportedSyntaxError, match="joins, repeats"):
        sg.grad(copied_as_it_is, fallback="error")([1.0, 2.0])
