"""Makes and compares values that hold elements, entry by entry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.checker import arrays
from srcgrad.checker.elements import Element, element_of
from srcgrad.checker.field import hashed
from srcgrad.checker.runs import Disagreement, NotCovered

Leaf = Callable[[Any, int, bool], Any]


def filled(like: Any, code: int, *, moving: bool, leaf: Leaf | None = None) -> Any:
    """Return unknown numbers in the structure of a value, with a direction if they are moving.

    `leaf` says what stands for what is no dict, list or tuple.
    """
    if isinstance(like, dict):
        return {
            key: filled(item, hashed(code, place), moving=moving, leaf=leaf)
            for place, (key, item) in enumerate(like.items())
        }
    if isinstance(like, (list, tuple)):
        each = enumerate(like)
        made = [filled(item, hashed(code, i), moving=moving, leaf=leaf) for i, item in each]
        return made if isinstance(like, list) else tuple(made)
    return (leaf or unknown)(like, code, moving)


def unknown(like: Any, code: int, moving: bool) -> Any:
    """Return an unknown number, or an array of such."""
    if not isinstance(like, np.ndarray):
        return Element(hashed(code, 0), hashed(code, 0, 1) if moving else 0)
    found = np.empty(like.size, object)
    for place in range(like.size):
        found[place] = Element(hashed(code, place), hashed(code, place, 1) if moving else 0)
    return found.reshape(like.shape)


def product(grad: Any, way: Any, what: str) -> int:
    """Return the product of adjoints and a direction of the same structure."""
    if grad is None:
        return 0
    if isinstance(way, dict):
        return sum(product(grad[key], item, what) for key, item in way.items())
    if isinstance(way, (list, tuple)):
        return sum(product(grad[place], item, what) for place, item in enumerate(way))
    if not isinstance(way, np.ndarray):
        if np.ndim(grad):  # of a number that no user need have in mind
            raise NotCovered(f"{what} has axes, where that is a number")
        return element_of(grad).value * _dot_of(way)
    if np.shape(grad) != way.shape:
        raise Disagreement(f"{what} has another shape")
    pairs = zip(np.asarray(grad).ravel().tolist(), way.ravel().tolist(), strict=True)
    return sum(element_of(one).value * _dot_of(other) for one, other in pairs)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _dot_of(item: Any) -> int:
    return item.dot if isinstance(item, Element) else 0


def leaves_of(value: Any) -> Iterator[Any]:
    """Yield the arrays in a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves_of(item)


def entries_of(value: Any) -> Iterator[Any]:
    """Yield the numbers in a value."""
    if isinstance(value, np.ndarray):
        yield from value.flat
    elif isinstance(value, dict):
        for item in value.values():
            yield from entries_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from entries_of(item)
    else:
        yield value


def is_known(item: Any) -> bool:
    """Say whether an entry is a number of which a slope is known: no array, NaN or infinity."""
    if isinstance(item, float):
        return math.isfinite(item)
    return not isinstance(item, np.ndarray)


def same(one: Any, other: Any) -> bool:
    """Say whether two values hold the same."""
    if one.__class__ is Element and other.__class__ is Element:  # as most are
        return bool(one.value == other.value)
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(same(item, other[key]) for key, item in one.items())
        )
    if isinstance(one, (list, tuple)):
        return (
            isinstance(other, (list, tuple))
            and len(one) == len(other)
            and all(map(same, one, other))
        )
    if isinstance(one, arrays.Holder):
        return isinstance(other, arrays.Holder) and same(vars(one), vars(other))
    if np.shape(one) != np.shape(other):
        return False
    if isinstance(one, np.ndarray) and one.ndim:
        return all(map(same, one.ravel().tolist(), other.ravel().tolist()))
    if isinstance(one, (Element, float, np.ndarray)) or isinstance(other, (Element, float)):
        return bool(element_of(one) == element_of(other))
    return one is other or bool(one == other)


def same_outside(ours: dict[int, Any], theirs: dict[int, Any]) -> bool:
    """Say whether two runs leave the same in what lies outside."""
    shared = [key for key in ours if key in theirs]
    return all(same(ours[key][1], theirs[key][1]) for key in shared)
