"""Calls with options and operands that specs do not draw, in both engines and modes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient
from tests.unit.rules.lines import functions_of, gradients, slopes

CALLS = (
    "np.maximum.reduce(x) ** 2",
    "np.minimum.reduce(x, keepdims=True) ** 2",
    "np.logaddexp.reduce(x) ** 2",
    "np.fmin.reduce(x, keepdims=True, initial=None) ** 2",
    "np.subtract.accumulate(x, dtype=None, axis=1) ** 2",
    "np.diff(x, 0, 0, x[0], x) ** 2",
    "np.nanmedian(np.where(x == np.max(x), np.nan, x), axis=1) ** 2",
    "np.median(np.where(x == np.max(x), np.inf, x)) ** 2",
    "np.polymul(x[0], x[1]) ** 2",
    "np.polymul(np.append(np.zeros(2), x[0]), np.append(0.0, x[1])) ** 2",
    "np.polymul(x[0] * np.array([1.0, 0.0, 0.0]), x[1]) ** 2",
    "np.polymul(x[0], x[1] * 0.0) + x[0, 0]",
    "np.polymul(x[0, 1], x[1]) ** 2",
    "np.asfortranarray(x[0, 0])[0] ** 2 * np.ascontiguousarray(x[0, 1] * 2)[0]",
    "np.concatenate(x) ** 2",
    "np.stack(x, axis=-1) ** 2",
    "np.column_stack(x) ** 2",
    "np.dstack(x[0]) ** 2",
    "np.linalg.multi_dot(x[:, :2, None] * np.eye(2)) ** 2",
    "np.select(x > 0.5, x) ** 2",
    "np.choose([0, 1, 1], x) ** 2",
    "np.prod(np.real(math.prod(x[0]) * np.eye(2) + x[0, 0]))",
    "math.fsum(x[0]) ** 2 + math.dist(x[0] * 2, x[1] ** 2) + math.prod(x[0] * 2)",
    "np.arctan2(x, [x[0, 0], 2.0, 1.0]) * np.vdot(x[0], [1.0, 2.0, x[1, 1]])",
)
QUANTILES = (
    "interpolated_inverted_cdf hazen weibull linear median_unbiased normal_unbiased"
).split()
WRITES = (
    "np.put_along_axis(t, np.zeros((1, 1), int), 2.0, 1)",
    "np.put_along_axis(t, np.array([[1], [2]]), x[:, :1] ** 2, axis=1)",
    "np.fill_diagonal(t, x[0, 1:])",
    "np.put(t, [0, -1, 8], x[0, 1:], mode='wrap')",
    "t.put(-1, x[0, 0] ** 2, mode='clip')",
    "np.putmask(t, t > 0.5, x[0, 1:] ** 2)",
)


def check(expression: str) -> None:
    x = np.random.default_rng(1).uniform(0.2, 0.9, (2, 3))
    direction = np.random.default_rng(2).normal(size=x.shape)
    expected = numerical_gradient(functions_of(expression)[0], (x,), 0)
    for grad in gradients(expression, x).values():
        assert_same(grad, expected)
    for slope in slopes(expression, x, direction).values():
        assert_same(slope, np.sum(expected * direction))


TANGENTS = (
    "np.polymul(x[0], x[1]) * np.arange(5)",
    "np.polymul(x[0, :2], x[1, :1]) * np.array([1.0, 2.0])",
    "np.polymul(x[0, 0], x[1])",
)


@pytest.mark.parametrize("expression", TANGENTS)
@pytest.mark.parametrize("place", [(0, 1), (1, 2), (0, 2)])
def test_tangents_with_zeros_in_front_are_as_long_as_the_value(
    expression: str, place: tuple[int, int]
) -> None:
    x = np.random.default_rng(1).uniform(0.2, 0.9, (2, 3))
    direction = np.zeros((2, 3))
    direction[place] = 1.0
    expected = numerical_gradient(functions_of(expression)[0], (x,), 0)
    for slope in slopes(expression, x, direction).values():
        assert_same(slope, np.sum(expected * direction))


@pytest.mark.parametrize("expression", CALLS)
def test_a_call_has_one_derivative_in_both_engines_and_modes(expression: str) -> None:
    check(expression)


def test_the_level_of_a_quantile_has_a_derivative_for_every_method_that_does_not_jump() -> None:
    terms = [f"np.quantile(x[1], x[0] ** {i + 1}, method={m!r})" for i, m in enumerate(QUANTILES)]
    check(" + ".join(terms) + " + np.nanquantile(x, x[0, 0], method='hazen')")


ORDERS = (
    "np.ravel(x, order='K') * np.arange(6)",
    "np.sin(x).reshape(-1, order='A') * np.arange(6)",
    "np.sin(x, order='F', subok=False).ravel('K') * np.arange(6)",
    "np.hypot(x, x[0], casting='unsafe') ** 2",
)
VIEWS = (
    ("t = x.copy()", "u = t.reshape(-1)", "u *= 2.0"),
    ("t = x.T * 1.0", "u = np.ravel(t)", "u *= 2.0"),
)


def check_directions(expression: str, *before: str) -> None:
    draw = np.random.default_rng(1).uniform
    for x in (np.asfortranarray(draw(0.2, 0.9, (2, 3))), draw(0.2, 0.9, (2, 6))[:, ::2]):
        direction = draw(-1.0, 1.0, x.shape)
        plain, taped = functions_of(expression, *before)
        step = np.empty_like(x)
        step[...] = 1e-6 * direction
        slope = (plain(x.copy("K") + step) - plain(x.copy("K") - step)) / 2e-6
        for f in (plain, taped):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sg.FallbackWarning)
                np.testing.assert_allclose(sg.jvp(f, (x,), (direction,))[1], slope, rtol=1e-6)


@pytest.mark.parametrize("expression", ORDERS)
def test_tangents_are_read_in_the_order_of_their_values(expression: str) -> None:
    check_directions(expression)


@pytest.mark.parametrize("before", VIEWS)
def test_views_of_tangents_are_views_where_those_of_values_are(before: tuple[str, ...]) -> None:
    check_directions("t ** 2", *before)


@pytest.mark.parametrize("write", WRITES)
def test_the_tape_writes_where_numpy_does(write: str) -> None:
    x = np.random.default_rng(1).uniform(0.2, 0.9, (2, 3))
    plain, taped = functions_of("t ** 2 * x", "t = x * 1.0", write)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        value, grad = sg.value_and_grad(taped)(x)
    assert value == plain(x)
    assert_same(grad, numerical_gradient(plain, (x,), 0))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize(
    "expression",
    [
        "np.prod(x, dtype=float)",
        "np.cumprod(x, 0, np.float64)",
        "np.std(x, dtype='f8')",
        "x.view('f8') ** 2",
        "np.fmax.reduce(x, axis=None)",
        "np.random.default_rng(1).gamma(abs(x), 2.0)",
    ],
)
def test_what_a_rule_cannot_follow_is_refused(expression: str) -> None:
    x = np.array([[1.0 + 2.0j, 0.5 - 1.0j]])
    for f in functions_of(f"np.real({expression})"):
        with pytest.raises(sg.SrcgradError):
            sg.grad(f, fallback="tape")(x)
