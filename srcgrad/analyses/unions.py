"""Unites masks: what one use or another takes of a value."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from srcgrad.analyses.selectors import EVERYWHERE, Mask, is_negative
from srcgrad.ir import gast
from srcgrad.ir.build import call, clone
from srcgrad.ir.walk import is_same

_MOST: Final = 6  # numbers that are listed in a text


def either(first: Mask | None, second: Mask | None) -> Mask | None:
    """Return the elements that are in one of the masks."""
    if first is EVERYWHERE or second is EVERYWHERE or first == second:
        return first if first == second else EVERYWHERE
    if is_same(first.condition, second.condition):
        return EVERYWHERE
    if first.basic and second.basic:
        return _one_or_the_other(first, second)
    return _united(first, second)


def _united(first: Mask, second: Mask, *, basic: bool = False) -> Mask:
    sides = first.part, second.part
    if all(map(_is_surely_truth, sides)):
        condition = gast.BinOp(sides[0], gast.BitOr(), sides[1])
    else:
        condition = call("np.logical_or", *sides)
    return Mask(condition, True, min(first.least, second.least), basic=basic)


def _is_surely_truth(node: Any) -> bool:
    """Say whether an expression is an array of truth values, whatever its names are."""
    if isinstance(node, gast.BinOp):
        return isinstance(node.op, gast.BitOr)
    return getattr(getattr(node, "func", None), "id", "") in ("picked", "came_from")


def _one_or_the_other(first: Mask, second: Mask) -> Mask | None:
    """Return the elements that two reads take: by numbers, or by slices that leave some out."""
    added = _reads(second.condition)  # asked first, as there may be many in the other one
    reads = [*_reads(first.condition), *added] if _are_of_all(added) else []
    if reads and _are_of_all(reads):
        places = [place for read in reads for place in _listed(read.args[0])]
        if all(isinstance(getattr(p, "value", None), int) or is_negative(p) for p in places):
            if len(places) > _MOST:
                return EVERYWHERE
            index = gast.List([clone(place) for place in places], gast.Load())
            read = call("picked", index, clone(reads[0].args[1]))
            return Mask(read, True, first.least, basic=True)
        if not _leave_some_out(places):
            return EVERYWHERE
    return _united(first, second, basic=True)


def _reads(condition: Any) -> list[Any]:
    """Return the calls of `picked` in a union of reads."""
    found, waiting = [], [condition]
    while waiting:
        part = waiting.pop()
        if isinstance(part, gast.BinOp):
            waiting += [part.right, part.left]
        else:
            found.append(part)
    return found


def _are_of_all(reads: list[Any]) -> bool:
    """Say whether all of what is read is used, and not only a part of each."""
    return all(len(read.args) == 2 for read in reads)


def _listed(index: Any) -> list[Any]:
    return list(index.elts) if isinstance(index, gast.List) else [index]


def _leave_some_out(places: list[Any]) -> bool:
    """Say whether indices of constants leave out some elements of any large array."""
    indices = [_index(place) for place in places]
    if None in indices:
        return False
    rank = max(map(len, indices))
    for sizes in itertools.product((12, 13), repeat=min(rank, 2)):
        full = np.zeros((*sizes, *[2] * (rank - len(sizes))), bool)
        for index in indices:
            try:
                full[index] = True
            except IndexError:
                return False
        if full.all():
            return False
    return True


def _index(place: Any) -> Any:
    """Return the index that an expression of constants is; None if it is none."""
    parts = place.elts if isinstance(place, gast.Tuple) else [place]
    found = [_part(part) for part in parts]
    return None if None in found else tuple(found)


def _part(part: Any) -> Any:
    if isinstance(part, gast.Call) and getattr(part.func, "id", "") == "slice":
        ends = [_number(end) for end in part.args]
        known = all(isinstance(end, (int, type(None))) for end in ends)
        return slice(*ends) if known else None
    found = _number(part)
    return found if isinstance(found, (int, type(Ellipsis))) else None


def _number(node: Any) -> Any:
    """Return a constant or its opposite; a text for anything else."""
    if is_negative(node):
        value = node.operand.value
        return -value if isinstance(value, int) else ""
    return node.value if isinstance(node, gast.Constant) else ""
