"""Arrays of whole numbers are refused to be written into where NumPy would just cut the floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def _by_number(x: Any, y: Any, i: int) -> Any:
    x[i, 0] += y
    return np.sum(x * x)


def _by_slice(x: Any, y: Any, i: int) -> Any:
    x[1:] += y
    return np.sum(x * x)


def _by_slice_and_number(x: Any, y: Any, i: int) -> Any:
    x[1:, i] += y
    return np.sum(x * x)


def _by_number_and_dots(x: Any, y: Any, i: int) -> Any:
    x[i, ...] += y
    return np.sum(x * x)


def _set_by_slice(x: Any, y: Any, i: int) -> Any:
    x[1:, i] = y
    return np.sum(x * x)


def _filled(x: Any, y: Any, i: int) -> Any:
    x.fill(y)
    return np.sum(x * x) + i


def _put(x: Any, y: Any, i: int) -> Any:
    np.put(x, [i], y)
    return np.sum(x * x)


def _asked(x: Any, y: Any, i: int) -> Any:
    z = x.copy()
    np.shape(z)
    z[1:] += y
    np.may_share_memory(z, x)
    return np.sum(z * z) + i


CHECKED = {
    _asked: False,
    _filled: True,
    _put: True,
    _by_number: True,
    _by_slice: False,
    _by_slice_and_number: False,
    _by_number_and_dots: False,
    _set_by_slice: True,
}


@pytest.mark.parametrize("f", CHECKED)
def test_updates_of_parts_that_are_arrays_are_left_to_numpy(f: Any) -> None:
    gradient = sg.grad(f, 1)
    assert ("refuse_integers" in gradient.source) is CHECKED[f]
    assert gradient(np.ones((3, 3)), 2.0, 1) > 0
    with pytest.raises(TypeError):  # NumPy's error is one, and ours
        gradient(np.ones((3, 3), int), 2.5, 1)
