"""Says how often a loop runs, before it does, so that what it records has room from the beginning.

A look at the room that is left, at each trip, keeps LLVM from computing several trips at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from srcgrad.analyses.affine import Affine, affine_of, number, variable
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.kind import Array, Kind
from srcgrad.targets.loops.shapes import with_named_lengths

_LEAVING: Final = (gast.Break, gast.Return, gast.While)


def counts(loop: Any) -> bool:
    """Say whether a statement is a loop over a range."""
    function = getattr(loop.iter, "func", None) if isinstance(loop, gast.For) else None
    return getattr(function, "id", "") == "range" and not loop.iter.keywords


def ends_of(loop: Any, kind_of: Callable[[Any], Kind]) -> list[Affine | None]:
    """Return where a loop over a range begins and ends, and its step; None for what is unknown.

    Lengths are those of arrays: other things have no shape of which one could ask.
    """
    ends = [affine_of(with_named_lengths(item), variable) for item in loop.iter.args]
    found = [*([number(0)] if len(ends) == 1 else []), *ends, number(1)][:3]
    return [None if item is None or _asks_others(item, kind_of) else item for item in found]


def _asks_others(found: Affine, kind_of: Callable[[Any], Kind]) -> bool:
    arrays = [name.partition(".")[0] for name in found.terms if "." in name]
    return not all(isinstance(kind_of(load(name)), Array) for name in arrays)


def trips_of(loop: Any, kind_of: Callable[[Any], Kind]) -> Affine | None:
    """Return how often a loop over a range runs, less than 0 for never; None if that is not known.

    A loop that may be left has so much room at most, which may be far too much: it has none. An
    inner loop that runs until something holds may leave the work to an error after a few trips.

    >>> kinds = {"x": Array("float64", 1)}
    >>> def trips(text):
    ...     return trips_of(gast.parse(text).body[0], lambda name: kinds.get(name.id))
    >>> trips("for i in range(n - 1, -1, -1): f(i)")
    Affine(terms={'n': 1}, constant=0)
    >>> trips("for i in range(1, len(x)): f(i)"), trips("for i in range(len(pairs)): f(i)")
    (Affine(terms={'x.shape[0]': 1}, constant=-1), None)
    """
    if not counts(loop) or any(found_in(item, *_LEAVING) for item in loop.body):
        return None
    first, last, step = ends_of(loop, kind_of)
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
