"""Tangents of functions of matrices and sequences, where no single expression does."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.cumulating import exclusive_cumprod, recurrence
from srcgrad.runtime.dispatch import beside
from srcgrad.runtime.factors import (
    are_tied,
    largest,
    negligible,
    off_diagonal,
    on_diagonal,
    over_gaps,
)
from srcgrad.runtime.polynomials import polyval_slope
from srcgrad.runtime.products import adjoint


def symmetric_from(a: Any, lower: bool) -> Any:
    """Return the symmetric (or Hermitian) matrix whose lower or upper triangle is that of `a`."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    diagonal = np.real(np.einsum("...ii->...i", a))
    whole = half + np.conj(np.swapaxes(half, -1, -2))
    whole = whole + 0 * a
    place = np.arange(np.shape(a)[-1])
    whole[..., place, place] = diagonal
    return whole


def solve_push(a: Any, a_dot: Any, b: Any, b_dot: Any, y: Any) -> Any:
    """Return the tangent of ``y = np.linalg.solve(a, b)``; None stands for a tangent of zeros."""
    right = np.zeros_like(b) if b_dot is None else b_dot
    if a_dot is None:
        return np.linalg.solve(a, right)
    if np.ndim(b) == 1:
        moved = (a_dot @ y[..., None])[..., 0]
        return np.linalg.solve(a, (right - moved)[..., None])[..., 0]
    return np.linalg.solve(a, right - a_dot @ y)


def cholesky_push(a_dot: Any, y: Any, upper: bool) -> Any:
    """Return the tangent of a Cholesky factor (Murray, 2016, equation 8)."""
    factor = np.conj(np.swapaxes(y, -1, -2)) if upper else y
    change = symmetric_from(a_dot, lower=not upper)
    inner = np.linalg.solve(factor, change)
    inner = np.conj(
        np.swapaxes(np.linalg.solve(factor, np.conj(np.swapaxes(inner, -1, -2))), -1, -2)
    )
    half = np.tril(inner)
    place = np.arange(np.shape(half)[-1])
    half[..., place, place] /= 2
    moved = factor @ half
    return np.conj(np.swapaxes(moved, -1, -2)) if upper else moved


def eigh_push(a_dot: Any, w: Any, v: Any, uplo: str) -> tuple[Any, Any]:
    """Return the tangents of eigenvalues and eigenvectors.

    Those of equal eigenvalues are NaN where the direction mixes the vectors: which vectors they
    become depends on it.
    """
    inner = np.conj(np.swapaxes(v, -1, -2)) @ symmetric_from(a_dot, lower=uplo.upper() == "L") @ v
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    tied = are_tied(w)
    size = np.max(np.absolute(inner), axis=(-2, -1), keepdims=True, initial=0)
    mixed = np.absolute(inner) > np.sqrt(np.finfo(size.dtype).eps) * size
    same = beside(np.eye(np.shape(inner)[-1], dtype=bool), inner)
    limit = np.where(np.logical_and(mixed, np.logical_not(same)), np.nan, 0)
    mixing = np.where(tied, limit, inner / np.where(tied, 1, gaps))
    return np.real(np.einsum("...ii->...i", inner)), v @ mixing


def eigvalsh_push(a_dot: Any, a: Any, uplo: str) -> Any:
    """Return the tangent of the eigenvalues of a symmetric matrix."""
    w, v = np.linalg.eigh(a, uplo)
    return eigh_push(a_dot, w, v, uplo)[0]


def eig_push(a_dot: Any, w: Any, v: Any) -> tuple[Any, Any]:
    """Return the tangents of eigenvalues, and of eigenvectors of length one.

    Those of equal eigenvalues are NaN where the direction mixes the vectors.
    """
    inner = np.linalg.solve(v, a_dot @ v)
    tied = are_tied(w)
    mixed = np.absolute(off_diagonal(inner)) > negligible(largest(inner))
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    mixing = np.where(tied, np.where(mixed, np.nan, 0), inner / np.where(tied, 1, gaps))
    turned = v @ mixing
    longer = np.real(np.sum(np.conj(v) * turned, axis=-2, keepdims=True))
    return np.einsum("...ii->...i", inner), turned - v * longer


