"""Adjoints of products and of reductions to one number."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops.library.bodies import is_array, is_number, is_real, plain


@overload(runtime.expand_sum)
def _expand_sum(grad, shape, axis, keepdims, where=True):
    if is_number(grad) and isinstance(shape, types.UniTuple):
        return lambda grad, shape, axis, keepdims, where=True: np.full(shape, float(grad))
    return None


@overload(runtime.expand_mean)
def _expand_mean(grad, shape, axis, keepdims, where=True):
    if not is_number(grad) or not isinstance(shape, types.UniTuple):
        return None

    def body(grad, shape, axis, keepdims, where=True):
        count = 1
        for size in shape:
            count *= size
        return np.full(shape, grad / count)

    return body


@overload(runtime.share_among_ties)
def _share_among_ties(grad, a, extreme, axis=None):
    if not (is_array(a) and is_real(plain(grad)) and is_real(plain(extreme))):
        return None

    def body(grad, a, extreme, axis=None):
        out = np.zeros(a.shape)
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
    if not (is_array(grad) and grad.ndim == 1 and is_vector):
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
    if not (is_array(x) and is_array(w)) or isinstance(w.dtype, types.Complex):
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
    if not (is_array(x) and is_array(w)) or isinstance(x.dtype, types.Complex):
        return None
    if (x.ndim, w.ndim) == (1, 1):
        return lambda grad, x, w: grad * x
    if (x.ndim, w.ndim) == (1, 2):
        return lambda grad, x, w: np.outer(x, grad)
    if x.ndim == 2 and w.ndim in (1, 2):
        return lambda grad, x, w: x.T @ grad
    return None


@overload(runtime.dot_left)
def _dot_left(grad, a, b):
    if is_array(a) and is_array(b) and a.ndim <= 2 and b.ndim <= 2:
        return lambda grad, a, b: runtime.matmul_left(grad, a, b)
    return None


@overload(runtime.dot_right)
def _dot_right(grad, a, b):
    if is_array(a) and is_array(b) and a.ndim <= 2 and b.ndim <= 2:
        return lambda grad, a, b: runtime.matmul_right(grad, a, b)
    return None
