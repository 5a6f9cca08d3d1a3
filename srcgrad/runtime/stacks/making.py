"""Makes stacks, and calls row by row what knows none: what the text of a derivative says itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.runtime.copies import copied, copied_like
from srcgrad.runtime.stacks.core import HANDLERS, Stack, holds_stack, refuse

TAKES_STACKS: Final = frozenset(
    "zeros_like unbroadcast expand_reduced expand_sum expand_mean copied gathered several "
    "getitem add_at accumulate add_entries last_written scatter matmul_left matmul_right dot_left "
    "dot_right adjoint conj real_part kept cast_like sum_trailing across share_among_ties given "
    "reshape_back reshape_each split_like unstack_like undo_diff diff_back flatten shape_of "
    "stop_gradient split_hstack split_vstack unbroadcast_each coefficients".split()
)
"""The helpers of the runtime that act on stacks as on the arrays in their place."""


def stacked(value: Any, *seeds: Any) -> Any:
    """Return arrays, alone or in containers, with a row of their own for each row of the seeds.

    Numbers need none: they are not written into.
    """
    count = _count(seeds)
    return value if count is None else _spread(value, count)


def _spread(value: Any, count: int) -> Any:
    if isinstance(value, dict):
        return {key: _spread(item, count) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_spread(item, count) for item in value])
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind not in "fc":
        refuse("an array of no floats")
    return Stack(np.array(np.broadcast_to(value, (count, *value.shape))), is_array=True)


def _count(values: Any) -> int | None:
    """Return how many rows the stacks in some values have; None if there is no stack."""
    for value in values:
        if isinstance(value, Stack):
            return len(value.rows)
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, (dict, list, tuple)):
            count = _count(inner)
            if count is not None:
                return count
    return None


def copied_rows(tangent: Any, x: Any) -> Any:
    """Return a copy of a stack in which each row has the memory layout of the value `x`."""
    if not holds_stack(tangent):
        return copied_like(tangent, x)
    if isinstance(x, dict):
        return {key: copied_rows(tangent[key], item) for key, item in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [copied_rows(part, item) for part, item in zip(tangent, x, strict=True)]
        return parts if isinstance(x, list) else tuple(parts)
    if not isinstance(x, np.ndarray):
        return copied(tangent)
    if x.flags.c_contiguous:
        return Stack(np.array(tangent.rows, order="C"), is_array=True)
    like = np.broadcast_to(x[..., None], (*x.shape, len(tangent.rows)))
    rows = np.empty_like(like, tangent.dtype)
    done = Stack(rows.transpose((x.ndim, *range(x.ndim))), is_array=True)
    done.rows[...] = tangent.rows
    return done


def array_of(entries: Any, *args: Any, **options: Any) -> Any:
    """Return ``np.array(entries)``, where the entries may be stacks."""
    if not holds_stack(entries):
        return np.array(entries, *args, **options)
    if args or options:
        refuse("an array of a given type")
    return _joined(entries)


def _joined(entries: Any) -> Any:
    if isinstance(entries, Stack):
        return Stack(entries.rows.copy(), is_array=True)
    return HANDLERS[np.stack]([_joined(item) if _nests(item) else item for item in entries])


def _nests(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and holds_stack(item)


def by_rows(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function that knows no stacks once for each row of its arguments."""
    count = _count([*args, *options.values()])
    if count is None:
        return function(*args, **options)
    results = [function(*_row(list(args), i), **_row(options, i)) for i in range(count)]
    return rejoined(results)


def _row(value: Any, place: int) -> Any:
    """Return one row of the stacks in a value."""
    if isinstance(value, Stack):
        return value.rows[(place, ...)] if value.is_array else value.rows[place]
    if isinstance(value, dict):
        return {key: _row(item, place) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and holds_stack(value):
        parts = [_row(item, place) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def rejoined(results: list[Any]) -> Any:
    """Return what a function gave for each row as one result."""
    first = results[0]
    if isinstance(first, dict):
        return {key: rejoined([item[key] for item in results]) for key in first}
    if isinstance(first, (list, tuple)):
        parts = [rejoined(list(items)) for items in zip(*results, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if first is None:
        return None if all(item is None for item in results) else refuse("None in some rows")
    if isinstance(first, (float, complex, np.generic)) or _is_array(first):
        parts = [np.asarray(item) for item in results]
        return Stack(np.stack(parts), is_array=isinstance(first, np.ndarray))
    return refuse(f"a result of type {type(first).__name__}")


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def each_row(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler of stacks that calls a function of NumPy's row by row."""

    def handler(*args: Any, **options: Any) -> Any:
        if "out" in options:
            refuse("a result in an array that is given")
        return by_rows(function, *args, **options)

    return handler
