"""Says how NumPy's functions of one array act on stacks."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import expand_reduced, unbroadcast
from srcgrad.runtime.copies import copied
from srcgrad.runtime.indexing import may_repeat, scatter
from srcgrad.runtime.products import dot_left, dot_right, matmul_left, matmul_right
from srcgrad.runtime.stacks.core import (
    HANDLERS,
    Stack,
    aligned,
    behind,
    closed,
    handles,
    holds_stack,
    operand_ndim,
    refuse,
    rows_last,
    rows_of,
)
from srcgrad.runtime.stacks.making import each_row

Axis = int | tuple[int, ...] | None


def shifted(axis: Any, ndim: int) -> Any:
    """Return axes of each row as axes of the rows together."""
    if isinstance(axis, (tuple, list)):
        return tuple(shifted(item, ndim) for item in axis)
    place = operator.index(axis)
    if not -ndim <= place < ndim:
        refuse("an axis that is not there")
    return place % ndim + 1


def every_axis(ndim: int) -> tuple[int, ...]:
    """Return all axes of each row as axes of the rows together."""
    return tuple(range(1, ndim + 1))


def _arrays(rows: Any) -> Any:
    """Return a stack of arrays, which may have no axes."""
    return Stack(rows, is_array=True)


# -- reductions and what goes along an axis


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def handler(
        a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
        **options: Any,
    ) -> Any:  # fmt: skip
        if out is not None or options or not isinstance(keepdims, (bool, np.bool_)):
            refuse(f"{function.__name__} with such options")
        rows = rows_of(a)
        axes = every_axis(a.ndim) if axis is None else shifted(axis, a.ndim)
        return Stack(function(rows, axis=axes, dtype=dtype, keepdims=keepdims))

    return handler


for _function in (np.sum, np.mean):
    handles(_function, f".{_function.__name__}")(_reduction(_function))


@handles(np.cumsum, ".cumsum")
def _cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    rows = rows_of(a)
    if axis is None:
        return Stack(np.cumsum(rows.reshape(len(rows), -1), axis=1, dtype=dtype))
    return Stack(np.cumsum(rows, axis=shifted(axis, a.ndim), dtype=dtype))


@handles(np.flip)
def _flip(m: Any, axis: Any = None) -> Any:
    rows = rows_of(m)
    return Stack(np.flip(rows, every_axis(m.ndim) if axis is None else shifted(axis, m.ndim)))


handles(np.flipud)(lambda m: _flip(m, 0))
handles(np.fliplr)(lambda m: _flip(m, 1))


@handles(np.roll)
def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    rows = rows_of(a)
    if axis is None:
        return Stack(np.roll(rows.reshape(len(rows), -1), shift, axis=1).reshape(rows.shape))
    return Stack(np.roll(rows, shift, shifted(axis, a.ndim)))


@handles(np.repeat, ".repeat")
def _repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    rows = rows_of(a)
    if axis is None:
        return Stack(np.repeat(rows.reshape(len(rows), -1), repeats, axis=1))
    return Stack(np.repeat(rows, repeats, shifted(axis, a.ndim)))


@handles(np.diff)
def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    return Stack(np.diff(rows_of(a), n, shifted(axis, a.ndim)))


@handles(np.take, ".take")
def _take(a: Any, indices: Any, axis: Any = None) -> Any:
    rows = rows_of(a)
    if axis is None:
        return Stack(np.take(rows.reshape(len(rows), -1), indices, axis=1))
    return Stack(np.take(rows, indices, shifted(axis, a.ndim)))


@handles(np.trace, ".trace")
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return Stack(np.trace(rows_of(a), offset, shifted(axis1, a.ndim), shifted(axis2, a.ndim)))


@handles(np.diagonal, ".diagonal")
def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return Stack(np.diagonal(rows_of(a), offset, shifted(axis1, a.ndim), shifted(axis2, a.ndim)))


@handles(np.tril)
def _tril(m: Any, k: int = 0) -> Any:
    return Stack(np.tril(rows_of(m), k)) if m.ndim > 1 else refuse("a triangle of a vector")


@handles(np.triu)
def _triu(m: Any, k: int = 0) -> Any:
    return Stack(np.triu(rows_of(m), k)) if m.ndim > 1 else refuse("a triangle of a vector")


# -- shapes


handles(np.shape)(lambda a: a.shape)
handles(np.ndim)(lambda a: a.ndim)
handles(np.size)(lambda a: a.size)
handles(np.result_type)(
    lambda *given: np.result_type(*[x.dtype if isinstance(x, Stack) else x for x in given])
)
handles(np.iscomplexobj)(lambda x: bool(x.dtype.kind == "c"))


@handles(np.reshape)
def _reshape(a: Any, shape: Any, order: Any = "C") -> Any:
    rows = rows_of(a)
    if order != "C":
        refuse("another order of elements")
    whole = rows.shape[:1] + _as_tuple(shape)
    return _arrays(rows.reshape(whole)) if len(rows) else refuse("no rows")


def _as_tuple(shape: Any) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


@handles(".reshape")
def _reshape_method(a: Any, *shape: Any, order: Any = "C") -> Any:
    return _reshape(a, shape[0] if len(shape) == 1 else shape, order)


@handles(np.ravel, ".ravel")
def _ravel(a: Any, order: Any = "C") -> Any:
    return _reshape(a, -1, order)


@handles(".flatten")
def _flatten(a: Any, order: Any = "C") -> Any:
    return Stack(_ravel(a, order).rows.copy())


@handles(np.transpose)
def _transpose(a: Any, axes: Any = None) -> Any:
    rows = rows_of(a)
    if not a.ndim:
        return a
    order = tuple(range(a.ndim, 0, -1)) if axes is None else shifted(tuple(axes), a.ndim)
    return Stack(rows.transpose((0, *order)))


@handles(".transpose")
def _transpose_method(a: Any, *axes: Any) -> Any:
    whole = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return _transpose(a, whole or None)


@handles(np.swapaxes, ".swapaxes")
def _swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    return Stack(np.swapaxes(rows_of(a), shifted(axis1, a.ndim), shifted(axis2, a.ndim)))


@handles(np.moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    return Stack(np.moveaxis(rows_of(a), shifted(source, a.ndim), shifted(destination, a.ndim)))


@handles(np.expand_dims)
def _expand_dims(a: Any, axis: Any) -> Any:
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return Stack(np.expand_dims(rows_of(a), shifted(axis, a.ndim + count)))


@handles(np.squeeze, ".squeeze")
def _squeeze(a: Any, axis: Any = None) -> Any:
    rows = rows_of(a)
    if axis is None:
        axis = tuple(i for i, n in enumerate(a.shape) if n == 1)
    return _arrays(np.squeeze(rows, shifted(axis, a.ndim)) if axis != () else rows)


@handles(np.broadcast_to)
def _broadcast_to(array: Any, shape: Any) -> Any:
    whole = _as_tuple(shape)
    rows = aligned(array, len(whole))
    return _arrays(np.broadcast_to(rows, rows.shape[:1] + whole))


# -- copies and new arrays


@handles(np.copy, ".copy")
def _copy(a: Any, order: Any = "K") -> Any:
    del order
    return Stack(rows_of(a).copy(), is_array=a.is_array)


handles(copied)(_copy)


@handles(".astype")
def _astype(a: Any, dtype: Any, *, copy: bool = True) -> Any:
    rows = rows_of(a)
    new = Stack(rows.astype(dtype, copy=copy), is_array=a.is_array)
    return new if np.dtype(dtype).kind in "fc" else refuse("int")


@handles(np.zeros_like)
def _zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    if dtype is not None and np.dtype(dtype).kind not in "fc":
        refuse("zeros of no floats")
    if shape is None:
        return _arrays(np.zeros_like(a.rows, dtype=dtype))
    return _arrays(np.zeros(a.rows.shape[:1] + _as_tuple(shape), dtype or a.dtype))


handles(np.ones_like)(lambda a, dtype=None: _zeros_like(a, dtype) + 1.0)


@handles(np.where)
def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2 or isinstance(condition, Stack):
        refuse("places that depend on a stack")
    ndim = max(operand_ndim(item) for item in (condition, *choices))
    return _arrays(np.where(condition, *(aligned(item, ndim) for item in choices)))


handles(np.real)(lambda val: val.real)
handles(np.imag)(lambda val: val.imag)
handles(".conj", ".conjugate")(lambda a: Stack(a.rows.conj()))


@handles(".fill")
def _fill(a: Any, value: Any) -> None:
    a[...] = value


@handles(np.copyto)
def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    del casting
    if where is not True or not isinstance(dst, Stack):
        refuse("a part that is written")
    dst[...] = src


@handles(np.add.at)
def _at(ufunc: Any, a: Any, indices: Any, *values: Any) -> None:
    if not isinstance(a, Stack) or holds_stack(indices):
        refuse("a place that depends on a stack, or an array that is none")
    whole = indices if isinstance(indices, tuple) else (indices,)
    ufunc.at(rows_last(a.rows), closed(whole), *map(behind, values))


# -- our own


@handles(scatter)
def _scatter(grad: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Add to zeros at an index, as the runtime does for one array."""
    full = _zeros_like(grad, shape=shape)
    if may_repeat(index):
        _at(np.add, full, index, grad)
    else:
        full[index] = grad
    return full


