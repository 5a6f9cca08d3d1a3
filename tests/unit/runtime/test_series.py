"""Slopes where a series, a limit or nothing at all takes the place of a formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

import srcgrad as sg
from srcgrad.runtime.ordering import quantile_back
from srcgrad.runtime.scipy import orders
from srcgrad.runtime.scipy.neighbours import Axis
from srcgrad.runtime.slopes import sinc_slope
from tests.differences import numerical_gradient


@pytest.mark.parametrize("x", [0.0, 1e-9, 1e-3, 0.01, 0.0318, 0.0319, 0.05, 0.3, 1.0, -0.02, -0.7])
def test_the_slope_of_sinc_is_precise_near_its_top(x: float) -> None:
    h = np.longdouble(1e-3)
    at = [np.sinc(x + step * h) for step in (-2, -1, 1, 2)]
    wanted = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)
    assert abs(sinc_slope(x) - wanted) <= 1e-10


@pytest.mark.parametrize("mode", ["mirror", "constant", "wrap", "grid-constant"])
@pytest.mark.parametrize("order", range(6))
def test_weights_of_neighbours_are_those_of_splines(order: int, mode: str) -> None:
    points, h = np.array([2.2, 2.7, 3.4]), 1e-6
    how = {"order": order, "mode": mode}
    weights = Axis(points, 9, 0, how).weights()
    assert weights.shape == (order + 1, 3)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    if order:  # splines give straight lines back
        line = (weights * Axis(points, 9, 0, how).places).sum(axis=0)
        np.testing.assert_allclose(line, points, atol=1e-12)
    slopes = Axis(points, 9, 0, how).weights(1)
    ends = [Axis(points + step, 9, 0, how).weights() for step in (-h, h)]
    np.testing.assert_allclose(slopes, (ends[1] - ends[0]) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (3, 0, 2)])
def test_quantiles_of_nothing_have_no_slopes(shape: tuple[int, ...]) -> None:
    axis = shape.index(0)
    method = ("linear", False, True)
    found, level = quantile_back(np.nan, np.zeros(shape), 0.5, axis, method, 1.0)
    assert found.shape == shape
    assert level.shape == ()
    assert level == 0.0


FINDERS = [optimize.bisect, optimize.brentq, optimize.brenth, optimize.ridder, optimize.toms748]


@pytest.mark.parametrize("find", FINDERS, ids=lambda find: find.__name__)
def test_ends_of_a_bracket_play_no_part_in_the_root(find: Any) -> None:
    def root(a: float, b: float, c: float) -> Any:
        return find(lambda x, k: x**3 - k, a, b, args=(c,)) ** 2

    args = (0.3, 2.9, 1.7)
    grads = sg.grad(root, (0, 1, 2))(*args)
    assert grads[:2] == (0.0, 0.0)
    np.testing.assert_allclose(grads[2], numerical_gradient(root, args, 2), rtol=1e-5)


SPACINGS: dict[str, Any] = {
    "one apart": lambda y, x: np.sum(np.gradient(y) ** 2),
    "further apart": lambda y, x: np.sum(np.gradient(y, 0.5) ** 3),
    "at places": lambda y, x: np.sum(np.gradient(y, np.cumsum(x * x)) ** 2),
    "at places, exact ends": lambda y, x: np.sum(
        np.gradient(y, np.cumsum(x * x), edge_order=2) ** 2
    ),
}


@pytest.mark.parametrize("case", SPACINGS)
def test_differences_of_neighbours_are_differentiated_by_values_and_places(case: str) -> None:
    y, x = np.array([0.3, -1.2, 2.0, 0.7, 0.1]), np.array([0.5, 1.1, 0.7, 0.9, 1.3])
    function = SPACINGS[case]
    for place, grad in enumerate(sg.grad(function, (0, 1))(y, x)):
        wanted = numerical_gradient(function, (y, x), place)
        np.testing.assert_allclose(grad, wanted, rtol=1e-5, atol=1e-6)


METHODS = [
    *("linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf"),
    *("closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased"),
    "normal_unbiased",
]


@pytest.mark.parametrize("q", [0.0, 0.03, 0.42, 0.97, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles_of_every_method_move_with_their_values(method: str, q: float) -> None:
    def quantile(x: Any) -> Any:
        return np.sum(np.quantile(x, q, axis=0, method=method) ** 2)

    x = np.array([[0.3, 2.0], [1.7, -0.4], [-1.1, 0.6], [0.9, 1.2]])
    grad = sg.grad(quantile)(x)
    np.testing.assert_allclose(grad, numerical_gradient(quantile, (x,), 0), rtol=1e-5, atol=1e-7)


ORDERS = np.array([-7.3, -2.0, -0.4, 0.0, 0.3, 1.0, 2.5, 11.0, 37.6])
POINTS = np.array([0.05, 0.7, 2.0, 5.5, 9.0, 31.0, 130.0])


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv", "ive", "kve"])
def test_slopes_in_the_order_of_a_bessel_function_are_those_of_differences(name: str) -> None:
    function, slope = getattr(special, name), getattr(orders, f"{name}_slope")
    v, z = np.meshgrid(ORDERS, POINTS)
    with np.errstate(all="ignore"):
        h = 1e-3 * np.array([-3, -2, -1, 1, 2, 3])
        at = np.array([function(v + step, z) for step in h])
        wanted = np.tensordot([-1, 9, -45, 45, -9, 1], at, 1) / 60e-3
    taken = np.isfinite(wanted) & (np.abs(wanted) < 1e200)
    assert np.mean(taken) > 0.9
    scale = np.abs(wanted) + np.max(np.abs(np.where(np.isfinite(at), at, 0)), axis=0)
    for place in zip(*np.nonzero(taken), strict=True):
        found = slope(v[place], z[place])
        assert abs(found - wanted[place]) <= 1e-8 * scale[place], (v[place], z[place])
