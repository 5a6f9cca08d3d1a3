"""Calculates tangents of functions of ``scipy.linalg``; None stands for a tangent of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.runtime import adjoint, qr_push
from srcgrad.runtime.scipy.linalg import (
    columns,
    keeps_other_triangle,
    matrix_read,
    one_column,
    ordered_rows,
    parts_of_lu,
    refuse_wide,
    triangle_read,
    turned_by,
)


def _right(b_dot: Any, b: Any, moved: Any) -> Any:
    """Return the right side for the tangent of a solution, whose matrix moved by a product."""
    return -moved if b_dot is None else columns(b_dot, b) - moved


def linear_solve_push(
    dots: tuple[Any, Any],
    values: tuple[Any, Any, Any],
    lower: bool,
    assume_a: Any,
    transposed: bool,
) -> Any:
    """Return the tangent of ``y = linalg.solve(a, b)`` for an `a` of some structure."""
    (a_dot, b_dot), (a, b, y) = dots, values
    matrix = matrix_read(a, lower, assume_a, transposed)
    moved = 0 * columns(y, b)
    if a_dot is not None:
        moved = matrix_read(a_dot, lower, assume_a, transposed) @ columns(y, b)
    return one_column(np.linalg.solve(matrix, _right(b_dot, b, moved)), b)


def solve_triangular_push(
    dots: tuple[Any, Any], values: tuple[Any, Any, Any], options: tuple[Any, bool, bool]
) -> Any:
    """Return the tangent of ``y = linalg.solve_triangular(a, b, *options)``."""
    (a_dot, b_dot), (a, b, y) = dots, values
    trans, lower, unit_diagonal = options
    moved = 0 * columns(y, b)
    if a_dot is not None:
        change = turned_by(trans, triangle_read(a_dot, lower, unit_diagonal))
        moved = change @ columns(y, b)
    right = one_column(_right(b_dot, b, moved), b)
    return linalg.solve_triangular(a, right, trans, lower, unit_diagonal)


def cho_solve_push(dots: tuple[Any, Any], c: Any, lower: bool, b: Any, y: Any) -> Any:
    """Return the tangent of ``y = linalg.cho_solve((c, lower), b)``."""
    c_dot, b_dot = dots
    moved = 0 * columns(y, b)
    if c_dot is not None and c_dot[0] is not None:
        factor, change = triangle_read(c, lower, False), triangle_read(c_dot[0], lower, False)
        half = change @ adjoint(factor) if lower else adjoint(change) @ factor
        moved = (half + adjoint(half)) @ columns(y, b)
    return linalg.cho_solve((c, lower), one_column(_right(b_dot, b, moved), b))


def lu_solve_push(
    dots: tuple[Any, Any], lu: Any, piv: Any, values: tuple[Any, Any], trans: int
) -> Any:
    """Return the tangent of ``y = linalg.lu_solve((lu, piv), b, trans)``."""
    (lu_dot, b_dot), (b, y) = dots, values
    moved = 0 * columns(y, b)
    if lu_dot is not None and lu_dot[0] is not None:
        low, up = parts_of_lu(lu)
        change = np.tril(lu_dot[0], -1) @ up + low @ np.triu(lu_dot[0])
        moved = turned_by(trans, change[ordered_rows(piv)]) @ columns(y, b)
    return linalg.lu_solve((lu, piv), one_column(_right(b_dot, b, moved), b), trans)


def lu_factor_push(a_dot: Any, lu: Any, piv: Any) -> tuple[Any, Any]:
    """Return the tangents of ``lu, piv = linalg.lu_factor(a)``; the order of rows is held fixed."""
    low, up = parts_of_lu(lu)
    rows = a_dot[np.argsort(ordered_rows(piv))]
    low_dot, up_dot = _lu_push(rows, low, up)
    return low_dot + up_dot, np.zeros(np.shape(piv))


def lu_push(a_dot: Any, p: Any, low: Any, up: Any) -> tuple[Any, Any, Any]:
    """Return the tangents of ``p, low, up = linalg.lu(a)``; the order of rows is held fixed."""
    refuse_wide(low @ up)
    low_dot, up_dot = _lu_push(p.T @ a_dot, low, up)
    return 0 * p, low_dot, up_dot


def _lu_push(rows: Any, low: Any, up: Any) -> tuple[Any, Any]:
    inner = np.linalg.solve(low, adjoint(np.linalg.solve(adjoint(up), adjoint(rows))))
    return low @ np.tril(inner, -1), np.triu(inner) @ up


def solve_banded_push(dots: tuple[Any, Any], l_and_u: Any, values: tuple[Any, Any, Any]) -> Any:
    """Return the tangent of ``y = linalg.solve_banded(l_and_u, ab, b)``."""
    (ab_dot, b_dot), (ab, b, y) = dots, values
    moved = 0 * columns(y, b)
    if ab_dot is not None:
        below, above = l_and_u
        change = np.zeros_like(ab_dot, shape=(np.shape(ab)[-1],) * 2)
        for k in range(-below, above + 1):  # band k holds a[i, i + k]
            band = ab_dot[above - k]
            change = change + np.diag(band[k:] if k > 0 else band[: len(band) + k], k)
        moved = change @ columns(y, b)
    return linalg.solve_banded(l_and_u, ab, one_column(_right(b_dot, b, moved), b))


def solve_sylvester_push(dots: tuple[Any, Any, Any], a: Any, b: Any, y: Any) -> Any:
    """Return the tangent of the solution of ``a @ y + y @ b = q``."""
    a_dot, b_dot, q_dot = dots
    right = 0 * y if q_dot is None else q_dot
    right = right if a_dot is None else right - a_dot @ y
    right = right if b_dot is None else right - y @ b_dot
    return linalg.solve_sylvester(a, b, right)


def continuous_lyapunov_push(dots: tuple[Any, Any], a: Any, y: Any) -> Any:
    """Return the tangent of the solution of ``a @ y + y @ a.T = q``."""
    a_dot, q_dot = dots
    right = 0 * y if q_dot is None else q_dot
    if a_dot is not None:
        right = right - a_dot @ y - y @ adjoint(a_dot)
    return linalg.solve_continuous_lyapunov(a, right)


def discrete_lyapunov_push(dots: tuple[Any, Any], a: Any, y: Any, method: Any) -> Any:
    """Return the tangent of the solution of ``a @ y @ a.T - y + q = 0``."""
    a_dot, q_dot = dots
    right = 0 * y if q_dot is None else q_dot
    if a_dot is not None:
        right = right + a_dot @ y @ adjoint(a) + a @ y @ adjoint(a_dot)
    return linalg.solve_discrete_lyapunov(a, right, method)


def continuous_are_push(dots: tuple[Any, ...], values: tuple[Any, ...], y: Any) -> Any:
    """Return the tangent of ``y = linalg.solve_continuous_are(a, b, q, r)``."""
    a, b, _, r = values
    a_dot, b_dot, q_dot, r_dot = _zeros(dots, values)
    gain = np.linalg.solve(r, adjoint(b) @ y)
    half = y @ (a_dot - b_dot @ gain)
    moved = q_dot + half + adjoint(half) + adjoint(gain) @ r_dot @ gain
    return linalg.solve_continuous_lyapunov(adjoint(a - b @ gain), -moved)


def discrete_are_push(dots: tuple[Any, ...], values: tuple[Any, ...], y: Any) -> Any:
    """Return the tangent of ``y = linalg.solve_discrete_are(a, b, q, r)``."""
    a, b, _, r = values
    a_dot, b_dot, q_dot, r_dot = _zeros(dots, values)
    gain = np.linalg.solve(r + adjoint(b) @ y @ b, adjoint(b) @ y @ a)
    closed = a - b @ gain
    half = adjoint(closed) @ y @ (a_dot - b_dot @ gain)
    moved = q_dot + half + adjoint(half) + adjoint(gain) @ r_dot @ gain
    return linalg.solve_discrete_lyapunov(adjoint(closed), moved)


def _zeros(dots: tuple[Any, ...], values: tuple[Any, ...]) -> list[Any]:
    pairs = zip(dots, values, strict=True)
    return [np.zeros_like(value) if dot is None else dot for dot, value in pairs]


def cho_factor_push(a_dot: Any, c: Any, lower: bool) -> tuple[Any, Any]:
    """Return the tangent of a Cholesky factor, with what stands in its other triangle."""
    factor = triangle_read(c, lower, False)
    half = triangle_read(a_dot, lower, False)
    rest = a_dot - half
    low = factor if lower else adjoint(factor)
    strict = half - np.diag(np.diag(half))
    whole = strict + adjoint(strict) + np.diag(np.real(np.diag(half)))
    inner = np.linalg.solve(low, adjoint(np.linalg.solve(low, adjoint(whole))))
    moved = low @ (np.tril(inner, -1) + np.diag(np.diag(inner)) / 2)
    kept = rest if keeps_other_triangle() else 0 * rest
    return (moved if lower else adjoint(moved)) + kept, 0.0


def scipy_qr_push(a_dot: Any, q: Any, r: Any, mode: str) -> tuple[Any, Any]:
    """Return the tangents of both factors of ``linalg.qr(a, mode=mode)``."""
    tall = np.shape(a_dot)[-2] > np.shape(a_dot)[-1]
    return qr_push(a_dot, q, r, "complete" if tall and mode == "full" else "reduced")


def polar_push(a_dot: Any, u: Any, p: Any, side: str) -> tuple[Any, Any]:
    """Return the tangents of ``u @ p = a``, or of ``p @ u = a`` if side is "left"."""
    if side == "left":
        u_dot, p_dot = polar_push(adjoint(a_dot), adjoint(u), p, "right")
        return adjoint(u_dot), p_dot
    if np.shape(u)[0] < np.shape(u)[1]:  # `p` is singular, and `u` that of the other side
        a = u @ p
        u_dot, _ = polar_push(a_dot, u, a @ adjoint(u), "left")
        return u_dot, adjoint(u_dot) @ a + adjoint(u) @ a_dot
    inner = adjoint(u) @ a_dot
    turning = linalg.solve_sylvester(p, p, inner - adjoint(inner))  # of the vectors of u, skew
    outside = np.linalg.solve(p.T, (a_dot - u @ inner).T).T
    u_dot = u @ turning + outside
    return u_dot, inner - turning @ p
