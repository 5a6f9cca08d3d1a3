"""Arguments whose elements lie in one memory, as `broadcast_to` and sliding windows give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

ARRAYS = {
    "rows": np.broadcast_to(np.arange(1.0, 4.0), (2, 3)),
    "columns": np.broadcast_to(np.arange(1.0, 3.0)[:, None], (2, 3)),
    "windows": np.lib.stride_tricks.sliding_window_view(np.arange(4.0), 3),
}
ALONG = np.arange(6.0).reshape(2, 3)


def flat(a: Any) -> Any:
    return np.sum(a.ravel() * 2.0 * a.T.reshape(-1)) + (a**2).flatten()[1]


def flat_and_written(a: Any) -> Any:
    b = a.ravel()
    b *= 2.0
    return np.sum(a) + np.sum(b * b)


def copied_and_written(a: Any) -> Any:
    b = np.ascontiguousarray(a)
    b[0] *= 2.0
    return np.sum(a * a) + np.sum(b * b)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("function", [flat, flat_and_written, copied_and_written])
def test_each_element_has_a_derivative_of_its_own(function: Callable[[Any], Any], name: str):
    a, along, step = ARRAYS[name], ALONG.copy(), 1e-4

    def moved(by: float) -> Any:  # with gaps, so that it is flattened into a copy, too
        return function(np.repeat(a + by * ALONG, 2, axis=1)[:, ::2])

    expected = (moved(step) - moved(-step)) / (2.0 * step)
    assert sg.jvp(function, (a,), (along,))[1] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(along, ALONG)
    for options in ({}, {"backend": "tape"}, {"verify": True}):
        grad = sg.grad(function, **options)(a)
        assert np.sum(grad * ALONG) == pytest.approx(expected, rel=1e-6)
