"""Adjoints of products and of reductions to one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops.library.bodies import made, of_array, of_real, unvalued


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


@overload(runtime.adjoint)
def _adjoint(w):
    if not of_array(w) or w.ndim != 2:
        return None
    if isinstance(w.dtype, types.Complex):
        return lambda w: np.conj(w.T)
    return lambda w: w.T


@overload(runtime.gathered)
def _gathered(parts, like):
    is_row = isinstance(parts, (types.List, types.UniTuple)) and of_real(parts.dtype)
    if not is_row or not of_array(like) or like.ndim != 1:
        return None

    def body(parts, like):
        if len(parts) != len(like):  # as no array of numbers has
            raise ValueError("cannot reshape array")
        out = np.zeros(len(like))
        for i in range(len(parts)):
            out[i] = parts[i]
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


@overload(runtime.det_back)
def _det_back(grad, a, y):
    if not (of_array(a) and a.ndim == 2 and isinstance(a.dtype, types.Float)):
        return None

    def body(grad, a, y):
        if y != 0:
            return grad * y * np.linalg.inv(a).T
        u, s, vh = np.linalg.svd(a)  # the cofactors, also of singular matrices
        sign = np.linalg.det(u) * np.linalg.det(vh)
        others = np.ones_like(s)
        for i in range(len(s)):
            for j in range(len(s)):
                if i != j:
                    others[i] *= s[j]
        return grad * sign * ((u * others) @ vh)

    return body


@overload(runtime.slogdet_back)
def _slogdet_back(grad_sign, grad, a, sign):
    is_matrix = of_array(a) and a.ndim == 2 and isinstance(a.dtype, types.Float)
    if not (is_matrix and of_real(unvalued(grad))):
        return None
    return lambda grad_sign, grad, a, sign: grad * np.linalg.inv(a).T


def _cross_part(kinds: Sequence[Any], one: str, other: str) -> Any:
    """Return what a factor of a product of two vectors of three entries gets."""
    if not all(of_array(item) and item.ndim == 1 for item in kinds):
        return None
    entries = [
        f"    out[{i}] = {one}[{j}] * {other}[{k}] - {one}[{k}] * {other}[{j}]\n"
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    ]
    return made(
        "def body(grad, a, b, axes):\n    if len(a) != 3 or len(b) != 3:\n"
        "        raise ValueError('vectors of two entries')\n"
        f"    out = {one} * {other}\n{''.join(entries)}    return out"
    )


@overload(runtime.cross_left)
def _cross_left(grad, a, b, axes):
    return _cross_part((grad, a, b), "b", "grad")


@overload(runtime.cross_right)
def _cross_right(grad, a, b, axes):
    return _cross_part((grad, a, b), "grad", "a")


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
