"""SciPy's functions, which convert their arguments to arrays, in plain code on the tape."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from scipy import fft, interpolate, linalg, special, stats
from scipy.fft import rfft
from scipy.stats import multivariate_normal, norm

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from tests.differences import assert_same, numerical_gradient

X = np.array([0.4, 0.9, 1.3])


def imported_by_name(x: Any) -> Any:
    return np.sum(norm.logpdf(x, 0.1, x[0])) + np.sum(np.abs(rfft(x)) ** 2)


def through_its_module(x: Any) -> Any:
    return np.sum(fft.dct(x) ** 2) + stats.poisson.logpmf(2, x[1]) + linalg.norm(x)


def of_vectors(x: Any) -> Any:
    return multivariate_normal.logpdf(x, np.zeros(3), np.eye(3) + np.outer(x, x))


def with_parameters_held(x: Any) -> Any:
    return stats.norm(x[0], scale=x[1]).logpdf(x[2]) + norm(0.0, 1.0).cdf(x[0])


def selected_of_three(x: Any) -> Any:
    low = np.where(x > 0.5, special.betainc(1.0, 2.0, x / 2), 0)
    return np.sum(low + np.where(x > 1, special.eval_jacobi(3, 1, 1, x), x))


def selected_of_spread(x: Any) -> Any:
    there = np.arange(12).reshape(4, 3) > 4
    rows = np.linspace(0.5, 2.0, 4)[:, None]
    area = np.where(there, special.elliprf(x, rows, x * x), 0)
    return np.sum(area * np.where(there, special.beta(x, rows), 0))


@pytest.mark.parametrize(
    "function",
    [
        imported_by_name,
        through_its_module,
        of_vectors,
        with_parameters_held,
        selected_of_three,
        selected_of_spread,
    ],
)
def test_calls_are_recorded(function: Any) -> None:
    signature = inspect.signature(function)
    value, (grad,) = run_on_tape(function, signature, ["x"], (X,), {}, aux=False)
    assert_same(value, function(X), 1e-12)
    assert_same(grad, numerical_gradient(function, (X,), 0))
    assert norm is stats.norm  # nothing of what stood in for it is left


def without_a_rule(x: Any) -> Any:
    return np.sum(norm(x[0]).rvs(3) * x)


def test_what_has_no_rule_is_refused() -> None:
    with pytest.raises(sg.SrcgradError), pytest.warns(sg.FallbackWarning):
        sg.grad(without_a_rule)(X)


GRID = interpolate.RegularGridInterpolator((np.arange(3.0),), np.array([0.3, 1.0, 0.2]))


def on_a_grid(x: Any, *options: Any, **named: Any) -> Any:
    return np.sum(GRID(np.stack([np.abs(x)], axis=-1), *options, **named) ** 2)


def test_grids_are_asked_at_tensors_without_options_alone() -> None:
    value, (grad,) = run_on_tape(
        on_a_grid, inspect.signature(on_a_grid), ["x"], (X,), {}, aux=False
    )
    assert_same(value, on_a_grid(X), 1e-12)
    assert_same(grad, numerical_gradient(on_a_grid, (X,), 0))
    for function in (
        lambda x: on_a_grid(x, "nearest"),
        lambda x: on_a_grid(x, method="nearest"),
    ):
        with pytest.raises(sg.MissingRuleError, match="with options"):
            run_on_tape(function, inspect.signature(function), ["x"], (X,), {}, aux=False)
