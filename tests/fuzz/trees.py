"""Values of programs as trees: copies, moves along directions, flat lists of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is not a container, with where it is."""
    if isinstance(value, dict):
        for key, item in _in_order(value):
            yield from leaves(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from leaves(item, f"{path}[{place}]")
    elif is_object(value):
        for key, item in _in_order(vars(value)):
            yield from leaves(item, f"{path}.{key}")
    else:
        yield path, value


def _in_order(items: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return items by key: a gradient may have its keys in another order than the argument."""
    return sorted(items.items())


def is_object(value: Any) -> bool:
    """Say whether a value is an instance of a class of a program."""
    return hasattr(value, "__dict__") and not callable(value) and not isinstance(value, np.ndarray)


def mapped(value: Any, function: Callable[[Any], Any], seen: dict[int, Any] | None = None) -> Any:
    """Return a tree of the same structure; what is one container or array stays one."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return seen[id(value)]
    made: Any
    if isinstance(value, dict):
        made = seen[id(value)] = {}
        done = {key: mapped(item, function, seen) for key, item in _in_order(value)}
        made.update({key: done[key] for key in value})
    elif isinstance(value, list):
        made = seen[id(value)] = []
        made.extend(mapped(item, function, seen) for item in value)
    elif isinstance(value, tuple):
        made = tuple(mapped(item, function, seen) for item in value)
    elif is_object(value):
        made = seen[id(value)] = object.__new__(type(value))
        for key, item in _in_order(vars(value)):
            made.__dict__[key] = mapped(item, function, seen)
    else:
        made = function(value)
        if isinstance(value, np.ndarray):
            seen[id(value)] = made
    return made


def copied(value: Any) -> Any:
    """Return a deep copy."""
    return mapped(value, lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf)


def is_active(leaf: Any) -> bool:
    """Say whether a leaf is differentiated."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype.kind in "fc"
    return isinstance(leaf, (float, complex, np.floating))


def direction(value: Any, rng: np.random.Generator) -> Any:
    """Return a random direction of the structure of a value; None for what has no derivative."""

    def drawn(leaf: Any) -> Any:
        if not is_active(leaf):
            return None
        if isinstance(leaf, np.ndarray):
            made = rng.normal(size=leaf.shape)
            if leaf.dtype.kind == "c":
                made = made + 1j * rng.normal(size=leaf.shape)
            return np.asarray(made).astype(leaf.dtype)
        return float(rng.normal())

    return mapped(value, drawn)


def moved(value: Any, along: Any, step: complex) -> Any:
    """Return a value that is moved along a direction."""
    steps = iter([item for _, item in leaves(along)])

    def move(leaf: Any) -> Any:
        by = next(steps)
        if by is None:
            return leaf
        if isinstance(leaf, np.ndarray):
            wide = complex if isinstance(step, complex) else None
            wide = wide or (float if leaf.dtype == np.float32 else leaf.dtype)
            return np.asarray(leaf.astype(wide) + step * by)
        return leaf + step * by

    # arguments of programs share nothing, so leaves come in one order
    return mapped(value, move)


def flat(value: Any) -> np.ndarray:
    """Return all numbers of a tree as one vector of real numbers."""
    parts = []
    for _, leaf in leaves(value):
        if leaf is None or isinstance(leaf, (str, bool)):
            continue
        numbers = np.asarray(leaf)
        if numbers.dtype.kind not in "fc":
            continue
        numbers = numbers.ravel()
        parts += [numbers.real, numbers.imag] if numbers.dtype.kind == "c" else [numbers]
    return np.concatenate(parts).astype(float) if parts else np.zeros(0)


def inner(gradient: Any, along: Any) -> float:
    """Return the derivative along a direction that a gradient says."""
    total = 0.0
    for (_, grad), (_, by) in zip(leaves(gradient), leaves(along), strict=True):
        if by is not None:
            total += float(np.sum(np.real(np.conj(grad) * by)))
    return total


def difference(mine: Any, wanted: Any, bound: float) -> str | None:
    """Return where two trees differ by more than a bound, relative to their size, or None."""
    ours, theirs = list(leaves(mine)), list(leaves(wanted))
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return f"structures differ: {[p for p, _ in ours][:6]} and {[p for p, _ in theirs][:6]}"
    for (path, a), (_, b) in zip(ours, theirs, strict=True):
        found = _leaf_difference(a, b, bound)
        if found:
            return f"at {path or 'the value'}: {found}"
    return None


def _leaf_difference(a: Any, b: Any, bound: float) -> str | None:
    if not isinstance(b, (np.ndarray, float, int, complex, np.number)) or isinstance(b, bool):
        same = type(a) is type(b) and (
            a is b or not isinstance(b, (str, bool, type(None))) or a == b
        )
        return None if same else f"{a!r} is not {b!r}"
    if not isinstance(a, (np.ndarray, float, int, complex, np.number)):
        return f"{type(a).__name__} is no number"
    if np.shape(a) != np.shape(b):
        return f"shape {np.shape(a)} is not {np.shape(b)}"
    if isinstance(a, np.ndarray) is not isinstance(b, np.ndarray) and bound == 0:
        return f"type {type(a).__name__} is not {type(b).__name__}"
    first, second = np.asarray(a), np.asarray(b)
    if bound == 0 and first.dtype != second.dtype:
        return f"dtype {first.dtype} is not {second.dtype}"
    if bound == 0:
        same = np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
        return None if same else f"{first} is not {second}"
    scale = 1.0 + np.max(np.abs(second), initial=0.0)
    if not np.all(np.abs(first - second) <= bound * scale):
        return f"{first} is not {second}"
    return None


def shared(first: Any, second: Any) -> str | None:
    """Return where two trees share memory, or None."""
    for path, a in leaves(first):
        for other, b in leaves(second):
            both = isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.size and b.size
            if both and (a is b or np.shares_memory(a, b)):
                return f"{path or 'one'} and {other or 'another'}"
    return None
