"""Adjoints of products and of reductions to one number."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops.library.bodies import of_array, of_real, unvalued


@overload(runtime.share_among_ties)
def _share_among_ties(grad, a, extreme, axis=None):
    if not (of_array(a) and of_real(unvalued(grad)) and of_real(unvalued(extreme))):
        return None

    def body(grad, a, extreme, axis=None):
        out = np.zeros(a.shape, a.dtype)
        flat, of = out.ravel(), a.ravel()
        count = 0
        for i in range(len(of)):
            count += of[i] == extreme
        for i in range(len(of)):
            if of[i] == extreme:
                flat[i] = grad / count
        return out

    return body


@overload(runtime.cumsum_back)
def _cumsum_back(grad, shape, axis):
    is_vector = isinstance(shape, types.UniTuple) and len(shape) == 1
    if not (of_array(grad) and grad.ndim == 1 and is_vector):
        return None

    def body(grad, shape, axis):
        out = np.empty_like(grad)
        total = 0.0
        for i in range(len(grad) - 1, -1, -1):
            total += grad[i]
            out[i] = total
        return out

    return body


@overload(runtime.matmul_left)
def _matmul_left(grad, x, w):
    if not (of_array(x) and of_array(w)) or isinstance(w.dtype, types.Complex):
        return None
    if (x.ndim, w.ndim) == (1, 1):
        return lambda grad, x, w: grad * w
    if (x.ndim, w.ndim) == (2, 1):
        return lambda grad, x, w: np.outer(grad, w)
    if (x.ndim, w.ndim) == (1, 2):
        return lambda grad, x, w: w @ grad
    if (x.ndim, w.ndim) == (2, 2):
        return lambda grad, x, w: grad @ w.T
    return None


@overload(runtime.matmul_right)
def _matmul_right(grad, x, w):
    if not (of_array(x) and of_array(w)) or isinstance(x.dtype, types.Complex):
        return None
    if (x.ndim, w.ndim) == (1, 1):
        return lambda grad, x, w: grad * x
    if (x.ndim, w.ndim) == (1, 2):
        return lambda grad, x, w: np.outer(x, grad)
    if x.ndim == 2 and w.ndim in (1, 2):
        return lambda grad, x, w: x.T @ grad
    return None


@overload(runtime.solve_back)
def _solve_back(grad, a, b, y):
    same = {getattr(item, "dtype", None) for item in (grad, a, b, y)}
    if len(same) != 1 or not isinstance(next(iter(same)), types.Float):
        return None
    if a.ndim != 2 or not (grad.ndim == b.ndim == y.ndim) or b.ndim not in (1, 2):
        return None
    if b.ndim == 1:

        def of_vector(grad, a, b, y):
            column = np.linalg.solve(a.T, grad)
            return -np.outer(column, y), column

        return of_vector

    def of_matrix(grad, a, b, y):
        columns = np.linalg.solve(a.T, grad)
        return -(columns @ y.T), columns

    return of_matrix


@overload(runtime.dot_left)
def _dot_left(grad, a, b):
    if of_array(a) and of_array(b) and a.ndim <= 2 and b.ndim <= 2:
        return lambda grad, a, b: runtime.matmul_left(grad, a, b)
    return None


@overload(runtime.dot_right)
def _dot_right(grad, a, b):
    if of_array(a) and of_array(b) and a.ndim <= 2 and b.ndim <= 2:
        return lambda grad, a, b: runtime.matmul_right(grad, a, b)
    return None
