"""Second derivatives of calls of which only some operands vary, by source and in both modes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

A = np.array([[1.0, -0.5, 0.3], [0.2, 0.8, -1.0], [0.4, 0.1, 0.9]])
T = np.array([0.1, 0.4, 0.8])


def einsum_of_one(x: Any) -> Any:
    return np.sum(np.einsum("ij,j->i", A, x * x) ** 2)


def einsum_in_the_form_with_lists(x: Any) -> Any:
    return np.sum(np.einsum(x * x, [0], A, [0, 1], [1]) ** 2)


def chain_of_matrices(x: Any) -> Any:
    return np.linalg.multi_dot([T, A, np.diag(x), A, x])


def product_of_numbers(x: Any) -> Any:
    return math.prod([x[0], 2.0, x[1]], start=3.0) * x[2]


def kronecker(x: Any) -> Any:
    return np.sum(np.kron(A, x) ** 3)


def joined(x: Any) -> Any:
    rows = np.vstack([T, x, np.hstack([x[:1], T[1:]])])
    return np.sum(np.append(rows, x) ** 3) + np.sum(np.block([[A], [rows * x]]) ** 2)


def differences(x: Any) -> Any:
    return np.sum(np.diff(x * x, 2, prepend=T, append=1.0) ** 2)


def grids(x: Any) -> Any:
    first, second = np.meshgrid(x, T)
    return np.sum(first * second * np.broadcast_to(x * x, (3, 3)) * first)


def levels(x: Any) -> Any:
    return np.percentile(x * x, 100 * x[0]) + np.sum(np.interp(x, T, np.sin(T)) * x)


def ends(x: Any) -> Any:
    return np.sum(np.linspace(0.0, x[0] ** 2, 4) * np.linspace(x[1], x, 4).T)


def extremes(x: Any) -> Any:
    return max(x[0] ** 2, x[1] * x[2], 0.5) * min(x[2], 2.0) * math.hypot(x[1], 2.0)


FUNCTIONS = (
    *(einsum_of_one, einsum_in_the_form_with_lists, chain_of_matrices, product_of_numbers),
    *(kronecker, joined, differences, grids, levels, ends, extremes),
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_hessians_agree_with_differences(function: Any) -> None:
    x, way = np.array([0.35, 0.9, 0.6]), np.array([0.3, -0.7, 0.5])
    gradient = sg.grad(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.FallbackWarning)
        forward = sg.jvp(gradient, (x,), (way,))[1]
        (backward,) = sg.vjp(gradient, x)[1](way)
    step = 1e-5
    expected = (gradient(x + step * way) - gradient(x - step * way)) / (2 * step)
    np.testing.assert_allclose(forward, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(backward, expected, rtol=1e-6, atol=1e-7)
