"""Adjoints of factorisations of matrices.

Where two eigenvalues or singular values agree to rounding, their vectors can be turned into each
other without any change of the matrix. A loss that is well defined does not depend on such a turn,
so its part of the gradient is 0, and that is what is returned instead of 0 / 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.products import adjoint
from srcgrad.runtime.slopes import divide_or_zero


def safe_inverse(gaps: Any, scale: Any) -> Any:
    """Return ``1 / gaps``, and 0 for gaps that are rounding errors next to `scale`."""
    precision = 4 * np.finfo(gaps.dtype).eps * np.shape(gaps)[-1]
    tied = np.absolute(gaps) <= precision * np.expand_dims(scale, (-2, -1))
    return np.where(tied, 0, 1 / np.where(tied, 1, gaps))


def on_diagonal(values: Any) -> Any:
    """Return square matrices with `values` on their diagonals."""
    count = np.shape(values)[-1]
    return np.expand_dims(values, -1) * np.eye(count, dtype=bool)


def onto_triangle(grad: Any, lower: bool) -> Any:
    """Fold the gradient of a symmetric matrix into the one triangle of it that is read."""
    if lower:
        return np.tril(grad) + adjoint(np.triu(grad, 1))
    return np.triu(grad) + adjoint(np.tril(grad, -1))


def cholesky_back(grad: Any, y: Any, upper: bool) -> Any:
    """Return the gradient of a Cholesky factor, in the triangle that was read."""
    factor, grad = (adjoint(y), adjoint(grad)) if upper else (y, grad)
    inner = np.tril(adjoint(factor) @ np.tril(grad))
    count = np.shape(inner)[-1]
    inner = inner * (1 - 0.5 * np.eye(count)).astype(inner.dtype)
    half = np.linalg.solve(adjoint(factor), inner)
    full = adjoint(np.linalg.solve(adjoint(factor), adjoint(half)))
    return onto_triangle(0.5 * (full + adjoint(full)), not upper)


def eigh_back(grad_w: Any, grad_v: Any, w: Any, v: Any, uplo: str) -> Any:
    """Return the gradient of eigenvalues and eigenvectors, in the triangle that was read."""
    inner: Any = 0.0
    if grad_w is not None:
        inner = on_diagonal(grad_w)
    if grad_v is not None:
        gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
        scale = np.max(np.absolute(w), axis=-1, initial=0)
        inner = inner + safe_inverse(gaps, scale) * (adjoint(v) @ grad_v)
    full = v @ inner @ adjoint(v)
    return onto_triangle(0.5 * (full + adjoint(full)), uplo.upper() == "L")


def eigvalsh_back(grad: Any, a: Any, uplo: str) -> Any:
    """Return the gradient of the eigenvalues of a symmetric matrix."""
    w, v = np.linalg.eigh(a, uplo)
    return eigh_back(grad, None, w, v, uplo)


def eig_back(grad_w: Any, grad_v: Any, w: Any, v: Any) -> Any:
    """Return the gradient of eigenvalues, and of eigenvectors of length one."""
    vh = adjoint(v)
    inner: Any = 0.0
    if grad_w is not None:
        inner = on_diagonal(grad_w)
    if grad_v is not None:
        turned = vh @ grad_v
        length = np.real(np.diagonal(turned, axis1=-2, axis2=-1))
        turned = turned - (vh @ v) * np.expand_dims(length, -2)
        gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
        scale = np.max(np.absolute(w), axis=-1, initial=0)
        inner = inner + conj(safe_inverse(gaps, scale)) * turned
    return np.linalg.solve(vh, inner @ vh)


def eigvals_back(grad: Any, a: Any) -> Any:
    """Return the gradient of the eigenvalues of any matrix."""
    w, v = np.linalg.eig(a)
    return eig_back(grad, None, w, v)


def svdvals_back(grad: Any, a: Any) -> Any:
    """Return the gradient of the singular values of `a`."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (u * np.expand_dims(grad, -2)) @ vh


def _thin(grad: Any, vectors: Any, rank: int) -> Any:
    """Fold the gradient of the vectors that only fill a space up into that of the others."""
    if grad is None:
        return None
    main, rest = vectors[..., :, :rank], vectors[..., :, rank:]
    return grad[..., :, :rank] - rest @ (adjoint(grad[..., :, rank:]) @ main)


def svd_back(grads: Any, result: Any) -> Any:
    """Return the gradient of the three factors of an SVD, of which some may be unused."""
    u, s, vh = result
    rank = np.shape(s)[-1]
    v = adjoint(vh)
    grad_u = _thin(grads[0], u, rank)
    grad_v = None if grads[2] is None else _thin(adjoint(grads[2]), v, rank)
    u, v = u[..., :, :rank], v[..., :, :rank]
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    squares = np.max(s * s, axis=-1, initial=0)
    gaps = safe_inverse(row * row - column * column, squares)
    inner: Any = 0.0
    outer: Any = 0.0
    if grads[1] is not None:
        inner = on_diagonal(grads[1])
    if grad_u is not None:
        turn = adjoint(u) @ grad_u
        skew = turn - adjoint(turn)
        inner = (
            inner
            + gaps * skew * row
            + divide_or_zero(skew * np.eye(rank, dtype=bool), 2 * row + 0 * skew)
        )
        outer = divide_or_zero(grad_u - u @ turn, row + 0 * grad_u) @ adjoint(v)
    if grad_v is not None:
        turn = adjoint(v) @ grad_v
        inner = inner + column * gaps * (turn - adjoint(turn))
        outer = outer + u @ adjoint(divide_or_zero(grad_v - v @ turn, row + 0 * grad_v))
    return u @ (inner + 0 * column * row) @ adjoint(v) + outer


def qr_r_back(grad: Any, a: Any) -> Any:
    """Return the gradient of the triangle of a QR factorisation."""
    q, r = np.linalg.qr(a)
    return qr_back((None, grad), a, q, r, "reduced")


def qr_back(grads: Any, a: Any, q: Any, r: Any, mode: str) -> Any:
    """Return the gradient of both factors of a QR factorisation."""
    square = np.shape(a)[-2] == np.shape(a)[-1]
    if mode != "reduced" and not (mode == "complete" and square):
        raise MissingRuleError(
            f"np.linalg.qr in mode {mode!r} has no derivative rule",
            hint="use the modes reduced or r",
        )
    grad_q, grad_r = grads
    rank = np.shape(q)[-1]
    grad_q = 0 * q if grad_q is None else grad_q
    grad_r = 0 * r if grad_r is None else np.triu(grad_r)
    if np.shape(r)[-1] == rank:
        return _square_qr_back(grad_q, grad_r, q, r)
    rest, grad_rest = a[..., :, rank:], grad_r[..., :, rank:]
    grad_q = grad_q + rest @ adjoint(grad_rest)
    left = _square_qr_back(grad_q, grad_r[..., :, :rank], q, r[..., :, :rank])
    return np.concatenate([left, q @ grad_rest], axis=-1)


def _square_qr_back(grad_q: Any, grad_r: Any, q: Any, r: Any) -> Any:
    """Return the gradient of ``q @ r`` if `r` is square and not singular."""
    inner = r @ adjoint(grad_r) - adjoint(grad_q) @ q
    lower = np.tril(inner, -1)
    middle = np.real(np.diagonal(inner, axis1=-2, axis2=-1))
    mirrored = lower + adjoint(lower) + on_diagonal(middle)
    return adjoint(np.linalg.solve(r, adjoint(grad_q + q @ mirrored)))
