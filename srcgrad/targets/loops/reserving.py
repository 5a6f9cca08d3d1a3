"""Says how often a loop runs, before it does, so that what it records has room from the beginning.

A look at the room that is left, at each trip, keeps LLVM from computing several trips at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import gast

from srcgrad.analyses.affine import Affine, affine_of, number, variable
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.shapes import with_named_lengths

_LEAVING: Final = (gast.Break, gast.Return, gast.While)


def trips_of(loop: Any) -> Affine | None:
    """Return how often a loop over a range runs, less than 0 for never; None if that is not known.

    A loop that may be left has so much room at most, which may be far too much: it has none. An
    inner loop that runs until something holds may leave the work to an error after a few trips.

    >>> trips_of(gast.parse("for i in range(1, n): f(i)").body[0])
    Affine(terms={'n': 1}, constant=-1)
    >>> trips_of(gast.parse("for i in range(n - 1, -1, -1): f(i)").body[0])
    Affine(terms={'n': 1}, constant=0)
    """
    if not isinstance(loop, gast.For) or getattr(getattr(loop.iter, "func", None), "id", "") != (
        "range"
    ):
        return None
    if loop.iter.keywords or any(found_in(item, *_LEAVING) for item in loop.body):
        return None
    ends = [affine_of(with_named_lengths(item), variable) for item in loop.iter.args]
    first, last, step = [*([number(0)] if len(ends) == 1 else []), *ends, number(1)][:3]
    if first is None or last is None:
        return None
    if step == number(1):
        return last - first
    return first - last if step == number(-1) else None


def always_run(loop: Any) -> Iterator[Any]:
    """Yield the statements that each trip of a loop runs once."""
    for statement in loop.body:
        yield statement
        if found_in(statement, gast.Continue):
            return