_ours: Any
for _ours in (expand_reduced, matmul_left, matmul_right, dot_left, dot_right):
    handles(_ours)(_ours.__wrapped__)


@handles(unbroadcast)
def _unbroadcast(grad: Any, shape: tuple[int, ...]) -> Any:
    """Sum down to another shape, as the runtime does for one array."""
    if not shape:
        return HANDLERS[np.sum](grad)
    lead = grad.ndim - len(shape)
    stretched = [lead + i for i, n in enumerate(shape) if n == 1 and grad.shape[lead + i] != 1]
    return _reshape(HANDLERS[np.sum](grad, axis=(*range(lead), *stretched)), shape)


ROW_BY_ROW = (
    np.convolve, np.correlate, np.cross, np.kron, np.interp, np.gradient, np.trapezoid, np.pad,
    np.tile, np.rot90, np.average, np.vander, np.polyval, np.linalg.solve, np.linalg.inv,
    np.linalg.lstsq, np.linalg.pinv, np.linalg.multi_dot, np.linalg.tensorsolve, np.diag,
    np.diagflat, np.nansum, np.nanmean, np.take_along_axis, np.append, np.insert,
    np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.fft2, np.fft.ifft2, np.fft.fftn,
    np.fft.ifftn, np.fft.rfftn, np.fft.irfftn, np.fft.fftshift, np.fft.ifftshift,
    np.apply_along_axis, np.ediff1d, np.delete, np.compress, np.choose, np.select, np.max,
    np.min, np.prod, np.cumprod,
    np.block, np.vdot, np.resize, np.nan_to_num, np.unwrap, np.var, np.std,
)  # fmt: skip
for _ours in ROW_BY_ROW:
    handles(_ours)(each_row(_ours))

del _function, _ours
