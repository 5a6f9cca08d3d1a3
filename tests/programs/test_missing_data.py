"""Checks that data that are NaN or infinite, and left out, leave every derivative as it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

nan, inf = np.nan, np.inf
DATA = np.array([1.0, nan, 3.0, 4.5])
THERE = np.array([True, False, True, True])
ENDLESS = np.array([1.0, inf, 3.0, -inf])
ROWS = np.array([[1.0, 2.0], [nan, 1.0], [3.0, 4.0]])
CUBES = np.array([[[1.0, nan], [2.0, 3.0]], [[0.5, 1.0], [1.5, -2.0]]])


def squares(b: Any) -> Any:
    return np.nansum((DATA - b) ** 2)


def without_missing(b: Any) -> Any:
    r = DATA - b
    r = r[~np.isnan(r)]
    return np.sum(r**3)


def summed_where(b: Any) -> Any:
    return np.sum((DATA * b) ** 2, where=THERE)


def averaged_where(b: Any) -> Any:
    return np.mean((DATA - b) ** 2, where=THERE) + np.std(DATA * b * b, where=THERE)


def largest_where(b: Any) -> Any:
    return np.max((DATA - b) ** 2, where=THERE, initial=0.0)


def product_where(b: Any) -> Any:
    return np.prod((DATA - b) ** 2, where=THERE)


def product(b: Any) -> Any:
    return np.nanprod(DATA * b)


def average(b: Any) -> Any:
    return np.nanmean(DATA * b) * b


def deviations(b: Any) -> Any:
    return np.nanvar(DATA * b) + np.nanstd(DATA * b)


def extremes(b: Any) -> Any:
    return np.nanmax(DATA * b) * np.nanmin(DATA * b)


def median(b: Any) -> Any:
    return np.nanmedian(DATA * b) * b


def quantile(b: Any) -> Any:
    return np.nanquantile(DATA * b, 0.3) * b


def running(b: Any) -> Any:
    return np.sum(np.nancumsum(DATA * b) ** 2)


def replaced(b: Any) -> Any:
    return np.sum(np.nan_to_num(DATA * b) ** 2)


def overwritten(b: Any) -> Any:
    r = (DATA - b) ** 2
    r[np.isnan(r)] = 0
    return np.sum(r)


def in_a_loop(b: Any) -> Any:
    total = 0.0
    r = (DATA - b) * b
    for i in range(4):
        if not np.isnan(r[i]):
            total += r[i] ** 2
    return total


def of_rows(b: Any) -> Any:
    return np.nansum(ROWS @ np.array([b, b * b]))


def of_tables(b: Any) -> Any:
    return np.nansum(np.einsum("ijk,k->ij", CUBES, np.stack([b, b * b])) ** 2)


def curves(b: Any) -> Any:
    return np.nansum(np.sin(DATA * b) * np.exp(-DATA * b))


def called(b: Any) -> Any:
    return np.nansum(model(DATA, b)) + np.nanmean(model(DATA, b * b))


def model(t: Any, b: Any) -> Any:
    return b * t / (1.0 + b * t)


def finite(b: Any) -> Any:
    return np.sum((ENDLESS * b)[np.isfinite(ENDLESS)] ** 2)


def endless_replaced(b: Any) -> Any:
    return np.sum(np.where(np.isinf(ENDLESS), b, ENDLESS * b) * b)


PROGRAMS = [
    *(squares, without_missing, summed_where, averaged_where, largest_where, product_where),
    *(product, average, deviations, extremes, median, quantile, running, replaced, overwritten),
    *(in_a_loop, of_rows, of_tables, curves, called, finite, endless_replaced),
]
each = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
POINT, STEP = 1.3, 1e-6


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def slope(f: Callable[[float], Any], at: float = POINT) -> Any:
    return (f(at + STEP) - f(at - STEP)) / (2 * STEP)


@each
def test_what_is_missing_and_left_out_adds_nothing_to_the_gradient(f: Any) -> None:
    value, gradient = sg.value_and_grad(f)(POINT)
    np.testing.assert_allclose(value, f(POINT), rtol=1e-12)
    np.testing.assert_allclose(gradient, slope(f), rtol=1e-6)


@each
def test_nor_to_that_of_the_tape(f: Any) -> None:
    def refused(b: Any) -> Any:
        return f(b) + 0.0 * eval("b")  # not differentiated by source

    np.testing.assert_allclose(sg.grad(refused, fallback="tape")(POINT), slope(f), rtol=1e-6)


@each
def test_nor_to_a_pullback_or_to_a_jacobian(f: Any) -> None:
    _, pull = sg.vjp(f, POINT)
    np.testing.assert_allclose(pull(2.0), (2 * slope(f),), rtol=1e-6)
    np.testing.assert_allclose(sg.jacobian(f)(POINT), slope(f), rtol=1e-6)


@each
def test_nor_to_a_tangent(f: Any) -> None:
    _, tangent = sg.jvp(f, (POINT,), (1.0,))
    np.testing.assert_allclose(tangent, slope(f), rtol=1e-6)


@each
def test_nor_to_a_second_derivative(f: Any) -> None:
    curvature = sg.hvp(f, (POINT,), (1.0,))
    np.testing.assert_allclose(curvature, slope(sg.grad(f)), rtol=1e-5, atol=1e-7)


def test_weights_of_what_is_missing_have_the_gradient_zero() -> None:
    def fit(w: Any, b: float) -> Any:
        return np.nansum((DATA * w - b) ** 2)

    by_w, by_b = sg.grad(fit, argnums=(0, 1))(np.ones(4), 0.3)
    assert by_w[1] == 0
    assert np.isfinite(by_w).all()
    np.testing.assert_allclose(by_b, slope(lambda b: fit(np.ones(4), b), 0.3), rtol=1e-6)


def test_what_is_missing_and_used_gives_nan() -> None:
    assert np.isnan(sg.grad(lambda b: np.sum(DATA * b))(POINT))
    assert np.isnan(sg.grad(lambda b: np.nansum(DATA * b) + np.sum(DATA * b))(POINT))


def larger(x: Any) -> Any:
    return np.sum(np.fmax(np.sqrt(x), DATA) ** 2)


def smaller(x: Any) -> Any:
    return np.sum(np.fmin(DATA, np.log(x) * x) ** 2) + np.sum(np.fmax(DATA * x, x**1.5))


@pytest.mark.parametrize("f", [larger, smaller])
def test_what_is_compared_with_nan_has_the_whole_gradient(f: Any) -> None:
    x = np.array([1.3, 2.2, 3.1, 0.8])
    expected = numerical_gradient(f, (x,), 0)
    assert_same(sg.grad(f)(x), expected)
    assert_same(sg.grad(lambda x: f(x) + 0 * eval("x[0]"), fallback="tape")(x), expected)
