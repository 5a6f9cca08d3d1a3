"""Takes containers of numbers and arrays apart, and puts them together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.api.values import is_float


def float_leaves(value: Any) -> list[Any]:
    """Return the floats and float arrays of nested dicts, lists and tuples, in order."""
    found: list[Any] = []
    mapped(found.append, value)
    return found


def _nothing(leaf: Any) -> None:
    del leaf


def mapped(
    function: Callable[[Any], Any], value: Any, other: Callable[[Any], Any] = _nothing
) -> Any:
    """Return a container like `value` with `function` of each float leaf, and `other` of the rest.

    The rest becomes None unless told otherwise.
    """
    if isinstance(value, dict):
        return {key: mapped(function, item, other) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [mapped(function, item, other) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return function(value) if is_float(value) else other(value)


def leaves_as_in(like: Any, value: Any) -> list[Any]:
    """Return the entries of `value` where `like`, of the same structure, has floats."""
    if isinstance(like, dict):
        return [leaf for key, item in like.items() for leaf in leaves_as_in(item, value[key])]
    if isinstance(like, (list, tuple)):
        pairs = zip(like, value, strict=True)
        return [leaf for item, part in pairs for leaf in leaves_as_in(item, part)]
    return [value] if is_float(like) else []


def copied(value: Any) -> Any:
    """Return nested containers with copies of all arrays in them."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [copied(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value.copy() if isinstance(value, np.ndarray) else value


def units(value: Any) -> Iterator[Any]:
    """Yield, for each number in `value`, a container like it that is 1 there and 0 elsewhere."""
    for place, leaf in enumerate(float_leaves(value)):
        for index in np.ndindex(np.shape(leaf)):
            yield _unit(value, place, index)


def _unit(value: Any, place: int, index: tuple[int, ...]) -> Any:
    count = iter(range(10**9))

    def fill(leaf: Any) -> Any:
        here = next(count) == place
        if not np.ndim(leaf):
            made = type(leaf)(1.0 if here else 0.0) if not isinstance(leaf, np.ndarray) else None
            return np.array(1.0 if here else 0.0, leaf.dtype) if made is None else made
        zeros = np.zeros_like(leaf)
        if here:
            zeros[index] = 1.0
        return zeros

    return mapped(fill, value)


def stacked(parts: list[Any], like: Any) -> Any:
    """Return derivatives by each number of `like`, in order, as a container like it.

    Each part is an array (or number) of one shape; a leaf of shape s gets an array of that shape
    followed by s.
    """
    rest = iter(parts)

    def fill(leaf: Any) -> Any:
        shape = np.shape(leaf)
        columns = [np.asarray(next(rest)) for _ in range(int(np.prod(shape, dtype=int)))]
        if not columns:
            return np.zeros(shape)
        joined = np.stack(columns, axis=-1)
        return joined.reshape(joined.shape[:-1] + shape)

    return mapped(fill, like)
