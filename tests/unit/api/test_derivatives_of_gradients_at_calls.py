"""Tests of derivatives of gradients whose texts hold for calls of one kind alone."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def row_of_a_matrix(a):
    b = a * 1.0
    row = b[1]  # of a vector it would be a number
    row += b[0] * b[2]
    b[1] *= 0.5
    return np.sum(b * row)


def swapped(a, b):
    m = a + 0.1 * np.eye(3)
    y = b.copy()
    for k in range(3):
        p = k + int(np.argmax(np.abs(m[k:, k])))
        if p != k:
            m[[k, p]] = m[[p, k]]
            y[[k, p]] = y[[p, k]]
        for i in range(k + 1, 3):
            y[i] -= m[i, k] / m[k, k] * y[k]
            m[i, k:] -= m[i, k] / m[k, k] * m[k, k:]
    return np.sum(y**2) * 0.1


def _matrix(shape: tuple[int, int] = (3, 3)) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


def _by_differences(gradient, x, v):
    h = 1e-6
    return (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)


def test_a_product_with_second_derivatives_is_by_source_where_the_gradient_is_for_a_call():
    a, v = _matrix((3, 4)), _matrix((3, 4)) + 1.0
    gradient = sg.grad(row_of_a_matrix, fallback="error")
    product = sg.hvp(row_of_a_matrix, (a,), (v,), fallback="error")
    np.testing.assert_allclose(product, _by_differences(gradient, a, v), rtol=1e-6, atol=1e-7)
    square = sg.hessian(row_of_a_matrix, fallback="error")(a)
    np.testing.assert_allclose(np.tensordot(square, v, 2), product, rtol=1e-12)


def test_each_call_gets_the_text_that_holds_for_it():
    second = sg.pushforward(sg.grad(row_of_a_matrix), fallback="error")
    for shape in ((3, 4), (3, 2), (3, 4), (3, 5)):
        a = np.random.default_rng(1).normal(size=shape)
        _, tangent = second(a, a_dot=a)
        wanted = sg.hvp(row_of_a_matrix, (a,), (a,), backend="tape")
        np.testing.assert_allclose(tangent, wanted, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_vector_is_told_from_a_matrix_after_it():
    second = sg.pushforward(sg.grad(row_of_a_matrix))
    for a in (_matrix((3, 4)), np.array([0.7, 1.3, 0.4]), _matrix((3, 2))):
        wanted = sg.hvp(row_of_a_matrix, (a,), (a,), backend="tape")
        np.testing.assert_allclose(second(a, a_dot=a)[1], wanted, rtol=1e-12)


def test_indices_that_are_recorded_are_no_text():
    a, b = _matrix(), np.array([0.7, 1.3, 0.4])
    seeds = _matrix() + 0.5, b[::-1].copy()
    found = sg.hvp(swapped, (a, b), seeds, fallback="error")
    wanted = sg.hvp(swapped, (a, b), seeds, backend="tape")
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_the_second_derivative_is_right_where_rows_are_swapped(backend):
    a, b = _matrix(), np.array([0.7, 1.3, 0.4])
    gradient = sg.grad(swapped, argnums=1, backend=backend)
    v = np.array([0.3, -1.0, 0.5])
    zero = np.zeros_like(a)
    _, product = sg.hvp(swapped, (a, b), (zero, v), backend=backend)
    h = 1e-6
    differences = (gradient(a, b + h * v) - gradient(a, b - h * v)) / (2 * h)
    np.testing.assert_allclose(product, differences, rtol=1e-6, atol=1e-8)