def general_eigh_push(
    a_dot: Any, b_dot: Any, b: Any, w: Any, v: Any, lower: bool
) -> tuple[Any, Any]:
    """Return the tangents of the eigenvalues and vectors of ``a @ v = b @ v * w``.

    Those of equal eigenvalues are NaN where the direction mixes the vectors. None stands for a
    tangent of zeros, and for a `b` that is one.
    """
    if b is None or b_dot is None:
        longer, inner = 0 * adjoint(v) @ v, general_change(a_dot, None, w, v, lower)
    else:
        longer = adjoint(v) @ symmetric_from(b_dot, lower=lower) @ v
        inner = general_change(a_dot, b_dot, w, v, lower)
    mixed = np.absolute(inner) > negligible(largest(inner) + largest(longer))
    mixing = off_diagonal(over_gaps(inner, w, np.where(mixed, np.nan, -longer / 2)))
    mixing = mixing - on_diagonal(np.diagonal(longer) / 2)
    return np.real(np.diagonal(inner)), v @ mixing


def general_change(a_dot: Any, b_dot: Any, w: Any, v: Any, lower: bool) -> Any:
    """Return the change of ``a - w * b`` between the eigenvectors."""
    change = 0 * adjoint(v) @ v
    if a_dot is not None:
        change = change + adjoint(v) @ symmetric_from(a_dot, lower=lower) @ v
    if b_dot is not None:
        change = change - adjoint(v) @ symmetric_from(b_dot, lower=lower) @ v * w
    return change


def tridiagonal(d: Any, e: Any, like: Any) -> Any:
    """Return the square matrix with a diagonal and what is below it; None stands for zeros."""
    matrix = 0 * like
    matrix = matrix if d is None else matrix + np.diag(d)
    return matrix if e is None else matrix + np.diag(e, -1)


def pinv_push(a_dot: Any, a: Any, y: Any) -> Any:
    """Return the tangent of a pseudo-inverse of fixed rank (Golub and Pereyra, 1973)."""
    change, turned = np.conj(np.swapaxes(a_dot, -1, -2)), np.conj(np.swapaxes(y, -1, -2))
    rows, columns = np.eye(np.shape(a)[-2]), np.eye(np.shape(a)[-1])
    left = y @ turned @ change @ (rows - a @ y)
    right = (columns - y @ a) @ change @ turned @ y
    return left + right - y @ a_dot @ y


def matrix_power_push(a_dot: Any, a: Any, n: int) -> Any:
    """Return the tangent of the n-th power of a matrix."""
    if n < 0:
        inverse = np.linalg.inv(a)
        return matrix_power_push(-inverse @ a_dot @ inverse, inverse, -n)
    total = np.zeros_like(a_dot)
    power = np.linalg.matrix_power(a, 0)
    for _ in range(n):  # the tangent of power @ a, from that of power
        total, power = total @ a + power @ a_dot, power @ a
    return total


def multi_dot_push(tangents: Any, arrays: Any) -> Any:
    """Return the tangent of a product of matrices, of which some have None."""
    total: Any = 0.0
    for place, tangent in enumerate(tangents):
        if tangent is not None:
            moved = [*arrays[:place], tangent, *arrays[place + 1 :]]
            total = total + np.linalg.multi_dot(moved)
    return total


def polyval_push(p_dot: Any, x_dot: Any, p: Any, x: Any) -> Any:
    """Return the tangent of a polynomial's values; None stands for a tangent of zeros."""
    by_p = 0.0 if p_dot is None else np.polyval(p_dot, x)
    return by_p if x_dot is None else by_p + polyval_slope(p, x) * x_dot


def polymul_push(a1_dot: Any, a2_dot: Any, a1: Any, a2: Any) -> Any:
    """Return the tangent of a product of polynomials, with zeros in front as the product has."""
    by_first: Any = 0.0 if a1_dot is None else np.convolve(np.ravel(a1_dot), np.ravel(a2))
    total: Any = (
        by_first if a2_dot is None else by_first + np.convolve(np.ravel(a1), np.ravel(a2_dot))
    )
    return total[len(total) - len(np.polymul(a1, a2)) :]


def cumprod_push(a_dot: Any, a: Any, axis: int | None) -> Any:
    """Return the tangent of products up to each element; exact where elements are 0."""
    if axis is None or np.ndim(a) == 0:
        a_dot, a, axis = np.ravel(a_dot), np.ravel(a), 0
    steps, changes = np.moveaxis(a, axis, 0), np.moveaxis(a_dot, axis, 0)
    return np.moveaxis(recurrence(exclusive_cumprod(steps) * changes, steps), 0, axis)


def extreme_push(tangents: Any, args: Any, y: Any) -> Any:
    """Return the tangent of `max` or `min`: the mean of those of the arguments that are it."""
    if len(args) == 1:
        (tangents,), (args,) = tangents, args
    if isinstance(y, (list, tuple)):  # of equal rows of numbers Python takes the first
        return next(dot for dot, value in zip(tangents, args, strict=True) if value == y)
    found = [
        0.0 if tangent is None else tangent
        for tangent, value in zip(tangents, args, strict=True)
        if value == y
    ]
    return sum(found) / len(found)
