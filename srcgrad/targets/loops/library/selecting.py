"""What selects by truth values and extremes, and what arrays are put together of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops import names
from srcgrad.targets.loops.library.along import axes_of
from srcgrad.targets.loops.library.bodies import (
    loops,
    made,
    narrow,
    of_array,
    of_number,
    of_real,
    subscript,
    tuple_text,
    unvalued,
)


@overload(runtime.within)
def _within(a, low, high):
    sides = [
        f"a {sign} {name}"
        for name, sign, kind in (("low", ">=", low), ("high", "<=", high))
        if not isinstance(kind, types.NoneType)
    ]
    if not sides or not (of_array(a) or of_real(unvalued(a))):
        return None
    whole = any(map(of_array, (a, low, high)))
    shown = f"np.logical_and({', '.join(sides)})" if whole else " and ".join(sides)
    return made(f"def body(a, low, high):\n    return {shown if len(sides) > 1 else sides[0]}")


@overload(runtime.share_among_ties, prefer_literal=True)
def _share_among_ties(grad, a, extreme, axis=None, keepdims=False, where=True):
    kept_whole = isinstance(keepdims, (bool, types.Omitted, types.BooleanLiteral))
    if not of_array(a) or not isinstance(a.dtype, types.Float) or not kept_whole:
        return None
    axes = axes_of(axis, a.ndim) if axis is not None else tuple(range(a.ndim))
    is_all = where is True or (isinstance(where, types.Omitted) and where.value is True)
    if axes is None or not is_all:
        return None
    head = "def body(grad, a, extreme, axis=None, keepdims=False, where=True):\n"
    make = f"    out = np.zeros(a.shape, np.{narrow(a)})\n"
    entry = f"a{subscript(a.ndim)}"
    if of_number(grad) and of_real(unvalued(extreme)):
        count = loops(a.ndim, "a.shape", f"if {entry} == extreme:\n    count += 1")
        give = f"if {entry} == extreme:\n    out{subscript(a.ndim)} = share"
        return made(
            f"{head}    count = 0\n{count}\n    share = grad / max(count, 1)\n"
            f"{make}{loops(a.ndim, 'a.shape', give)}\n    return out"
        )
    keeps = of_array(extreme) and extreme.ndim == a.ndim
    left = a.ndim if keeps else a.ndim - len(axes)
    if not (of_array(grad) and of_array(extreme) and grad.ndim == extreme.ndim == left):
        return None
    place = ", ".join(
        "0" if k in axes else f"i{k}" for k in range(a.ndim) if keeps or k not in axes
    )
    count = loops(a.ndim, "a.shape", f"if {entry} == extreme[{place}]:\n    count[{place}] += 1")
    give = (
        f"if {entry} == extreme[{place}]:\n"
        f"    out{subscript(a.ndim)} = grad[{place}] / count[{place}]"
    )
    return made(
        f"{head}    count = np.zeros(extreme.shape)\n{count}\n"
        f"{make}{loops(a.ndim, 'a.shape', give)}\n    return out"
    )


@overload(runtime.exp_difference)
def _exp_difference(x, z):
    if not any(map(of_array, (x, z))) or not all(
        of_array(k) or of_real(unvalued(k)) for k in (x, z)
    ):
        return None

    number = np.dtype(narrow(x if of_array(x) else z)).type
    zero, half = number(0.0), number(0.5)

    def body(x, z):
        same = x == z
        share = np.exp(np.where(same, zero, x) - np.where(same, zero, z))
        return np.where(z == -np.inf, half, share)

    return body


@overload(runtime.add_at)
def _add_at_mask(buffer, index, grad):
    if not of_array(buffer) or not _is_mask(index, buffer):
        return None
    if of_number(grad):
        step = f"if index{subscript(index.ndim)}:\n    buffer{subscript(index.ndim)} += grad"
        nest = loops(index.ndim, "index.shape", step)
        return made(f"def body(buffer, index, grad):\n{_FITS}{nest}")
    if not of_array(grad) or grad.ndim != 1 or buffer.ndim != index.ndim:
        return None
    entry = subscript(index.ndim)
    step = f"if index{entry}:\n    buffer{entry} += grad[k]\n    k += 1"
    nest = loops(index.ndim, "index.shape", step)
    return made(f"def body(buffer, index, grad):\n{_FITS}    k = 0\n{nest}")


_FITS = "    if index.shape != buffer.shape:\n        raise IndexError('a mask of another shape')\n"


def _is_mask(index: Any, array: Any) -> bool:
    if not of_array(index) or not isinstance(index.dtype, types.Boolean):
        return False
    return bool(index.ndim == array.ndim)


@overload(runtime.last_written)
def _last_written_mask(grad, index):
    if not of_array(grad) or not _is_mask(index, grad):
        return None
    step = f"if index{subscript(grad.ndim)}:\n    out[k] = grad{subscript(grad.ndim)}\n    k += 1"
    return made(
        f"def body(grad, index):\n{_FITS.replace('buffer', 'grad')}"
        f"    out = np.empty(np.sum(index), grad.dtype)\n    k = 0\n"
        f"{loops(grad.ndim, 'grad.shape', step)}\n    return out"
    )


@overload(runtime.add_at)
def _add_at_part_of_list(buffer, index, grad):
    if not isinstance(buffer, types.List) or not isinstance(index, types.SliceType):
        return None
    if not isinstance(grad, types.List) or not of_number(buffer.dtype):
        return None

    def body(buffer, index, grad):
        start, _, step = index.indices(len(buffer))
        for k in range(len(grad)):
            buffer[start + k * step] += grad[k]

    return body


@overload(runtime.gathered)
def _gathered_numbers(parts, like):
    is_list = isinstance(like, types.List) and of_number(like.dtype)
    if not is_list or not of_array(parts) or parts.ndim != 1:
        return None
    return lambda parts, like: [parts[i] for i in range(len(parts))]


@overload(runtime.gathered)
def _gathered_rows(parts, like):
    if not isinstance(parts, types.List) or not of_array(like) or like.ndim < 2:
        return None
    if not of_array(parts.dtype) or parts.dtype.ndim != like.ndim - 1:
        return None

    def body(parts, like):
        out = np.zeros(like.shape, like.dtype)
        for i in range(len(parts)):
            out[i] = parts[i]
        return out

    return body


@overload(runtime.diag_back)
def _diag_back(grad, shape, k):
    if not of_array(grad) or not isinstance(shape, types.BaseTuple):
        return None
    if len(shape) == 1 and grad.ndim == 2:
        return lambda grad, shape, k: np.diag(grad, k)
    if len(shape) != 2 or grad.ndim != 1:
        return None

    def body(grad, shape, k):
        out = np.zeros(shape, grad.dtype)
        for i in range(len(grad)):
            out[i + max(-k, 0), i + max(k, 0)] = grad[i]
        return out

    return body


@overload(runtime.shadow_of)
def _shadow_of(x):
    if of_array(x) and x.ndim and not isinstance(x.dtype, types.Complex):
        dtype = narrow(x)
        return made(f"def body(x):\n    return np.zeros(x.shape, np.{dtype})")
    return None


@overload(names.stacked)
def _stacked(items):
    if isinstance(items, types.List) and of_array(items.dtype):
        ndim = items.dtype.ndim
        sizes = tuple_text(["len(items)", *(f"items[0].shape[{k}]" for k in range(ndim))])
        return made(
            f"def body(items):\n    out = np.empty({sizes}, items[0].dtype)\n"
            "    for i in range(len(items)):\n        if items[i].shape != items[0].shape:\n"
            "            raise ValueError('arrays of different shapes')\n"
            "        out[i] = items[i]\n    return out"
        )
    if not isinstance(items, types.BaseTuple) or not all(map(of_array, items.types)):
        return None
    if len({item.ndim for item in items.types}) != 1:
        return None
    kinds = {item.dtype for item in items.types}
    if len(kinds) != 1 or not isinstance(items.types[0].dtype, types.Float):
        return None
    count = len(items.types)
    sizes = tuple_text([str(count), *(f"items[0].shape[{k}]" for k in range(items.types[0].ndim))])
    fits = "".join(
        f"    if items[{k}].shape != items[0].shape:\n"
        "        raise ValueError('arrays of different shapes')\n"
        for k in range(1, count)
    )
    rows = "".join(f"    out[{k}] = items[{k}]\n" for k in range(count))
    return made(
        f"def body(items):\n{fits}    out = np.empty({sizes}, items[0].dtype)\n{rows}    return out"
    )


@overload(names.list_of)
def _list_of(items):
    if of_array(items):
        return lambda items: [items[k] for k in range(len(items))]
    if not isinstance(items, types.BaseTuple):
        return None
    whole = [k for k, kind in enumerate(items.types) if of_array(kind)]
    shown = "".join(f"items[{k}][i], " if k in whole else "(), " for k in range(len(items.types)))
    count = f"len(items[{whole[0]}])"
    return made(f"def body(items):\n    return [({shown}) for i in range({count})]")


@overload(names.stacked_shape)
def _stacked_shape(items):
    if isinstance(items, types.List) and of_array(items.dtype):
        count, ndim = "len(items)", items.dtype.ndim
    elif isinstance(items, types.BaseTuple) and all(map(of_array, items.types)):
        count, ndim = str(len(items.types)), items.types[0].ndim
    else:
        return None
    shown = tuple_text([count, *(f"items[0].shape[{k}]" for k in range(ndim))])
    return made(f"def body(items):\n    return {shown}")
