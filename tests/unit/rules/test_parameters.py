"""Derivatives by quadrature, in the parameter of an integrand: over the whole range of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import srcgrad as sg
from srcgrad.runtime.scipy.parameters import betainc_slope, gammainc_slope

SIZES = np.array([1e-3, 0.05, 0.7, 1.0, 3.0, 20.0, 150.0, 1e3, 1e5])
PARTS = np.array([1e-9, 1e-3, 0.04, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9])
A = SIZES[:, None, None]


def assert_equal_but_for_rounding(left: Any, right: Any, *terms: Any) -> None:
    size = np.max(np.abs(np.broadcast_arrays(left, *terms)), axis=0)
    assert np.all(np.abs(left - right) <= 1e-8 * size + 1e-300)


def test_the_slope_of_the_incomplete_gamma_function_obeys_its_recurrence() -> None:
    a, x = A, np.array([1e-8, 0.01, 0.99, 1.01, 5.0, *(0.5 * SIZES), *SIZES, *(2 * SIZES + 9)])
    term = np.exp(a * np.log(x) - x - special.gammaln(a + 1))
    more = term * (np.log(x) - special.digamma(a + 1))
    found, next_one = gammainc_slope(a, x), gammainc_slope(a + 1, x)
    assert_equal_but_for_rounding(next_one, found - more, found, more)


def test_the_slope_of_the_incomplete_beta_function_obeys_its_recurrence() -> None:
    a, b, x = A, SIZES[:, None], PARTS
    term = np.exp(a * np.log(x) + b * np.log1p(-x) - special.betaln(a, b)) / a
    turn = np.log(x) - special.digamma(a + 1) + special.digamma(a + b)
    found, next_one = betainc_slope(a, b, x), betainc_slope(a + 1, b, x)
    assert_equal_but_for_rounding(next_one, found - term * turn, found, term * turn)


@pytest.mark.parametrize("a", [1e-3, 0.7, 20.0, 1e3])
def test_the_slopes_agree_with_differences(a: float) -> None:
    h = 1e-3 * min(a, np.sqrt(a))
    for x in (0.1 * a, a, a + 2 * np.sqrt(a)):
        for call, found in (
            (lambda p, x=x: special.gammainc(p, x), gammainc_slope(a, x)),
            (
                lambda p, x=x: special.betainc(p, 3.0, x / (x + 3)),
                betainc_slope(a, 3.0, x / (x + 3)),
            ),
        ):
            near, far = call(a + h) - call(a - h), call(a + 2 * h) - call(a - 2 * h)
            np.testing.assert_allclose(found, (8 * near - far) / (12 * h), rtol=1e-6)


def test_ends_and_what_is_outside() -> None:
    np.testing.assert_array_equal(
        gammainc_slope(2.0, np.array([0.0, np.inf, -1.0])), [0, 0, np.nan]
    )
    np.testing.assert_array_equal(
        betainc_slope(2.0, 3.0, np.array([0.0, 1.0, 1.5])), [0, 0, np.nan]
    )
    assert gammainc_slope(np.float32(2), np.float32(1)).dtype == np.float32
    assert gammainc_slope(2.0, np.ones(0)).shape == (0,)


def second(a: float) -> Any:
    return special.gammainc(a, 1.3) ** 2


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_the_second_derivative_is_refused(fallback: Any) -> None:
    with pytest.raises(sg.SrcgradError):
        sg.grad(sg.grad(second), fallback=fallback)(1.7)
