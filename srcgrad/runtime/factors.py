"""Adjoints of factorisations of matrices.

Where two eigenvalues or singular values agree to rounding, the textbook formulas divide 0 by 0,
since the vectors can be turned into each other. The limit is not in the gradients of the factors:
two functions of one matrix may have the same gradients there. So it is given, or NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.complex_parts import conj, real_part
from srcgrad.runtime.dispatch import beside, recordable
from srcgrad.runtime.products import adjoint


def are_tied(values: Any) -> Any:
    """Return which pairs of values agree to rounding."""
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    scale = _largest(values, -1)
    precision = 8 * np.finfo(gaps.dtype).eps * np.shape(gaps)[-1]
    return np.absolute(gaps) <= precision * np.expand_dims(scale, (-2, -1))


def _largest(values: Any, axis: Any) -> Any:
    """Return the largest modulus along axes, or zeros if there is none."""
    sizes = np.absolute(values)
    return np.max(sizes, axis=axis) if np.size(sizes) else np.sum(sizes, axis=axis)


def over_gaps(turned: Any, values: Any, limit: Any) -> Any:
    """Divide by the differences of values (column less row), and give the limit at ties."""
    tied = are_tied(values)
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    known = once(limit + 0 * turned, off_diagonal(tied))
    return np.where(tied, known, turned / np.where(tied, 1, gaps))


@recordable
def once(limit: Any, tied: Any) -> Any:
    """Return limits as they are: they hold at ties alone, so that their derivatives are not known.

    >>> print(once(np.eye(2), np.ones((2, 2), bool)).tolist())
    [[1.0, 0.0], [0.0, 1.0]]
    """
    del tied
    return np.positive(limit)


def once_back(grad: Any, tied: Any) -> Any:
    """Return the gradient, or the tangent, of a limit: NaN at ties."""
    return np.where(tied, np.nan, grad)


def largest(values: Any) -> Any:
    """Return the largest modulus of each matrix of a stack, with axes to compare it with them."""
    return np.expand_dims(_largest(values, (-2, -1)), (-2, -1))


def negligible(size: Any) -> Any:
    """Return what counts as rounding beside values of a size."""
    return np.sqrt(np.finfo(size.dtype).eps) * size


def on_diagonal(values: Any) -> Any:
    """Return square matrices with `values` on their diagonals."""
    count = np.shape(values)[-1]
    return np.expand_dims(values, -1) * beside(np.eye(count, dtype=bool), values)


def off_diagonal(matrix: Any) -> Any:
    """Return matrices with zeros on their diagonals."""
    return np.where(beside(np.eye(np.shape(matrix)[-1], dtype=bool), matrix), 0, matrix)


def onto_triangle(grad: Any, lower: bool) -> Any:
    """Fold the gradient of a symmetric matrix into the one triangle of it that is read."""
    if lower:
        return np.tril(grad) + adjoint(np.triu(grad, 1))
    return np.triu(grad) + adjoint(np.tril(grad, -1))


def cholesky_back(grad: Any, y: Any, upper: bool) -> Any:
    """Return the gradient of a Cholesky factor, in the triangle that was read."""
    factor = y
    if upper:
        factor, grad = adjoint(y), adjoint(grad)
    inner = np.tril(adjoint(factor) @ np.tril(grad))
    count = np.shape(inner)[-1]
    inner = inner * beside((1 - 0.5 * np.eye(count)).astype(inner.dtype), inner)
    inverse = np.linalg.inv(factor)
    full = adjoint(inverse) @ inner @ inverse
    return onto_triangle(0.5 * (full + adjoint(full)), not upper)


def eigh_back(grad_w: Any, grad_v: Any, w: Any, v: Any, uplo: str, limit: Any = np.nan) -> Any:
    """Return the gradient of eigenvalues and eigenvectors, in the triangle that was read.

    `limit` holds where values are equal, and the gradients of the factors do not tell.
    """
    grad_w = None if grad_w is None else real_part(grad_w)
    inner: Any = 0.0
    if grad_v is not None:
        inner = off_diagonal(over_gaps(adjoint(v) @ grad_v, w, limit))
    if grad_w is not None:
        inner = inner + on_diagonal(grad_w)
    full = v @ inner @ adjoint(v)
    return onto_triangle(0.5 * (full + adjoint(full)), uplo.upper() == "L")


@recordable
def apart(vectors: Any, values: Any) -> Any:
    """Return eigenvectors as they are; where values are equal, their derivatives are not known.

    Those of a gradient of eigenvalues alone need how that depends on the eigenvalues, which is
    in the gradient that came and not in these vectors.
    """
    del values
    return np.positive(vectors)


def apart_back(grad: Any, values: Any) -> Any:
    """Return the gradient of vectors, NaN for matrices with equal values, even if it is zero."""
    several = np.any(off_diagonal(are_tied(values)), axis=(-2, -1), keepdims=True)
    return np.where(several, np.nan, grad)


def eigvalsh_back(grad: Any, a: Any, uplo: str) -> Any:
    """Return the gradient of the eigenvalues of a symmetric matrix."""
    w, v = np.linalg.eigh(a, uplo)
    return eigh_back(grad, None, w, apart(v, w), uplo)


def eig_back(grad_w: Any, grad_v: Any, w: Any, v: Any, limit: Any = np.nan) -> Any:
    """Return the gradient of eigenvalues, and of eigenvectors of length one."""
    vh = adjoint(v)
    inner: Any = 0.0
    if grad_w is not None:
        inner = on_diagonal(grad_w)
    if grad_v is not None:
        turned = of_lengths(vh @ grad_v, v)
        inner = inner + off_diagonal(over_gaps(turned, conj(w), limit))
    return np.linalg.solve(vh, inner @ vh)


def of_lengths(turned: Any, v: Any) -> Any:
    """Take from ``adjoint(v) @ grad_v`` what would change the lengths of vectors."""
    length = np.real(np.diagonal(turned, axis1=-2, axis2=-1))
    return turned - (adjoint(v) @ v) * np.expand_dims(length, -2)


def eigvals_back(grad: Any, a: Any) -> Any:
    """Return the gradient of the eigenvalues of any matrix."""
    w, v = np.linalg.eig(a)
    return eig_back(grad, None, w, apart(v, w))


def qr_r_back(grad: Any, a: Any) -> Any:
    """Return the gradient of the triangle of a QR factorisation."""
    q, r = np.linalg.qr(a)
    return qr_back((None, grad), a, q, r, "reduced")


def qr_back(grads: Any, a: Any, q: Any, r: Any, mode: str) -> Any:
    """Return the gradient of both factors of a QR factorisation."""
    square = np.shape(a)[-2] == np.shape(a)[-1]
    _refuse_qr(mode, square=square)
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


def qr_push(a_dot: Any, q: Any, r: Any, mode: str) -> tuple[Any, Any]:
    """Return the tangents of both factors of a QR factorisation."""
    _refuse_qr(mode, square=np.shape(a_dot)[-2] == np.shape(a_dot)[-1])
    rank = np.shape(q)[-1]
    first, rest = a_dot[..., :, :rank], a_dot[..., :, rank:]
    moved = adjoint(np.linalg.solve(adjoint(r[..., :, :rank]), adjoint(first)))
    inner = adjoint(q) @ moved
    lower = np.tril(inner, -1)
    turning = lower - adjoint(lower)
    if np.iscomplexobj(inner):  # the diagonal of `r` stays real
        turning = turning + on_diagonal(1j * np.imag(np.diagonal(inner, axis1=-2, axis2=-1)))
    q_dot = moved - q @ (inner - turning)
    left = np.triu((inner - turning) @ r[..., :, :rank])
    right = adjoint(q) @ rest - turning @ r[..., :, rank:]
    return q_dot, np.concatenate([left, right], axis=-1)


def qr_r_push(a_dot: Any, a: Any) -> Any:
    """Return the tangent of the triangle of a QR factorisation."""
    q, r = np.linalg.qr(a)
    return qr_push(a_dot, q, r, "reduced")[1]


def _refuse_qr(mode: str, *, square: bool) -> None:
    if mode != "reduced" and not (mode == "complete" and square):
        raise MissingRuleError(
            f"np.linalg.qr in mode {mode!r} has no derivative rule",
            hint="use the modes reduced or r",
        )


def _square_qr_back(grad_q: Any, grad_r: Any, q: Any, r: Any) -> Any:
    """Return the gradient of ``q @ r`` if `r` is square and not singular."""
    inner = r @ adjoint(grad_r) - adjoint(grad_q) @ q
    lower = np.tril(inner, -1)
    middle = np.real(np.diagonal(inner, axis1=-2, axis2=-1))
    mirrored = lower + adjoint(lower) + on_diagonal(middle)
    return adjoint(np.linalg.solve(r, adjoint(grad_q + q @ mirrored)))
