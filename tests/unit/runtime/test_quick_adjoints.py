"""Adjoints that take a shorter way for plain arrays give what the longer way gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad.runtime import (
    det_back,
    irfft_back,
    matmul_right,
    rfft_back,
    share_among_ties,
    tensordot_left,
    tensordot_right,
    trace_back,
)
from srcgrad.runtime.broadcasting import kept


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (1, 1), (0, 3)])
@pytest.mark.parametrize("offset", [-5, -1, 0, 2, 5])
def test_a_trace_is_that_of_a_diagonal(shape: tuple[int, int], offset: int) -> None:
    quick = trace_back(2.5, shape, offset, (0, 1))
    np.testing.assert_array_equal(quick, 2.5 * np.eye(*shape, k=offset))


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), (1, -1), (2, 0)])
def test_reduced_axes_come_back_where_they_were(axis: Any) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for value in (x.sum(axis=axis), x.T.sum(axis=axis)):
        np.testing.assert_array_equal(kept(value, axis, False), np.expand_dims(value, axis))


@pytest.mark.parametrize("length", [2, 3, 7, 8])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("axis", [0, -1])
def test_real_transforms_and_their_adjoints_agree(length: int, norm: Any, axis: int) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(length, length))
    half = np.fft.rfft(x, axis=axis, norm=norm)
    grad = rng.normal(size=half.shape) + 1j * rng.normal(size=half.shape)
    back = rfft_back(grad.copy(), x.shape, None, axis, norm)
    np.testing.assert_allclose(np.sum(back * x), np.real(np.sum(np.conj(grad) * half)))
    whole = np.fft.irfft(half, length, axis=axis, norm=norm)
    turned = irfft_back(x, half.shape, axis, norm)
    np.testing.assert_allclose(np.real(np.sum(np.conj(turned) * half)), np.sum(x * whole))


def test_an_adjoint_that_is_handed_in_stays_what_it_was() -> None:
    grad = np.ones(5, complex)
    rfft_back(grad, (8,), None, -1, None)
    np.testing.assert_array_equal(grad, 1.0)


def test_ties_are_counted_along_any_axes() -> None:
    a = np.array([[[1.0, 2.0], [2.0, 0.0]], [[np.nan, 2.0], [5.0, 5.0]]])
    shared = share_among_ties(np.array([1.0, 6.0]), a, a.max(axis=(1, 2)), (1, 2))
    np.testing.assert_array_equal(shared[0], [[0.0, 0.5], [0.5, 0.0]])
    single = share_among_ties(np.float32([6.0]), np.float32([[4.0, 4.0, 1.0]]), np.float32([4]), 1)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, [[3.0, 3.0, 0.0]])


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_contraction_of_one_axis_with_a_matrix_is_a_product(rank: int) -> None:
    rng = np.random.default_rng(rank)
    a, b = rng.normal(size=(2, 3, 4)[-rank:]), rng.normal(size=(4, 5))
    grad = rng.normal(size=np.tensordot(a, b, 1).shape)
    pairs = ([rank - 1], [0])  # the same by the longer way
    np.testing.assert_allclose(tensordot_left(grad, a, b, 1), tensordot_left(grad, a, b, pairs))
    np.testing.assert_allclose(tensordot_right(grad, a, b, 1), tensordot_right(grad, a, b, pairs))


def test_products_with_no_rows_have_zeros_as_adjoints() -> None:
    x, w = np.zeros((0, 2, 3)), np.ones((3, 4))
    np.testing.assert_array_equal(matmul_right(np.zeros((0, 2, 4)), x, w), np.zeros((3, 4)))


def test_a_determinant_of_one_matrix_is_that_of_several() -> None:
    a = np.random.default_rng(0).normal(size=(3, 3))
    stack = det_back(np.array([2.0]), a[None], np.linalg.det(a[None]))
    np.testing.assert_allclose(det_back(2.0, a, np.linalg.det(a)), stack[0])
