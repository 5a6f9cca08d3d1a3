"""Are the loops over seeds of exported Jacobians: each is copied into modules that need it."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.exporting.checks import conform, fields_of, rebuilt


def by_columns(push: Any, x: Any, single: bool = True) -> Any:
    """Return a Jacobian from the tangents of a result, one for each number of an argument.

    `push` returns the result and its tangent along a tangent of `x`. Unless `single`, what belongs
    to one number or array of the result is a tuple with one entry, for the argument.
    """
    found = []
    count = sum(np.size(leaf) for leaf in floats_of(x))
    value = None if count else push(filled(x, np.zeros(count)))[0]
    for place in range(count):
        value, tangent = push(filled(x, np.arange(count) == place))
        found.append([np.asarray(leaf) for leaf in floats_of(value, conform(tangent, value))])
    columns = [np.stack(leaves, axis=-1) for leaves in zip(*found, strict=True)]

    def block(place: int, leaf: Any, start: int, item: Any) -> Any:
        shape = np.shape(leaf) + np.shape(item)
        if not count:
            return np.zeros(shape)
        return np.array(columns[place][..., start : start + np.size(item)]).reshape(shape)

    def blocks(place: int, leaf: Any) -> Any:
        part = nested(x, lambda _, item, start: block(place, leaf, start, item))
        return part if single else (part,)

    return nested(value, lambda place, leaf, _: blocks(place, leaf))


def by_rows(pull: Any, value: Any, arguments: Any, single: bool) -> Any:
    """Return a Jacobian from the adjoints of arguments, one for each number of a result.

    `pull` returns a tuple of the adjoints of the arguments for an adjoint of `value`.
    """
    found: list[list[Any]] = [[] for _ in arguments]
    count = sum(np.size(leaf) for leaf in floats_of(value))
    for place in range(count):
        adjoints = pull(filled(value, np.arange(count) == place))
        for rows, adjoint, x in zip(found, adjoints, arguments, strict=True):
            rows.append([np.asarray(leaf) for leaf in floats_of(x, conform(adjoint, x))])
    stacks = [[np.stack(leaves) for leaves in zip(*rows, strict=True)] for rows in found]

    def block(stack: Any, leaf: Any, start: int, item: Any, place: int) -> Any:
        shape = np.shape(leaf) + np.shape(item)
        if not count:
            return np.zeros(shape)
        return np.array(stack[place][start : start + np.size(leaf)]).reshape(shape)

    def blocks(leaf: Any, start: int) -> Any:
        parts = [
            nested(x, lambda place, item, _, stack=stack: block(stack, leaf, start, item, place))
            for x, stack in zip(arguments, stacks, strict=True)
        ]
        return parts[0] if single else tuple(parts)

    return nested(value, lambda _, leaf, start: blocks(leaf, start))


def floats_of(value: Any, other: Any = None) -> list[Any]:
    """Return the floats and float arrays in a value, or what `other` has in their places."""
    other = value if other is None else other
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in floats_of(item, other[key])]
    if isinstance(value, (list, tuple)):
        pairs = zip(value, other, strict=True)
        return [leaf for item, part in pairs for leaf in floats_of(item, part)]
    if fields := fields_of(value):
        return [leaf for key, v in fields.items() for leaf in floats_of(v, getattr(other, key))]
    return [other] if np.asarray(value).dtype.kind in "fc" else []


def nested(value: Any, make: Any, counts: Any = None, keep: bool = False) -> Any:
    """Return a value with `make(place, leaf, start)` for its floats, and None or itself elsewhere.

    `place` counts the leaves, and `start` the numbers before one.
    """
    counts = [0, 0] if counts is None else counts
    if isinstance(value, dict):
        return {key: nested(item, make, counts, keep) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [nested(item, make, counts, keep) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if fields := fields_of(value):
        made = {key: nested(item, make, counts, keep) for key, item in fields.items()}
        return rebuilt(value, made)
    if np.asarray(value).dtype.kind not in "fc":
        return value if keep else None
    place, start = counts
    counts[:] = place + 1, start + np.size(value)
    return make(place, value, start)


def filled(value: Any, numbers: Any, keep: bool = False) -> Any:
    """Return a value with other numbers in the places of its floats, and None or itself elsewhere.

    With None elsewhere it is a seed.
    """

    def part(_: int, leaf: Any, start: int) -> Any:
        chosen = np.asarray(numbers[start : start + np.size(leaf)], np.asarray(leaf).dtype)
        if isinstance(leaf, np.ndarray):
            return chosen.reshape(leaf.shape)
        return type(leaf)(chosen[0])

    return nested(value, part, keep=keep)
