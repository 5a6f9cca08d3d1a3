"""Writes out the methods of ufuncs: reduce, accumulate, reduceat and outer of any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.rules.equivalents.registry import Equivalent, Primal, written_out

Pair = Callable[[Any, Any], Any]
Literal = Callable[[Any], Any]


@written_out
def reduce(function: Pair, array: Any, axis: int = 0) -> Any:
    """Put the elements along an axis together, one after the other."""
    lines = np.moveaxis(array, axis, 0)
    total = lines[0]
    for line in lines[1:]:
        total = function(total, line)
    return total


@written_out
def reduce_keeping(function: Pair, array: Any, axis: int = 0) -> Any:
    """Put the elements along an axis together, and keep that axis."""
    return np.expand_dims(reduce(function, array, axis), axis)


@written_out
def accumulate(function: Pair, array: Any, axis: int = 0) -> Any:
    """Put the elements along an axis together and keep each step."""
    lines = np.moveaxis(array, axis, 0)
    total = lines[0]
    totals = [total]
    for line in lines[1:]:
        total = function(total, line)
        totals.append(total)
    return np.moveaxis(np.stack(totals), 0, axis)


@written_out
def reduceat(function: Callable[..., Any], array: Any, indices: Any, axis: int = 0) -> Any:
    """Put the elements of pieces together, each of which begins at an index."""
    lines = np.moveaxis(array, axis, 0)
    stops = [*indices[1:], len(lines)]
    parts = [
        function(lines[start : max(stop, start + 1)], axis=0)
        for start, stop in zip(indices, stops, strict=False)
    ]
    return np.moveaxis(np.stack(parts), 0, axis)


@written_out
def outer(function: Pair, A: Any, B: Any) -> Any:
    """Put each element of A together with each of B."""
    return function(np.reshape(A, np.shape(A) + (1,) * np.ndim(B)), B)


_METHODS: Mapping[str, Callable[..., Any]] = {
    "reduce": reduce,
    "accumulate": accumulate,
    "outer": outer,
}
_REDUCTIONS: Mapping[Any, Any] = {
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
}

EQUIVALENTS: Mapping[Primal, tuple[Equivalent, ...]] = {
    ufunc.reduceat: (Equivalent(reduceat, (whole,)),) for ufunc, whole in _REDUCTIONS.items()
}


_USUAL: Mapping[str, tuple[Any, ...]] = {
    "dtype": (None,),
    "out": (None,),
    "keepdims": (False,),
    "initial": (None,),
    "where": (True, None),
}


def of_method(
    function: Any, args: Sequence[Any], keywords: Mapping[str, Any], literal: Literal
) -> tuple[Equivalent, dict[str, Any]] | None:
    """Return what a method of a ufunc of two operands means, and with which options, or None."""
    ufunc, method = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if not isinstance(ufunc, np.ufunc) or method not in _METHODS:
        return None
    if method != "outer" and not keeps_floats(ufunc):
        return None
    written = _METHODS[method]
    given = {name: literal(value) for name, value in keywords.items()}
    rest = {
        name: value
        for name, value in keywords.items()
        if not any(given[name] is usual for usual in _USUAL.get(name, ()))
    }
    if rest and method == "reduce" and given.get("keepdims") is True:
        written = reduce_keeping
        del rest["keepdims"]
    axis = given.get("axis", literal(args[1]) if len(args) > 1 and method != "outer" else 0)
    several = axis is None or isinstance(axis, (tuple, list)) or hasattr(axis, "elts")
    if (ufunc.nin, ufunc.nout) != (2, 1) or set(rest) - {"axis"} or several:
        return None
    return Equivalent(written, (ufunc,)), rest


def keeps_floats(ufunc: np.ufunc) -> bool:
    """Say whether two floats give one: else not even the first of a row stays what it is.

    >>> keeps_floats(np.hypot), keeps_floats(np.logical_or)
    (True, False)
    """
    return "dd->d" in ufunc.types
