"""Says which elements of a value are used by the names that its parts are unpacked to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.analyses.passing import shaped_like
from srcgrad.analyses.selectors import EVERYWHERE, STEEP_AT_THE_EDGE, Mask
from srcgrad.analyses.unions import either
from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, load
from srcgrad.ir.operations import Operation


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a value: the name it is bound to, whether that is used, and in which elements."""

    name: str
    used: bool
    mask: Mask | None

    def truth(self) -> Any:
        """Return an array of truth values that says which of its elements are used."""
        if self.used and self.mask is not EVERYWHERE:
            fits = getattr(shaped_like(self.mask.condition), "id", "") == self.name
            truth = self.mask.truth()
            return truth if fits else call("any_selected", truth, load(self.name))
        like = call("np.ones_like" if self.used else "np.zeros_like", load(self.name))
        like.keywords = [gast.keyword("dtype", load("bool"))]
        return like


def of_parts(source: str, parts: Sequence[Part]) -> Mask | None:
    """Return the elements of what is unpacked that are in parts which are used."""
    whole = [number for number, part in enumerate(parts) if part.used and part.mask is EVERYWHERE]
    if len(whole) == len(parts):
        return EVERYWHERE
    numbers = [gast.Constant(number, None) for number in whole]
    index = numbers[0] if len(numbers) == 1 else gast.List(numbers, gast.Load())
    masks = [_read(index, source)] if numbers else []
    for number, part in enumerate(parts):
        if part.used and part.mask is not EVERYWHERE:
            masks.append(_read(gast.Constant(number, None), source, part.mask))
    if not masks:
        return _read(gast.List([], gast.Load()), source)
    found: Mask | None = masks[0]
    for mask in masks[1:]:
        found = either(found, mask)
    return found


def _read(index: Any, source: str, used: Mask | None = EVERYWHERE) -> Mask:
    truth = [] if used is EVERYWHERE else [used.truth()]
    least = STEEP_AT_THE_EDGE if used is EVERYWHERE else used.least
    return Mask(call("picked", index, load(source), *truth), True, least, basic=True)


def of_split(operation: Operation, parts: Sequence[Part]) -> Mask | None:
    """Return the elements of what `np.split` cuts that are used in one of its parts."""
    if all(part.used and part.mask is EVERYWHERE for part in parts):
        return EVERYWHERE
    axis = [*operation.args[2:], *(v for k, v in operation.keywords.items() if k == "axis")]
    truths = gast.List([part.truth() for part in parts], gast.Load())
    joined = call("np.concatenate", truths, *map(clone, axis))
    least = [part.mask.least for part in parts if part.mask is not EVERYWHERE]
    return Mask(joined, True, min(least, default=STEEP_AT_THE_EDGE))
