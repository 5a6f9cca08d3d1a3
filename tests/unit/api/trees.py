"""Takes the containers of tests apart and puts them together, without a line of the library's."""

from __future__ import annotations

import dataclasses
from collections import deque, namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Pair = namedtuple("Pair", ["left", "right"])


@dataclasses.dataclass
class Layer:
    """An object of fields."""

    w: Any
    b: Any = 0.5
    name: str = "layer"


@dataclasses.dataclass(frozen=True)
class Frozen:
    """The same, not to be written."""

    w: Any
    b: Any = 0.5


class Labelled:
    """A container of a class of the user's, with a label that is none of its parts."""

    def __init__(self, first: Any, second: Any, label: str) -> None:
        self.first, self.second, self.label = first, second, label


def children(value: Any) -> list[tuple[Any, Any]] | None:
    """Return the entries of a container by key, or None for a leaf."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, Labelled):
        return [("first", value.first), ("second", value.second)]
    if isinstance(value, (Layer, Frozen)):
        return list(vars(value).items())
    return list(enumerate(value)) if isinstance(value, (list, tuple, deque)) else None


def is_float(leaf: Any) -> bool:
    """Say whether a leaf is a floating-point number or array."""
    kind = getattr(getattr(leaf, "dtype", None), "kind", "")
    return isinstance(leaf, float) or kind == "f"


def floats(value: Any) -> list[Any]:
    """Return the floating-point leaves in order."""
    inside = children(value)
    if inside is None:
        return [value] if is_float(value) else []
    return [leaf for _, item in inside for leaf in floats(item)]


def flat(value: Any) -> Any:
    """Return all floating-point numbers as one vector."""
    return np.concatenate([np.zeros(0), *[np.ravel(leaf).astype(float) for leaf in floats(value)]])


def like(value: Any, numbers: Any, *, typed: bool = False, rest: bool = True) -> Any:
    """Return a container like `value` with other numbers, of its types if it is to be `typed`.

    Without `rest`, what is no float becomes None.
    """
    end = 0

    def fill(leaf: Any) -> Any:
        nonlocal end
        if not is_float(leaf):
            return leaf if rest else None
        start, end = end, end + int(np.size(leaf))
        part = np.asarray(numbers[start:end], float)
        if isinstance(leaf, np.ndarray):
            return part.reshape(leaf.shape).astype(leaf.dtype if typed else float)
        return type(leaf)(part[0]) if typed else float(part[0])

    return mapped(fill, value)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return a container like `value` with `function` of each leaf."""
    inside = children(value)
    if inside is None:
        return function(value)
    items = [mapped(function, item) for _, item in inside]
    if isinstance(value, dict):
        return type(value)(zip(value, items, strict=True))
    if isinstance(value, Labelled):
        return Labelled(*items, value.label)
    if isinstance(value, deque):
        return deque(items, value.maxlen)
    is_plain = isinstance(value, (list, tuple)) and not isinstance(value, Pair)
    return type(value)(items) if is_plain else type(value)(*items)


def assert_typed(found: Any, value: Any, where: str = "") -> None:
    """Assert that a derivative has the structure, types and shapes of what it is taken by.

    In the place of what is no float it has None or zero, or a number for a whole number.
    """
    inside = children(value)
    if inside is not None:
        assert type(found) is type(value), where
        mine = children(found) or []
        assert [key for key, _ in mine] == [key for key, _ in inside], where
        for (key, one), (_, other) in zip(mine, inside, strict=True):
            assert_typed(one, other, f"{where}/{key}")
    elif isinstance(value, np.ndarray) and is_float(value):
        assert isinstance(found, np.ndarray), where
        assert (found.dtype, found.shape) == (value.dtype, value.shape), where
    elif is_float(value):
        assert type(found) is type(value), where
    else:
        assert found is None or type(value) is int or not np.any(found), where


def assert_jacobian(found: Any, result: Any, by: Any, matrix: Any, tolerance: float) -> None:
    """Assert that a Jacobian has the result's structure outside, the argument's inside.

    `matrix` has a row for each number of the result and a column for each of the argument.
    """
    rows = np.arange(len(matrix))
    for leaf, part, (numbers) in _walk(found, result, rows):
        columns = np.arange(matrix.shape[1])
        for inner, item, places in _walk(part, by, columns):
            block = matrix[np.ix_(numbers, places)]
            np.testing.assert_allclose(
                item,
                block.reshape(np.shape(leaf) + np.shape(inner)),
                rtol=tolerance,
                atol=tolerance,
            )


def _walk(found: Any, like_it: Any, numbers: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each float leaf, what there is in its place, and the numbers it takes."""
    taken = 0

    def walk(value: Any, item: Any) -> Iterator[tuple[Any, Any, Any]]:
        nonlocal taken
        inside = children(value)
        if inside is not None:
            assert type(item) is type(value)
            mine = children(item) or []
            assert [key for key, _ in mine] == [key for key, _ in inside]
            for (_, one), (_, other) in zip(mine, inside, strict=True):
                yield from walk(other, one)
        elif is_float(value):
            size = int(np.size(value))
            yield value, item, numbers[taken : taken + size]
            taken += size
        else:
            assert item is None or type(value) is int

    yield from walk(like_it, found)
    assert taken == len(numbers)
