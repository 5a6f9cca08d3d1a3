"""Derivatives by quadrature, in the parameter of an integrand: over the whole range of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import srcgrad as sg
from srcgrad.runtime.scipy.curvatures import betainc_curve, betainc_twist, gammainc_curve
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


def test_the_second_derivatives_obey_the_recurrences() -> None:
    a, x = A, np.array([1e-8, 0.01, 0.99, 1.01, 5.0, *(0.5 * SIZES), *SIZES, *(2 * SIZES + 9)])
    term = np.exp(a * np.log(x) - x - special.gammaln(a + 1))
    turn = np.log(x) - special.digamma(a + 1)
    more = term * (turn * turn - special.zeta(2, a + 1))
    found, next_one = gammainc_curve(a, x), gammainc_curve(a + 1, x)
    assert_equal_but_for_rounding(next_one, found - more, found, more)


def test_the_second_derivatives_of_the_incomplete_beta_function_obey_its_recurrence() -> None:
    a, b, x = A, SIZES[:, None], PARTS
    term = np.exp(a * np.log(x) + b * np.log1p(-x) - special.betaln(a, b)) / a
    both = special.digamma(a + b)
    turn = np.log(x) - special.digamma(a + 1) + both
    other = np.log1p(-x) - special.digamma(b) + both
    curve = term * (turn * turn - special.zeta(2, a + 1) + special.zeta(2, a + b))
    twist = term * (turn * other + special.zeta(2, a + b))
    found, next_one = betainc_curve(a, b, x), betainc_curve(a + 1, b, x)
    size = 1e-2 * term * special.zeta(2, a)  # what cancels in `curve`
    assert_equal_but_for_rounding(next_one, found - curve, found, curve, size)
    found, next_one = betainc_twist(a, b, x), betainc_twist(a + 1, b, x)
    assert_equal_but_for_rounding(next_one, found - twist, found, twist, size)


def test_the_mixed_derivative_is_that_of_the_other_tail() -> None:
    a, b, x = A[:7], SIZES[:7, None], np.array([0.04, 0.3, 0.9])
    left, right = betainc_twist(a, b, x), -betainc_twist(b, a, 1 - x)
    assert_equal_but_for_rounding(left, right, np.max(np.abs(left), axis=-1, keepdims=True))


def gamma(p: Any) -> Any:
    return special.gammainc(p[0], p[1]) ** 2 + special.gammaincinv(p[0], p[2]) ** 2


def beta(p: Any) -> Any:
    return special.betainc(p[0], p[1], p[2]) ** 2 + special.betaincinv(p[0], p[1], p[2]) ** 2


@pytest.mark.parametrize("function", [gamma, beta])
def test_the_second_derivatives_in_all_arguments_agree_with_differences(function: Any) -> None:
    p, h = np.array([1.7, 2.3, 0.4]), 1e-3
    gradient = sg.grad(function, fallback="error")
    for i, row in enumerate(sg.jacrev(gradient)(p)):
        step = h * np.eye(3)[i]
        near, far = gradient(p + step) - gradient(p - step), gradient(p + 2 * step)
        far = far - gradient(p - 2 * step)
        np.testing.assert_allclose(row, (8 * near - far) / (12 * h), rtol=1e-7, atol=1e-9)


def curved(a: float) -> Any:
    return special.gammainc(a, 1.3) ** 2


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_the_third_derivative_is_refused(fallback: Any) -> None:
    with pytest.raises(sg.SrcgradError, match="third derivative"):
        sg.grad(sg.grad(sg.grad(curved)), fallback=fallback)(1.7)
