"""Calculates gradients of functions of ``scipy.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.errors import MissingRuleError, NotDifferentiableError
from srcgrad.runtime import (
    adjoint,
    cholesky_back,
    conj,
    eigh_back,
    eigvalsh_back,
    onto_triangle,
    qr_back,
    unbroadcast,
)
from srcgrad.runtime.factors import are_tied, off_diagonal, over_gaps

_MIRRORED = {"sym", "symmetric", "her", "hermitian", "pos", "positive definite"}
_BANDS = {"diagonal": 0, "tridiagonal": 1}
_TRIANGLES = {"upper triangular": np.triu, "lower triangular": np.tril}


def columns(x: Any, like: Any) -> Any:
    """Return `x` as a matrix of columns, given whether `like` is one vector."""
    return np.expand_dims(x, -1) if np.ndim(like) == 1 else x


def _transposed(a: Any) -> Any:
    return np.swapaxes(a, -1, -2)


def linear_solve_back(
    grad: Any, values: tuple[Any, Any, Any], lower: bool, assume_a: Any, transposed: bool
) -> tuple[Any, Any]:
    """Return the gradients of a and b of ``y = linalg.solve(a, b)`` for an `a` of some structure.

    Only what is read of `a` has a gradient.
    """
    a, b, y = values
    mirrored, plain = assume_a in _MIRRORED, assume_a in ("sym", "symmetric")
    matrix = matrix_read(a, lower, assume_a, transposed)
    grad_b = np.linalg.solve(adjoint(matrix), columns(grad, b))
    grad_a = -grad_b @ adjoint(columns(y, b))
    grad_a = _transposed(grad_a) if transposed else grad_a
    if mirrored:
        other = _transposed(grad_a) if plain else adjoint(grad_a)
        half, rest = (np.tril, np.tril(other, -1)) if lower else (np.triu, np.triu(other, 1))
        grad_a = half(grad_a) + rest
        if not plain:  # the diagonal of a Hermitian matrix is read as real
            eye = np.eye(np.shape(a)[-1], dtype=bool)
            grad_a = np.where(eye, np.real(grad_a), grad_a)
    else:
        grad_a = _read(grad_a, assume_a)
    return unbroadcast(grad_a, np.shape(a)), unbroadcast(one_column(grad_b, b), np.shape(b))


def one_column(x: Any, b: Any) -> Any:
    """Undo `columns`."""
    return np.squeeze(x, -1) if np.ndim(b) == 1 else x


def matrix_read(a: Any, lower: bool, assume_a: Any, transposed: bool) -> Any:
    """Return the matrix of the equations that ``linalg.solve(a, b)`` solves with these options."""
    mirrored, plain = assume_a in _MIRRORED, assume_a in ("sym", "symmetric")
    matrix = _mirrored(a, lower, plain) if mirrored else _read(a, assume_a)
    return _transposed(matrix) if transposed else matrix


def _mirrored(a: Any, lower: bool, plain: bool) -> Any:
    """Return the symmetric matrix of which one triangle is read."""
    half, rest = (np.tril(a), np.tril(a, -1)) if lower else (np.triu(a), np.triu(a, 1))
    whole = half + (_transposed(rest) if plain else adjoint(rest))
    if plain or not np.iscomplexobj(a):
        return whole
    return np.where(np.eye(np.shape(a)[-1], dtype=bool), np.real(whole), whole)


def _read(a: Any, assume_a: Any) -> Any:
    """Return a matrix with zeros in the place of what is not read."""
    if assume_a in _TRIANGLES:
        return _TRIANGLES[assume_a](a)
    if assume_a in _BANDS:
        return np.triu(np.tril(a, _BANDS[assume_a]), -_BANDS[assume_a])
    return a


def solve_triangular_back(
    grad: Any, values: tuple[Any, Any, Any], trans: Any, lower: bool, unit_diagonal: bool
) -> tuple[Any, Any]:
    """Return the gradients of a and b of ``y = linalg.solve_triangular(a, b)``."""
    a, b, y = values
    turned = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}[trans]
    matrix, back = (a, 2) if turned == 0 else (conj(a) if turned == 1 else a, 0)
    grad_b = linalg.solve_triangular(matrix, grad, back, lower, unit_diagonal)
    grad_a = -columns(grad_b, b) @ adjoint(columns(y, b))
    grad_a = triangle_read(turned_by(trans, grad_a), lower, unit_diagonal)
    return unbroadcast(grad_a, np.shape(a)), unbroadcast(grad_b, np.shape(b))


def triangle_read(a: Any, lower: bool, unit_diagonal: bool) -> Any:
    """Return the triangle of `a` that is read, without its diagonal if that counts as one."""
    skip = 1 if unit_diagonal else 0
    return np.tril(a, -skip) if lower else np.triu(a, skip)


def turned_by(trans: Any, a: Any) -> Any:
    """Return `a`, transposed or its adjoint as the option `trans` says."""
    return a if trans in (0, "N") else _transposed(a) if trans in (1, "T") else adjoint(a)


def cho_factor_back(grad: Any, c: Any, lower: bool) -> Any:
    """Return the gradient of a Cholesky factor (until SciPy 1.17 its other triangle is of `a`)."""
    half, factor = triangle_read(grad, lower, False), triangle_read(c, lower, False)
    grad_a = cholesky_back(half, factor, not lower)
    return grad_a + (grad - half) if keeps_other_triangle() else grad_a


def keeps_other_triangle() -> bool:
    """Say whether this SciPy leaves in the other triangle of a factor what stood there."""
    factor, _ = linalg.cho_factor(np.array([[1.0, 0.5], [0.5, 1.0]]))
    return bool(factor[1, 0] != 0.0)


def cho_solve_back(grad: Any, c: Any, lower: bool, b: Any, y: Any) -> tuple[Any, Any]:
    """Return the gradients of the factor and of b of ``y = linalg.cho_solve((c, lower), b)``."""
    grad_b = linalg.cho_solve((c, lower), grad)
    full = -columns(grad_b, b) @ adjoint(columns(y, b))
    both = full + adjoint(full)
    grad_c = np.tril(both @ np.tril(c)) if lower else np.triu(np.triu(c) @ both)
    return grad_c, grad_b


def ordered_rows(piv: Any) -> Any:
    """Return in which row of its factors each row of a matrix stands.

    Raises:
        MissingRuleError: They are the factors of several matrices.
    """
    if np.ndim(piv) != 1:
        raise MissingRuleError(
            "the LU factors of several matrices at once have no derivative rule",
            hint="solve for one matrix after the other",
        )
    order = np.arange(len(piv))
    for i, other in enumerate(piv):
        order[[i, other]] = order[[other, i]]
    return np.argsort(order)


def refuse_wide(lu: Any) -> None:
    """Refuse LU factors of a matrix that is not square."""
    if np.ndim(lu) != 2 or np.shape(lu)[0] != np.shape(lu)[1]:
        raise MissingRuleError(
            "the LU factors of a matrix that is not square have no derivative rule",
            hint="use the QR factors",
        )


vars(refuse_wide)["__srcgrad_constant__"] = True


def parts_of_lu(lu: Any) -> tuple[Any, Any]:
    """Return the lower triangle, with ones on its diagonal, and the upper one."""
    refuse_wide(lu)
    return np.tril(lu, -1) + np.eye(len(lu), dtype=lu.dtype), np.triu(lu)


def lu_factor_back(grad: Any, lu: Any, piv: Any) -> Any:
    """Return the gradient of ``lu, piv = linalg.lu_factor(a)``; the order of rows is held fixed."""
    low, up = parts_of_lu(lu)
    inner = np.tril(adjoint(low) @ np.tril(grad, -1), -1) + np.triu(np.triu(grad) @ adjoint(up))
    ordered = np.linalg.solve(adjoint(low), adjoint(np.linalg.solve(up, adjoint(inner))))
    return ordered[ordered_rows(piv)]


def lu_back(grad_l: Any, grad_u: Any, p: Any, low: Any, up: Any) -> Any:
    """Return the gradient of ``p, low, up = linalg.lu(a)``; the order of rows is held fixed."""
    grad_l = 0 * low if grad_l is None else grad_l
    grad_u = 0 * up if grad_u is None else grad_u
    refuse_wide(low @ up)
    inner = np.tril(adjoint(low) @ grad_l, -1) + np.triu(grad_u @ adjoint(up))
    return p @ np.linalg.solve(adjoint(low), adjoint(np.linalg.solve(up, adjoint(inner))))


def lu_solve_back(
    grad: Any, lu: Any, piv: Any, values: tuple[Any, Any], trans: int
) -> tuple[Any, Any]:
    """Return the gradients of the factors and of b of ``y = linalg.lu_solve((lu, piv), b)``."""
    b, y = values
    low, up = parts_of_lu(lu)
    if trans == 1:
        grad_b = conj(linalg.lu_solve((lu, piv), conj(grad), 0))
    else:
        grad_b = linalg.lu_solve((lu, piv), grad, 2 if trans == 0 else 0)
    full = -columns(grad_b, b) @ adjoint(columns(y, b))
    full = full if trans == 0 else _transposed(full) if trans == 1 else adjoint(full)
    ordered = full[np.argsort(ordered_rows(piv))]
    grad_lu = np.tril(ordered @ adjoint(up), -1) + np.triu(adjoint(low) @ ordered)
    return grad_lu, grad_b


def frechet(function: Any, a: Any, direction: Any) -> Any:
    """Return the derivative of a function of matrices at `a` in a direction.

    The function of the block matrix ``[[a, direction], [0, a]]`` has it in its upper right block.
    """
    n = np.shape(a)[-1]
    above = np.concatenate([a, direction], -1)
    below = np.concatenate([0 * direction, a], -1)
    return function(np.concatenate([above, below], -2))[..., :n, n:]


def frechet_again(function: Any, a: Any, first: Any, second: Any) -> Any:
    """Return the second derivative of a function of matrices at `a` in two directions."""
    n = np.shape(a)[-1]
    zero = 0 * a
    block = np.block([[a, first], [zero, a]])
    direction = np.block([[second, zero], [zero, second]])
    return frechet(function, block, direction)[..., :n, n:]


def frechet_push(dots: tuple[Any, Any], function: Any, a: Any, direction: Any) -> Any:
    """Return the tangent of ``frechet(function, a, direction)``; None stands for zeros."""
    a_dot, direction_dot = dots
    total: Any = 0.0
    if a_dot is not None:
        total = frechet_again(function, a, direction, a_dot)
    return total if direction_dot is None else total + frechet(function, a, direction_dot)


def _turn(a: Any) -> Any:
    """Return a number of size 1 that turns the eigenvalues of a matrix away from below zero.

    There the logarithm and the powers of complex numbers jump. Eigenvalues of real matrices stay
    on that line and see no jump, but those of a block matrix, which are less exact, leave it.

    >>> float(_turn(np.eye(2)))
    1.0
    >>> np.round(_turn(-np.eye(2)), 3)
    np.complex128(-1j)
    """
    values = np.linalg.eigvals(a)
    if np.ndim(a) != 2 or not np.any(below := (values.imag == 0) & (values.real < 0)):
        return 1.0
    room = min(np.pi, np.pi + np.min(np.angle(values[~below]), initial=0.0))
    return np.exp(-0.5j * room)


def log_of_block(block: Any) -> Any:
    """Return the logarithm of a block matrix, but for a multiple of the unit matrix."""
    return linalg.logm(_turn(_corner(block)) * block)


def log_of_adjoint_block(block: Any) -> Any:
    """Return the same where the matrix is an adjoint: what was below zero comes from there."""
    return linalg.logm(np.conj(_turn(np.conj(_corner(block)))) * block)


def power_of_adjoint_block(block: Any, t: Any) -> Any:
    """Return the power of a block matrix whose matrix is an adjoint."""
    turn = _turn(np.conj(_corner(block)))
    return turn**t * linalg.fractional_matrix_power(np.conj(turn) * block, t)


def _corner(block: Any) -> Any:
    """Return the matrix in a block matrix, of which it is known where its eigenvalues are.

    Raises:
        NotDifferentiableError: It is a block matrix itself, with eigenvalues about below zero.
    """
    n = np.shape(block)[-1] // 2
    corner, half = block[..., :n, :n], n // 2
    if n > 1 and np.array_equal(corner[..., :half, :half], corner[..., half:, half:]):
        values = np.linalg.eigvals(corner)
        if np.any((np.abs(values.imag) < 1e-6 * np.abs(values)) & (values.real < 0)):
            message = "the second derivative of a function of matrices at an eigenvalue below zero"
            raise NotDifferentiableError(message, hint="differentiate it once")
    return corner


def power_back(grad: Any, a: Any, t: Any) -> Any:
    """Return the gradient of ``linalg.fractional_matrix_power(a, t)``."""
    return frechet(lambda block: power_of_adjoint_block(block, t), adjoint(a), grad)


def general_eigh_back(
    grads: tuple[Any, Any], b: Any, w: Any, v: Any, lower: bool, limit: Any = np.nan
) -> tuple[Any, Any]:
    """Return the gradients of a and b of the eigenvalues of ``a @ v = b @ v * w``."""
    uplo = "L" if lower else "U"
    grad_w, grad_v = grads
    if b is None:
        return eigh_back(grad_w, grad_v, w, v, uplo, limit), None
    inner = 0 * v if grad_w is None else np.diag(grad_w).astype(v.dtype)
    turned = 0 * v
    if grad_v is not None:
        turned = adjoint(v) @ grad_v
        inner = inner + off_diagonal(over_gaps(turned, w, limit))
    lengths = 0.5 * np.where(are_tied(w), turned, 0 * turned)
    full_a = v @ inner @ adjoint(v)
    full_b = -v @ (inner * w + lengths) @ adjoint(v)
    both = [0.5 * (full + adjoint(full)) for full in (full_a, full_b)]
    return onto_triangle(both[0], lower), onto_triangle(both[1], lower)


def general_eigvalsh_back(grad: Any, a: Any, b: Any, lower: bool) -> tuple[Any, Any]:
    """Return the gradients of a and b of the eigenvalues alone."""
    if b is None:
        return eigvalsh_back(grad, a, "L" if lower else "U"), None
    w, v = linalg.eigh(a, b, lower=lower)
    grad_a, grad_b = general_eigh_back((grad, None), b, w, v, lower)
    return grad_a, grad_b


def eigh_tridiagonal_back(
    grad_w: Any, grad_v: Any, w: Any, v: Any, limit: Any = np.nan
) -> tuple[Any, Any]:
    """Return the gradients of the diagonal and of what is beside it."""
    full = eigh_back(grad_w, grad_v, w, v, "L", limit)
    return np.diagonal(full), np.diagonal(full, -1)


def scipy_qr_back(grads: tuple[Any, Any], a: Any, q: Any, r: Any, mode: str) -> Any:
    """Return the gradient of both factors of ``linalg.qr(a, mode=mode)``."""
    tall = np.shape(a)[-2] > np.shape(a)[-1]
    return qr_back(grads, a, q, r, "complete" if tall and mode == "full" else "reduced")


def polar_back(grads: tuple[Any, Any], a: Any, u: Any, p: Any, side: str) -> Any:
    """Return the gradient of ``u @ p = a``, or of ``p @ u = a`` if side is "left"."""
    grad_u, grad_p = grads
    grad_u = 0 * u if grad_u is None else grad_u
    grad_p = 0 * p if grad_p is None else grad_p
    if side == "left":
        return adjoint(
            polar_back((adjoint(grad_u), adjoint(grad_p)), adjoint(a), adjoint(u), p, "")
        )
    if np.shape(a)[0] < np.shape(a)[1]:  # `p` is singular, and `u` that of the other side
        turned = grad_u + a @ adjoint(grad_p)
        return u @ grad_p + polar_back((turned, None), a, u, a @ adjoint(u), "left")
    direct = adjoint(np.linalg.solve(p, adjoint(grad_u)))
    inner = grad_p - adjoint(u) @ direct
    half = linalg.solve_sylvester(p, p, 0.5 * (inner + adjoint(inner)))
    return direct + a @ (half + adjoint(half))
