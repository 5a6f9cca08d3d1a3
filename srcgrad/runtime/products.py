"""Adjoints of products of arrays of any rank."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable

_REAL: Final = (np.dtype(np.float64), np.dtype(np.float32))
_FEW: Final = 600  # entries of two arrays, up to which their product costs less than to ask
_SMALL: Final = 1024  # entries of a matrix that is turned sooner than multiplied by as it lies


def adjoint(w: Any) -> Any:
    """Return `w` with its last two axes swapped, conjugated if it is complex."""
    return conj(np.swapaxes(w, -1, -2))


def is_sparse(value: Any) -> bool:
    """Say whether a matrix is one of SciPy's sparse ones, which NumPy does not know."""
    return hasattr(value, "tocsr")


def is_sparse_matrix(value: Any) -> bool:
    """Say whether `value` is a sparse matrix, with which ``*`` multiplies matrices."""
    return is_sparse(value) and any(item.__name__ == "spmatrix" for item in type(value).__mro__)


@recordable
def matmul_left(grad: Any, x: Any, w: Any) -> Any:
    """Return the gradient of `x` in ``x @ w``, for any ranks."""
    if is_sparse(w):
        return grad @ w.conj().T
    if np.ndim(w) == 1:
        return unbroadcast(np.expand_dims(grad, -1) * conj(w), np.shape(x))
    if np.ndim(x) == 1:
        if np.ndim(w) == 2:
            return conj(w) @ grad
        each = np.matmul(conj(w), np.expand_dims(grad, -1))
        return unbroadcast(np.squeeze(each, -1), np.shape(x))
    if np.ndim(w) == 2 and np.ndim(x) > 2:  # one product of all rows, in the place of many
        turned = adjoint(w)
        if type(w) is np.ndarray and w.size <= _SMALL:
            turned = np.ascontiguousarray(turned)
        return np.reshape(_rows(grad) @ turned, np.shape(x))
    return unbroadcast(np.matmul(grad, adjoint(w)), np.shape(x))


@recordable
def matmul_right(grad: Any, x: Any, w: Any) -> Any:
    """Return the gradient of `w` in ``x @ w``, for any ranks."""
    if is_sparse(x):
        return x.conj().T @ grad
    if np.ndim(x) == 1:
        row = np.expand_dims(grad, -1 if np.ndim(w) == 1 else -2)
        column = x if np.ndim(w) == 1 else np.expand_dims(x, -1)
        return unbroadcast(row * conj(column), np.shape(w))
    if np.ndim(w) == 1:
        if np.ndim(x) == 2:
            return adjoint(x) @ grad
        each = np.matmul(adjoint(x), np.expand_dims(grad, -1))
        return unbroadcast(np.squeeze(each, -1), np.shape(w))
    if np.ndim(w) == 2 and np.ndim(x) > 2:
        return conj(_rows(x).T) @ _rows(grad)
    return unbroadcast(np.matmul(adjoint(x), grad), np.shape(w))


def _rows(x: Any) -> Any:
    """Return an array of matrices as one matrix of all their rows."""
    if type(x) is np.ndarray and x.size:
        return x.reshape(-1, x.shape[-1])
    *lead, columns = np.shape(x)
    return np.reshape(x, (math.prod(lead), columns))


def dot_along(a: Any, b: Any, *, axis: int, keepdims: bool = False) -> Any:
    """Return ``(a * b).sum(axis=axis)``, without the product where many entries lie in rows.

    >>> dot_along(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]), axis=1)
    array([21., 43.])
    """
    if type(a) is np.ndarray and type(b) is np.ndarray and a.size + b.size > _FEW:
        last = max(a.ndim, b.ndim) - 1
        if axis in (last, -1) and a.shape[-1:] == b.shape[-1:] and _lie_in_rows(a, b):
            found = np.vecdot(a, b)
            return found[..., None] if keepdims else found
    return (a * b).sum(axis=axis, keepdims=keepdims)


def _lie_in_rows(*arrays: Any) -> bool:
    """Say whether entries of arrays of real numbers lie side by side along their last axes."""
    return all(x.dtype in _REAL and x.ndim and x.strides[-1] == x.itemsize for x in arrays)


def outer_back(x: Any, y: Any, shape: Any) -> Any:
    """Return outer products of rows, added up to a matrix or an array of matrices."""
    if len(shape) > 2 or np.ndim(x) != np.ndim(y):
        return unbroadcast(np.expand_dims(x, -1) * np.expand_dims(y, -2), shape)
    return _rows(x).T @ _rows(y)


@recordable
def dot_left(grad: Any, a: Any, b: Any) -> Any:
    """Return the gradient of `a` in ``np.dot(a, b)``, for any ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(grad * conj(b), np.shape(a))
    if np.ndim(b) == 1:
        return np.expand_dims(grad, -1) * conj(b)
    others = np.ndim(b) - 1
    matrix = np.moveaxis(conj(b), -2, -1)
    return np.tensordot(grad, matrix, axes=(range(-others, 0), range(others)))


@recordable
def dot_right(grad: Any, a: Any, b: Any) -> Any:
    """Return the gradient of `b` in ``np.dot(a, b)``, for any ranks."""
    if is_sparse(a):
        return a.conj().T @ grad
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(grad * conj(a), np.shape(b))
    rows = np.ndim(a) - 1
    matrix = np.tensordot(conj(a), grad, axes=(range(rows), range(rows)))
    return matrix if np.ndim(b) == 1 else np.moveaxis(matrix, 0, -2)
