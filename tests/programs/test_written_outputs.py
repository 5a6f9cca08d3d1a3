"""Helpers that write by SciPy's `output` are never taken for such that write into nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import srcgrad as sg
from tests.differences import numerical_gradient

X = np.array([0.1, 0.5, 0.2, 0.7])


def _smoothed(image, out=None):
    ndimage.gaussian_filter(image, 1.0, output=out)
    return out


def _smoothed_by_position(image, out):
    ndimage.gaussian_filter(image, 1.0, 0, out)


def _checked(image, *, out=None, sigma=1.0):
    if out is None:
        out = np.empty_like(image)
    elif not np.issubdtype(out.dtype, np.floating):
        raise ValueError("whole numbers")
    ndimage.gaussian_filter(image, sigma, output=out)
    return out


def _returned(image, sigma=1.0, *, out=None, axis=None):
    if axis is not None:
        sigma = [sigma]
    if out is not None and not np.issubdtype(out.dtype, np.floating):
        raise ValueError("whole numbers")
    return ndimage.gaussian_filter(image, sigma, output=out)


def by_name(x):
    t = np.zeros(x.shape)
    _smoothed(x, t)
    return np.sum(t * x)


def by_position(x):
    t = np.zeros(x.shape)
    _smoothed_by_position(x, t)
    return np.sum(t * x)


def behind_a_check(x):
    t = np.zeros(x.shape)
    _checked(x, out=t)
    return np.sum(t * x)


def in_what_is_returned(x):
    t = np.zeros(x.shape)
    _returned(x, 1.0, out=t)
    return np.sum(t - 1.0)


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("function", [by_name, by_position, behind_a_check, in_what_is_returned])
def test_it_is_right_or_refused(function: Callable[..., Any], backend: str) -> None:
    expected = numerical_gradient(function, (X,), 0)
    try:
        found = sg.grad(function, backend=backend, fallback="tape")(X)
    except sg.SrcgradError:
        return
    assert np.allclose(found, expected, atol=1e-6)
