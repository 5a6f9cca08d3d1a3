"""Reductions along axes, which Numba mostly lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import errors
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops import names
from srcgrad.targets.loops.library.bodies import (
    loops,
    made,
    narrow,
    of_array,
    of_number,
    subscript,
    tuple_text,
)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """Return the axes that a literal type names; None if it names none."""
    if isinstance(axis, types.NoneType) or (isinstance(axis, types.Omitted) and axis.value is None):
        return tuple(range(ndim))
    items = axis.types if isinstance(axis, types.BaseTuple) else (axis,)
    if not all(isinstance(item, types.IntegerLiteral) for item in items):
        return None
    found = [item.literal_value for item in items]
    if not all(-ndim <= item < ndim for item in found):
        return None
    return tuple(sorted({item % ndim for item in found}))


_STEPS = {
    "sum": "out[{place}] += x[{source}]",
    "mean": "out[{place}] += x[{source}]",
    "prod": "out[{place}] *= x[{source}]",
    "any": "if x[{source}] != 0:\n    out[{place}] = True",
    "all": "if x[{source}] == 0:\n    out[{place}] = False",
    "max": "v = x[{source}]\nif ({first}) or v > out[{place}] or v != v:\n    out[{place}] = v",
    "min": "v = x[{source}]\nif ({first}) or v < out[{place}] or v != v:\n    out[{place}] = v",
}
_FIRST = {"sum": "zeros", "mean": "zeros", "prod": "ones", "any": "zeros", "all": "ones"}


def _reduction(name: str, x: Any, axis: Any, keepdims: Any) -> Callable[..., Any] | None:
    if not of_array(x) or not isinstance(keepdims, types.BooleanLiteral):
        return None
    axes = axes_of(axis, x.ndim)
    if axes is None:
        return None
    keeps = keepdims.literal_value
    if len(axes) == x.ndim and not keeps:
        return _of_all(name, x)
    kept = [k for k in range(x.ndim) if k not in axes]
    sizes = [f"x.shape[{k}]" if k in kept else "1" for k in range(x.ndim) if keeps or k in kept]
    place = [f"i{k}" if k in kept else "0" for k in range(x.ndim) if keeps or k in kept]
    step = _STEPS[name].format(
        place=", ".join(place),
        source=", ".join(f"i{k}" for k in range(x.ndim)),
        first=" and ".join(f"i{k} == 0" for k in axes),
    )
    dtype = _result_dtype(name, x.dtype)
    adds = "float64" if dtype == "float32" and name in ("sum", "mean", "prod") else dtype
    size = " * ".join(f"x.shape[{k}]" for k in axes)
    head = ""
    if name in ("max", "min"):
        head = f"    if {size} == 0:\n        raise ValueError('a reduction of no entries')\n"
    tail = f"    out /= {size}\n" if name == "mean" else ""
    back = f".astype(np.{dtype})" if adds != dtype else ""
    return made(
        f"def body(x, axis, keepdims):\n{head}"
        f"    out = np.{_FIRST.get(name, 'empty')}({tuple_text(sizes)}, np.{adds})\n"
        f"{loops(x.ndim, 'x.shape', step)}\n{tail}    return out{back}"
    )


def _of_all(name: str, x: Any) -> Callable[..., Any]:
    """Return a reduction to one number; those of 32 bits are added in 64."""
    if x.dtype != types.float32 or name not in ("sum", "mean", "prod"):
        return made(f"def body(x, axis, keepdims):\n    return np.{name}(x)")
    step = (
        _STEPS[name]
        .replace("out[{place}]", "total")
        .format(source=", ".join(f"i{k}" for k in range(x.ndim)))
    )
    share = " / x.size" if name == "mean" else ""
    return made(
        f"def body(x, axis, keepdims):\n    total = {1.0 if name == 'prod' else 0.0}\n"
        f"{loops(x.ndim, 'x.shape', step)}\n    return np.float32(total{share})"
    )


def _result_dtype(name: str, dtype: Any) -> str:
    if name in ("any", "all"):
        return "bool_"
    if isinstance(dtype, types.Float):
        return str(dtype)
    if isinstance(dtype, types.Complex):
        if name in ("max", "min"):
            raise errors.TypingError("the greatest of complex numbers along an axis")
        return str(dtype)
    if name == "mean":
        return "float64"
    return "bool_" if name in ("max", "min") and isinstance(dtype, types.Boolean) else "int64"


@overload(names.look_at_indices)
def _look_at_indices(least, most, length):
    def body(least, most, length):
        if least <= most and not (-length <= least and most < length):
            raise names.LengthsDifferError("an index that may be out of bounds")

    return body


@overload(names.taken_out)
def _taken_out(items, place):
    if not isinstance(items, types.List) or not isinstance(place, types.Integer):
        return None

    def body(items, place):
        first = place + len(items) if place < 0 else place
        if first < 0 or first >= len(items):
            raise IndexError("pop index out of range")
        item = items[first]
        for k in range(first, len(items) - 1):
            items[k] = items[k + 1]
        items.pop()
        return item

    return body


@overload(names.with_room)
def _with_room(kept, count):
    def body(kept, count):
        if len(kept) >= count:
            return kept
        out = np.empty(max(count, 2 * len(kept)), kept.dtype)
        for i in range(len(kept)):  # a slice would compile the text of its error, a second long
            out[i] = kept[i]
        return out

    return body


@overload(names.sum_along, prefer_literal=True)
def _sum_along(x, axis, keepdims):
    return _reduction("sum", x, axis, keepdims)


@overload(names.mean_along, prefer_literal=True)
def _mean_along(x, axis, keepdims):
    return _reduction("mean", x, axis, keepdims)


@overload(names.prod_along, prefer_literal=True)
def _prod_along(x, axis, keepdims):
    return _reduction("prod", x, axis, keepdims)


@overload(names.any_along, prefer_literal=True)
def _any_along(x, axis, keepdims):
    return _reduction("any", x, axis, keepdims)


@overload(names.all_along, prefer_literal=True)
def _all_along(x, axis, keepdims):
    return _reduction("all", x, axis, keepdims)


@overload(names.max_along, prefer_literal=True)
def _max_along(x, axis, keepdims):
    return _reduction("max", x, axis, keepdims)


@overload(names.min_along, prefer_literal=True)
def _min_along(x, axis, keepdims):
    return _reduction("min", x, axis, keepdims)


@overload(names.roll_along, prefer_literal=True)
def _roll_along(x, shift, axis):
    if not of_array(x):
        return None
    places = axis.types if isinstance(axis, types.BaseTuple) else (axis,)
    axes = axes_of(axis, x.ndim)
    is_tuple = isinstance(shift, types.BaseTuple)
    if axes is None or len(axes) != len(places) or not _are_whole(shift):
        return None
    if is_tuple and len(shift) != len(places):
        return None
    place, turns, steps = [f"i{k}" for k in range(x.ndim)], "", ""
    for n, item in enumerate(places):
        k = item.literal_value % x.ndim
        by = f"shift[{n}]" if is_tuple else "shift"
        turns += f"    turn{k} = {by} % max(x.shape[{k}], 1)\n"
        steps += f"k{k} = i{k} + turn{k}\nk{k} -= x.shape[{k}] if k{k} >= x.shape[{k}] else 0\n"
        place[k] = f"k{k}"
    steps += f"out[{', '.join(place)}] = x{subscript(x.ndim)}"
    return made(
        f"def body(x, shift, axis):\n{turns}    out = np.empty(x.shape, x.dtype)\n"
        f"{loops(x.ndim, 'x.shape', steps)}\n    return out"
    )


@overload(runtime.negated)
def _negated(shift):
    if of_number(types.unliteral(shift)):
        return lambda shift: -shift
    if isinstance(shift, types.BaseTuple) and _are_whole(shift):
        parts = tuple_text([f"-shift[{n}]" for n in range(len(shift))])
        return made(f"def body(shift):\n    return {parts}")
    return None


def _are_whole(shift: Any) -> bool:
    """Say whether a type is one of integers, or of tuples of such."""
    items = shift.types if isinstance(shift, types.BaseTuple) else (shift,)
    return all(isinstance(types.unliteral(item), types.Integer) for item in items)


def _expansion(grad: Any, shape: Any, axis: Any, keepdims: Any, *, mean: bool) -> Any:
    """Return what gives each entry of a shape the adjoint of the reduction that it went into."""
    if not isinstance(shape, types.UniTuple) or not isinstance(keepdims, types.BooleanLiteral):
        return None
    ndim = len(shape)
    axes = axes_of(axis, ndim)
    keeps = keepdims.literal_value
    if axes is None or ndim == 0:
        return None
    kept = [k for k in range(ndim) if k not in axes]
    size = " * ".join(f"shape[{k}]" for k in axes) if mean else "1"
    if of_number(grad):
        dtype = narrow(grad)
        text = f"    return np.full(shape, np.{dtype}(grad) / np.{dtype}({size}))"
    elif of_array(grad) and grad.ndim == (ndim if keeps else len(kept)):
        place = ", ".join("0" if k in axes else f"i{k}" for k in range(ndim) if keeps or k in kept)
        step = f"out{subscript(ndim)} = grad[{place}] / ({size})"
        make = f"    out = np.empty(shape, np.{narrow(grad)})\n"
        text = f"{make}{loops(ndim, 'shape', step)}\n    return out"
    else:
        return None
    return made(f"def body(grad, shape, axis, keepdims, where=True):\n{text}")


@overload(runtime.expand_sum, prefer_literal=True)
def _expand_sum(grad, shape, axis, keepdims, where=True):
    return _expansion(grad, shape, axis, keepdims, mean=False)


@overload(runtime.expand_mean, prefer_literal=True)
def _expand_mean(grad, shape, axis, keepdims, where=True):
    return _expansion(grad, shape, axis, keepdims, mean=True)
