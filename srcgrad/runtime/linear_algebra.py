"""Adjoints of inverses, solutions and norms of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import expand_reduced, unbroadcast
from srcgrad.runtime.complex_parts import conj, is_complex, real_part
from srcgrad.runtime.cumulating import others_product
from srcgrad.runtime.dispatch import records
from srcgrad.runtime.factors import once
from srcgrad.runtime.products import adjoint
from srcgrad.runtime.reducing import share_among_ties
from srcgrad.runtime.singular import svdvals_back, svdvals_push
from srcgrad.runtime.slopes import divide_or_zero
from srcgrad.runtime.tangents import pinv_push


def spread(grad: Any) -> Any:
    """Give one number for each matrix two axes more."""
    return np.expand_dims(grad, (-2, -1))


def det_back(grad: Any, a: Any, y: Any) -> Any:
    """Return the gradient of a determinant `y`: its cofactors, also of singular matrices."""
    if isinstance(y, float) and y != 0 and type(a) is np.ndarray:  # of one matrix, as most are
        return grad * y * np.linalg.inv(a).T
    if np.all(y != 0):
        return spread(grad * conj(y)) * adjoint(np.linalg.inv(a))
    u, s, vh = np.linalg.svd(a)
    sign = conj(np.linalg.det(u) * np.linalg.det(vh))
    cofactors = (u * np.expand_dims(others_product(s, -1), -2)) @ vh
    if records(a):  # of the factors, the tape would lose what comes times a zero
        cofactors = once(cofactors, np.ones(np.shape(a), bool))
    return spread(grad * sign) * cofactors


def slogdet_back(grad_sign: Any, grad: Any, a: Any, sign: Any) -> Any:
    """Return the gradient of the sign and the logarithm of a determinant."""
    total = 0.0 if grad is None else real_part(grad)
    if grad_sign is not None and is_complex(sign):
        total = total + 1j * np.real(conj(grad_sign) * 1j * sign)
    return spread(total) * adjoint(np.linalg.inv(a))


def solve_back(grad: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    """Return the gradients of both arguments of ``y = np.linalg.solve(a, b)``."""
    if np.ndim(b) == 1:
        grad, y = np.expand_dims(grad, -1), np.expand_dims(y, -1)
    grad_b = np.linalg.solve(adjoint(a), grad)
    grad_a = -grad_b @ adjoint(y)
    column = np.squeeze(grad_b, -1) if np.ndim(b) == 1 else grad_b
    return unbroadcast(grad_a, np.shape(a)), unbroadcast(column, np.shape(b))


def pinv_back(grad: Any, a: Any, p: Any) -> Any:
    """Return the gradient of a pseudo-inverse `p` of fixed rank (Golub and Pereyra, 1973)."""
    ph, gh = adjoint(p), adjoint(grad)
    inner = -ph @ grad @ ph
    left = gh @ p @ ph
    right = ph @ p @ gh
    return inner + left - a @ (p @ left) + right - (right @ p) @ a


def lstsq_back(
    grad: Any, grad_residuals: Any, grad_s: Any, values: tuple[Any, Any, Any]
) -> tuple[Any, Any]:
    """Return the gradients of both arguments of ``np.linalg.lstsq``."""
    a, b, x = values
    wide = np.ndim(b) == 1
    b, x = (np.expand_dims(b, -1), np.expand_dims(x, -1)) if wide else (b, x)
    grad_a, grad_b = 0 * a, 0 * b
    if grad is not None:
        grad = np.expand_dims(grad, -1) if wide else grad
        p = np.linalg.pinv(a)
        grad_a = pinv_back(grad @ adjoint(b), a, p)
        grad_b = adjoint(p) @ grad
    if grad_residuals is not None and np.size(grad_residuals):
        misfit = 2 * (b - a @ x) * real_part(grad_residuals)
        grad_a = grad_a - misfit @ adjoint(x)
        grad_b = grad_b + misfit
    if grad_s is not None:
        grad_a = grad_a + svdvals_back(grad_s, a)
    return grad_a, np.squeeze(grad_b, -1) if wide else grad_b


def tensorinv_back(grad: Any, y: Any, shape: Any) -> Any:
    """Return the gradient of an inverse of a map of arrays."""
    size = math.isqrt(math.prod(shape))
    inverse = adjoint(np.reshape(y, (size, size)))
    return np.reshape(-inverse @ np.reshape(grad, (size, size)) @ inverse, shape)


def tensorsolve_back(grad: Any, a: Any, y: Any, b_shape: Any, axes: Any) -> tuple[Any, Any]:
    """Return the gradients of both arguments of ``np.linalg.tensorsolve``."""
    order = _axes_to_solve(np.ndim(a), axes)
    moved = np.transpose(a, order)
    size = math.prod(b_shape)
    matrix = np.reshape(moved, (size, size))
    grad_b = np.linalg.solve(adjoint(matrix), np.reshape(grad, (size,)))
    grad_a = np.reshape(-np.outer(grad_b, conj(np.ravel(y))), moved.shape)
    return np.transpose(grad_a, np.argsort(order).tolist()), np.reshape(grad_b, b_shape)


def _axes_to_solve(rank: int, axes: Any) -> list[int]:
    """Return the order of axes in which ``np.linalg.tensorsolve`` reads the map."""
    last = list(axes or ())
    return [*[axis for axis in range(rank) if axis not in last], *last]


def slogdet_push(a_dot: Any, a: Any, sign: Any) -> tuple[Any, Any]:
    """Return the tangents of the sign and the logarithm of a determinant."""
    change = np.trace(np.linalg.solve(a, a_dot), axis1=-2, axis2=-1)
    turned = 1j * np.imag(change) * sign if is_complex(sign) else 0 * sign
    return turned, np.real(change)


def lstsq_push(dots: tuple[Any, Any], values: tuple[Any, Any, Any]) -> tuple[Any, ...]:
    """Return the tangents of what ``np.linalg.lstsq`` returns; the rank is held fixed."""
    (a_dot, b_dot), (a, b, x) = dots, values
    p = np.linalg.pinv(a)
    rest = b - a @ x
    rest_dot = 0 * rest if b_dot is None else b_dot
    x_dot = 0 * x if b_dot is None else p @ b_dot
    s_dot = np.zeros(min(np.shape(a)))
    if a_dot is not None:
        x_dot = x_dot + pinv_push(a_dot, a, p) @ b
        rest_dot = rest_dot - a_dot @ x
        s_dot = svdvals_push(a_dot, a)
    wide = np.shape(a)[0] > np.shape(a)[1] and np.linalg.matrix_rank(a) == np.shape(a)[1]
    of_residuals = 2 * np.sum(np.real(conj(rest) * rest_dot), axis=0)
    residuals = np.reshape(of_residuals, (-1,)) if wide else np.zeros(0)
    return x_dot, residuals, 0, s_dot


def tensorinv_push(a_dot: Any, y: Any) -> Any:
    """Return the tangent of an inverse of a map of arrays."""
    size = math.isqrt(math.prod(np.shape(a_dot)))
    inverse = np.reshape(y, (size, size))
    return np.reshape(-inverse @ np.reshape(a_dot, (size, size)) @ inverse, np.shape(y))


def tensorsolve_push(dots: tuple[Any, Any], values: tuple[Any, Any, Any], axes: Any) -> Any:
    """Return the tangent of ``y = np.linalg.tensorsolve(a, b, axes)``."""
    (a_dot, b_dot), (a, b, y) = dots, values
    order, size = _axes_to_solve(np.ndim(a), axes), np.size(b)
    right = np.zeros(size) if b_dot is None else np.ravel(b_dot)
    if a_dot is not None:
        change = np.reshape(np.transpose(a_dot, order), (size, size))
        right = right - change @ np.ravel(y)
    matrix = np.reshape(np.transpose(a, order), (size, size))
    return np.reshape(np.linalg.solve(matrix, right), np.shape(y))


def matrix_power_back(grad: Any, a: Any, n: int) -> Any:
    """Return the gradient of a power of a matrix: the sum over the factors of it."""
    if n == 0:
        return 0 * a
    if n < 0:
        inverse = np.linalg.inv(a)
        inner = matrix_power_back(grad, inverse, -n)
        return -adjoint(inverse) @ inner @ adjoint(inverse)
    ah = adjoint(a)
    total, left = grad, grad
    for _ in range(n - 1):  # total = sum of ah**k grad ah**(n - 1 - k)
        left = ah @ left
        total = left + total @ ah
    return total


def norm_back(grad: Any, x: Any, y: Any, ord: Any, axis: Any, keepdims: bool) -> Any:  # noqa: A002
    """Return the gradient of ``y = np.linalg.norm(x, ord, axis, keepdims)``."""
    if ord is None:
        return vector_norm_back(grad, x, y, 2, axis, keepdims)
    rank = np.ndim(x)
    axes = tuple(range(rank)) if axis is None else axis
    if isinstance(axes, (tuple, list)) and len(axes) == 2:
        return matrix_norm_back(grad, x, y, ord, (axes[0] % rank, axes[1] % rank), keepdims)
    return vector_norm_back(grad, x, y, ord, axis, keepdims)


def vector_norm_back(grad: Any, x: Any, y: Any, ord: Any, axis: Any, keepdims: bool) -> Any:  # noqa: A002
    """Return the gradient of a norm of vectors along `axis`; 0 where the norm is 0."""
    grad = real_part(grad)
    if axis is not None and not keepdims:
        grad, y = np.expand_dims(grad, axis), np.expand_dims(y, axis)
    if ord == 2:
        return x * divide_or_zero(grad, y)
    if ord == 1:
        return grad * np.sign(x)
    if ord == 0:
        return 0 * x * grad
    size = np.absolute(x)
    if math.isinf(ord):
        return share_among_ties(grad, size, y, axis, True) * np.sign(x)
    ratio = divide_or_zero(size, y)
    slope = np.where(size == 0, 0, np.power(np.where(size == 0, 1, ratio), ord - 1))
    return grad * slope * np.sign(x)


def matrix_norm_back(grad: Any, x: Any, y: Any, ord: Any, axes: Any, keepdims: bool) -> Any:  # noqa: A002
    """Return the gradient of a norm of matrices along two axes; split evenly among ties."""
    if ord in (None, "fro", "f"):
        return vector_norm_back(grad, x, y, 2, axes, keepdims)
    grad = real_part(grad)
    if not keepdims:
        grad, y = np.expand_dims(grad, axes), np.expand_dims(y, axes)
    if ord in ("nuc", 2, -2):
        matrix = np.moveaxis(x, axes, (-2, -1))
        weight = np.squeeze(np.moveaxis(grad, axes, (-2, -1)), -1)
        s = np.linalg.svd(matrix, compute_uv=False)
        if ord == "nuc":
            grad_s = expand_reduced(weight, np.shape(s), -1, True)
        else:
            extreme = s[..., :1] if ord == 2 else s[..., -1:]
            grad_s = share_among_ties(weight, s, extreme, -1, True)
        return np.moveaxis(svdvals_back(grad_s * (s != 0), matrix), (-2, -1), axes)
    inner, outer = (axes[0], axes[1]) if abs(ord) == 1 else (axes[1], axes[0])
    sums = np.sum(np.absolute(x), axis=inner, keepdims=True)
    return share_among_ties(grad, sums, y, outer, True) * np.sign(x)


def cond_back(grad: Any, x: Any, p: Any) -> Any:
    """Return the gradient of a condition number."""
    grad = real_part(grad)
    if p in (None, 2, -2):
        s = np.linalg.svd(x, compute_uv=False)
        top, low = (s[..., -1:], s[..., :1]) if p == -2 else (s[..., :1], s[..., -1:])
        weight = np.expand_dims(grad, -1)
        raised = share_among_ties(weight / low, s, top, -1, True)
        lowered = share_among_ties(weight * top / (low * low), s, low, -1, True)
        return svdvals_back(raised - lowered, x)
    inverse = np.linalg.inv(x)
    here = np.linalg.norm(x, p, (-2, -1))
    there = np.linalg.norm(inverse, p, (-2, -1))
    direct = norm_back(grad * there, x, here, p, (-2, -1), False)
    through = norm_back(grad * here, inverse, there, p, (-2, -1), False)
    return direct - adjoint(inverse) @ through @ adjoint(inverse)
