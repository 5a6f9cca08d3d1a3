"""Adjoints: zeros, copies, sums over what was broadcast, and what is added at places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.core import errors
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from srcgrad import runtime
from srcgrad.targets.loops import names
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


@overload(runtime.zeros_like)
def _zeros_like(x):
    kind = unvalued(x)
    if of_real(kind) or isinstance(kind, (types.Boolean, types.NoneType)):
        return lambda x: 0.0
    if isinstance(kind, types.Complex):
        return lambda x: 0j
    if of_array(kind) and isinstance(kind.dtype, (types.Float, types.Complex)):
        return lambda x: np.zeros_like(x)
    if of_array(kind):
        return lambda x: np.zeros(x.shape, np.float64)
    if isinstance(kind, (types.List, types.UniTuple)):
        return lambda x: [runtime.zeros_like(item) for item in x]
    if isinstance(kind, types.BaseTuple):
        return _of_parts(runtime.zeros_like, kind)
    return None


def _of_parts(each: Any, kind: Any) -> Callable[..., Any]:
    """Return a function that makes a tuple, entry by entry."""
    shown = "".join(f"each(x[{k}]), " for k in range(len(kind.types)))
    if isinstance(kind, types.BaseNamedTuple):
        kept = kind.instance_class
        return made(f"def body(x):\n    return kept({shown})", each=each, kept=kept)
    return made(f"def body(x):\n    return ({shown})", each=each)


@overload(runtime.copied)
def _copied(x):
    kind = unvalued(x)
    if of_number(kind) or isinstance(kind, types.NoneType):
        return lambda x: x
    if of_array(kind):
        return lambda x: x.copy()
    if isinstance(kind, types.List):
        return lambda x: [runtime.copied(item) for item in x]
    if isinstance(kind, types.BaseTuple):
        return _of_parts(runtime.copied, kind)
    return None


@overload(runtime.scalar_seed)
def _scalar_seed(value):
    if of_real(unvalued(value)):
        return lambda value: 1.0
    if of_array(value):
        raise errors.TypingError("the result is an array, not one number")
    return None


@overload(runtime.unbroadcast)
def _unbroadcast(grad, like):
    if of_number(grad):
        return lambda grad, like: grad
    if not of_array(grad):
        return None
    if of_number(like) or (isinstance(like, types.BaseTuple) and len(like) == 0):
        return lambda grad, like: np.sum(grad)
    if of_array(like) and like.ndim == 0:
        return lambda grad, like: np.array(np.sum(grad))
    if of_array(like):
        shape, ndim = "like.shape", like.ndim
    elif isinstance(like, types.UniTuple):
        shape, ndim = "like", len(like)
    else:
        return None
    lead = grad.ndim - ndim
    if lead < 0:
        return None
    place = tuple_text([f"0 if shape[{k}] == 1 else i{lead + k}" for k in range(ndim)])
    early = "    if grad.shape == shape:\n        return grad\n" if lead == 0 else ""
    nest = loops(grad.ndim, "grad.shape", f"out[{place}] += grad{subscript(grad.ndim)}")
    return made(
        f"def body(grad, like):\n    shape = {shape}\n{early}"
        f"    out = np.zeros(shape, grad.dtype)\n{nest}\n    return out"
    )


@overload(runtime.accumulate)
def _accumulate(total, grad):
    if isinstance(grad, types.NoneType):
        return lambda total, grad: total
    if (of_number(total) or of_array(total)) and (of_number(grad) or of_array(grad)):
        return lambda total, grad: total + grad
    if isinstance(total, types.List) and isinstance(grad, types.List):
        return lambda total, grad: names.entries_added(total, grad)
    return None


@overload(names.entries_added)
def _entries_added(total, grad):
    if not isinstance(total, types.List):
        return lambda total, grad: total + grad

    def body(total, grad):
        if len(total) != len(grad):
            raise ValueError("lists of adjoints of different lengths")
        return [names.entries_added(total[k], grad[k]) for k in range(len(total))]

    return body


@overload(runtime.gathered)
def _gathered(parts, like):
    if of_array(parts) and not isinstance(like, (types.List, types.BaseTuple)):
        return lambda parts, like: parts
    if isinstance(parts, types.List) and isinstance(like, types.List):
        if of_array(parts.dtype) or of_number(parts.dtype):
            return lambda parts, like: parts
    if isinstance(parts, types.List) and of_array(like) and like.ndim == 1 and of_real(parts.dtype):
        if narrow(like) != narrow(parts.dtype):
            return lambda parts, like: np.array(parts).astype(like.dtype)
        return lambda parts, like: np.array(parts)
    return None


@overload(runtime.add_at)
def _add_at(buffer, index, grad):
    one = unvalued(index)
    parts = one.types if isinstance(one, types.BaseTuple) else (one,)
    if isinstance(buffer, types.List) and isinstance(one, types.Integer):

        def in_list(buffer, index, grad):
            buffer[index] = names.entries_added(buffer[index], grad)

        return in_list
    if not of_array(buffer):
        return None
    if all(isinstance(part, (types.Integer, types.SliceType)) for part in parts):
        checks = "".join(
            f"    if not -buffer.shape[{k}] <= {'index' if part is one else f'index[{k}]'} "
            f"< buffer.shape[{k}]:\n        raise IndexError('index is out of bounds')\n"
            for k, part in enumerate(parts)
            if isinstance(part, types.Integer)
        )
        return made(f"def body(buffer, index, grad):\n{checks}    buffer[index] += grad")
    if not all(isinstance(part, types.Integer) or _has_places(part) for part in parts):
        return None
    if of_array(grad) and grad.ndim != 1 + buffer.ndim - len(parts):
        return None
    return _add_by_places(parts, is_tuple=one is not parts[0], rows=of_array(grad))


def _has_places(part: Any) -> bool:
    return bool(of_array(part) and part.ndim == 1 and isinstance(part.dtype, types.Integer))


def _add_by_places(parts: Sequence[Any], *, is_tuple: bool, rows: bool) -> Callable[..., Any]:
    """Return what adds at places that arrays of integers name, one after the other.

    An integer is the same place of its axis each time.
    """
    named = [f"index[{k}]" if is_tuple else "index" for k in range(len(parts))]
    given = [name for name, part in zip(named, parts, strict=True) if _has_places(part)]
    places = [f"{name}[i]" if name in given else name for name in named]
    lengths = "".join(
        f"    if len({item}) != count:\n        raise IndexError('shape mismatch')\n"
        for item in given[1:]
    )
    checks = "".join(
        f"        if not -buffer.shape[{k}] <= {item} < buffer.shape[{k}]:\n"
        "            raise IndexError('index is out of bounds')\n"
        for k, item in enumerate(places)
    )
    place = ", ".join(places)
    fits = (
        "    if len(grad) != count:\n        raise ValueError('shape mismatch')\n" if rows else ""
    )
    value = "grad[i]" if rows else "grad"
    return made(
        f"def body(buffer, index, grad):\n    count = len({given[0]})\n{lengths}{fits}"
        f"    for i in range(count):\n{checks}        buffer[{place}] += {value}"
    )


@overload(runtime.last_written)
def _last_written(grad, index):
    one = unvalued(index)
    parts = one.types if isinstance(one, types.BaseTuple) else (one,)
    if not of_array(grad) or not all(
        isinstance(part, (types.Integer, types.SliceType)) for part in parts
    ):
        return None
    if all(isinstance(part, types.Integer) for part in parts) and len(parts) == grad.ndim:
        return lambda grad, index: grad[index]
    return lambda grad, index: grad[index].copy()


@overload(runtime.written_over)
def _written_over(old, new):
    if of_number(unvalued(old)):
        return lambda old, new: new
    if of_array(old) and of_array(new) and old.dtype == new.dtype and old.ndim == new.ndim:

        def body(old, new):
            if old.shape == new.shape:
                return new
            held = np.empty_like(old)
            held[...] = new
            return held

        return body
    return None


@overload(runtime.refuse_integers)
def _refuse_integers(array):
    kind = unvalued(array)
    dtype = kind.dtype if of_array(kind) else kind
    if isinstance(dtype, (types.Float, types.Complex)):
        return lambda array: None
    raise errors.TypingError("a value with a derivative is stored into an array of integers")


@overload(runtime.same_kind)
def _same_kind(value, array):
    held = unvalued(value)
    given = as_dtype(held.dtype if of_array(held) else held)
    if np.can_cast(given, as_dtype(array.dtype), "same_kind"):
        return lambda value, array: value
    raise errors.TypingError("values are written to an array that does not keep them")


@overload(runtime.add_entries)
def _add_entries(total, part):
    if not (isinstance(total, types.List) and isinstance(part, types.List)):
        return None
    if not (of_number(total.dtype) or of_array(total.dtype)):
        return None

    def body(total, part):
        for i in range(len(part)):
            total[i] = total[i] + part[i]

    return body


@overload(runtime.item_shapes)
def _item_shapes(items):
    if isinstance(items, types.List):
        return lambda items: [np.shape(item) for item in items]
    if isinstance(items, types.BaseTuple):
        shown = "".join(f"np.shape(items[{k}]), " for k in range(len(items.types)))
        return made(f"def body(items):\n    return ({shown})")
    return None


@overload(runtime.cast_back)
def _cast_back(grad, shape, dtype):
    is_float = isinstance(dtype, types.Function) and dtype.typing_key is float
    if not isinstance(dtype, types.NoneType) and not is_float:
        return None
    if of_number(grad) and isinstance(shape, types.BaseTuple) and len(shape) == 0:
        return lambda grad, shape, dtype: grad
    if not (of_array(grad) and isinstance(shape, types.BaseTuple) and len(shape) == grad.ndim):
        return None

    def body(grad, shape, dtype):
        if grad.shape != shape:
            raise ValueError("an adjoint of another shape")
        return grad

    return body


@overload(runtime.unstack_like, prefer_literal=True)
def _unstack_like(grad, axis):
    if not of_array(grad) or not isinstance(axis, types.IntegerLiteral):
        return None
    place = axis.literal_value % grad.ndim
    if place == 0:
        return lambda grad, axis: [grad[i] for i in range(grad.shape[0])]
    if place == 1:
        return lambda grad, axis: [grad[:, i] for i in range(grad.shape[1])]
    return None


@overload(runtime.split_like, prefer_literal=True)
def _split_like(grad, shapes, axis):
    if not isinstance(shapes, types.BaseTuple) or not isinstance(axis, types.IntegerLiteral):
        return None
    if not of_array(grad) or axis.literal_value not in (0, 1) or grad.ndim <= axis.literal_value:
        return None
    place = axis.literal_value
    lines = ["def body(grad, shapes, axis):", "    start = 0"]
    for k in range(len(shapes.types)):
        lines.append(f"    stop = start + shapes[{k}][{place}]")
        lines.append(f"    part_{k} = grad[{':, ' * place}start:stop]")
        lines.append("    start = stop")
    shown = "".join(f"part_{k}, " for k in range(len(shapes.types)))
    return made("\n".join([*lines, f"    return ({shown})"]))


@overload(runtime.shared_each)
def _shared_each(grad, args, extreme):
    if not isinstance(args, types.BaseTuple) or len(args) < 2:
        return None
    if not all(of_real(unvalued(item)) for item in args.types):
        return None
    count = " + ".join(f"(args[{k}] == extreme)" for k in range(len(args)))
    kind = f"np.{narrow(grad)}"
    shown = "".join(f"share if args[{k}] == extreme else none, " for k in range(len(args)))
    return made(
        f"def body(grad, args, extreme):\n    none = {kind}(0.0) * grad\n"
        f"    share = {kind}(grad) / {kind}(max({count}, 1))\n    return ({shown})"
    )
