"""Remembers what values were found to be equal to, or so near that it comes to the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from srcgrad.rules.records import primitive_of
from srcgrad.tape.core import Core, edge_of, raw_of, requires_grad
from srcgrad.tape.modes import STATE

_NEAR: Final = 1e-6
_STEPS: Final = 16  # from the difference to its length: absolute values, squares, a sum, a root


def note_comparison(function: Any, args: tuple[Any, ...], found: Any) -> None:
    """Remember what a call without a derivative has found to be equal to a value that varies."""
    if STATE.spoken is None or not args:
        return
    how = primitive_of(function).compares
    if how == "count":
        note_distance(args[0], 0.0)
    elif how == "order":
        note_distance(args[0], args[1])
    elif how:
        compared(args[0], args[1], found, equal=how == "equal")


def compared(one: Any, other: Any, found: Any, *, equal: bool = True) -> Any:
    """Return what a comparison found; strict mode remembers what is equal to a value as a whole.

    `equal` is the answer that says so.
    """
    if STATE.spoken is not None and np.size(found) and np.all(np.equal(found, equal)):
        for value, side in ((one, other), (other, one)):
            if _varies(value) and not _varies(side):
                STATE.spoken.equals.append(_plain(side))
    if STATE.spoken is not None:
        note_distance(one, other)
    return found


def note_difference(args: tuple[Any, ...], result: Any) -> None:
    """Remember which constant a value was taken from, or which was taken from it.

    It is known by its identity, which means nothing for what is gone when the call ends.
    """
    edge = edge_of(result) if isinstance(result, Core) else None
    constants = [] if edge is None else [arg for arg in args[:2] if not _varies(arg)]
    if edge is not None and constants:
        STATE.spoken.differences[edge[0]._key] = id(constants[0])


def note_distance(one: Any, other: Any) -> None:
    """Remember what was taken from a value, if the difference is nothing and is asked to be.

    So ``np.max(np.abs(x - last)) > 1e-12``: what was kept beside `last` may be the answer. To ask
    whether it is large, as what limits a rate does, is another thing.
    """
    for value, bound in ((one, other), (other, one)):
        if _varies(value) and _is_tiny(bound) and _is_tiny(value):
            STATE.spoken.near.update(_taken_in(value))


def _varies(value: Any) -> bool:
    return isinstance(value, Core) and requires_grad(value)


def _is_tiny(value: Any) -> bool:
    value = _plain(value)
    if not isinstance(value, (bool, int, float, complex, np.number, np.ndarray)):
        return False
    return np.asarray(value).dtype.kind in "biufc" and bool(np.all(np.abs(value) <= _NEAR))


def _plain(value: Any) -> Any:
    return raw_of(value) if isinstance(value, Core) else value


def _taken_in(value: Core) -> Iterator[int]:
    """Yield the identities of the constants of the differences that a value is calculated of."""
    edge = edge_of(value)
    pending = [] if edge is None else [edge[0]]
    for _ in range(_STEPS):
        if not pending:
            return
        node = pending.pop(0)
        if node._key in STATE.spoken.differences:
            yield STATE.spoken.differences[node._key]
        pending += [before[0] for before in node._edges if before is not None]
