"""Leads masks back through functions that only move elements, for `Selection`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.analyses.selectors import EVERYWHERE, STEEP_AT_THE_EDGE, Mask
from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, index_value
from srcgrad.ir.operations import Operation
from srcgrad.rules.records import primitive_of
from srcgrad.runtime import getitem


def _constant(value: Any) -> Any:
    return gast.Constant(value, None)


def _reshaped(operation: Operation, truth: Any) -> Any:
    return call("np.reshape", truth, call("np.shape", clone(operation.args[0])))


def _transposed(operation: Operation, truth: Any) -> Any:
    if len(operation.args) > 1 or operation.keywords:
        return None
    return call("np.transpose", truth)


def _again(operation: Operation, truth: Any) -> Any:
    """What undoes itself does the same to the mask."""
    name = operation.primal.__name__
    again = call(f"np.{name}", truth, *map(clone, operation.args[1:]))
    again.keywords = [gast.keyword(k, clone(item)) for k, item in operation.keywords.items()]
    return again


def _rolled(operation: Operation, truth: Any) -> Any:
    if operation.keywords or not isinstance(operation.args[1], gast.Constant):
        return None
    _, shift, *axis = map(clone, operation.args)
    return call("np.roll", truth, gast.UnaryOp(gast.USub(), shift), *axis)


def _differed(operation: Operation, truth: Any) -> Any:
    """Differences of neighbours use both."""
    if len(operation.args) > 1 or operation.keywords:
        return None
    sides = [
        call("picked", _last_axis(*ends), clone(operation.args[0]), clone(truth))
        for ends in ((1, None), (None, -1))
    ]
    return gast.BinOp(sides[0], gast.BitOr(), sides[1])


def _last_axis(start: int | None, stop: int | None) -> Any:
    part = call("slice", _constant(start), _constant(stop))
    return gast.Tuple([_constant(...), part], gast.Load())


_BACK: Final[dict[Any, Callable[[Operation, Any], Any]]] = {
    **dict.fromkeys((np.reshape, np.ravel, np.squeeze, np.expand_dims), _reshaped),
    np.transpose: _transposed,
    np.roll: _rolled,
    np.diff: _differed,
    **dict.fromkeys((np.flip, np.fliplr, np.flipud, np.swapaxes), _again),
}


def _same_call(operation: Operation, places: Any) -> Any:
    name = operation.primal.__name__
    moved = call(f"np.{name}", places, *map(clone, operation.args[1:]))
    moved.keywords = [gast.keyword(k, clone(item)) for k, item in operation.keywords.items()]
    return moved


def _sorted(operation: Operation, places: Any) -> Any:
    axis = [*operation.args[1:], *operation.keywords.values()] or [_constant(-1)]
    if len(axis) > 1 or operation.keywords.keys() - {"axis"}:
        return None
    order = call("np.argsort", clone(operation.args[0]), clone(axis[0]), _constant("stable"))
    return call("np.take_along_axis", places, order, clone(axis[0]))


_MOVED: Final = {np.delete: _same_call, np.take_along_axis: _same_call, np.sort: _sorted}
"""What becomes of the number of each place; the first two leave places out."""


def _moved(operation: Operation, mask: Mask | None, *, fits: bool) -> Mask | None:
    used = [mask.truth()] if mask is not EVERYWHERE and fits and not mask.branch else []
    if operation.primal is np.sort and not used:
        return EVERYWHERE
    base = operation.args[0]
    moved = _MOVED[operation.primal](operation, call("places", call("np.shape", clone(base))))
    if moved is None:
        return EVERYWHERE
    least = mask.least if mask is not EVERYWHERE and used else STEEP_AT_THE_EDGE
    return Mask(call("came_from", clone(base), moved, *used), True, least)


def shaped_like(condition: Any) -> Any:
    """Return an expression of the same shape as a condition."""
    if isinstance(condition, gast.BinOp):
        condition = condition.left
    name = getattr(getattr(condition, "func", None), "id", "")
    place = {"picked": 1, "came_from": 0, "any_selected": 1}.get(name)
    return condition if place is None else condition.args[place]


def passes(operation: Operation) -> bool:
    """Say whether an operation leaves elements as they are, at other places."""
    known = primitive_of(operation.primal).moves or operation.primal in _BACK
    return known and operation.kind == "primitive" and bool(operation.args)


def led_back(operation: Operation, mask: Mask | None, *, fits: bool) -> Mask | None:
    """Return which elements of the first operand become those of a mask of the result.

    `fits` says that the mask surely has the shape of the result.
    """
    if not isinstance(operation.args[0], gast.Name):
        return EVERYWHERE
    if operation.primal is getitem:
        return _read(operation, mask, fits=fits)
    if operation.primal in _MOVED:
        return _moved(operation, mask, fits=fits)
    back = _BACK.get(operation.primal)
    if mask is EVERYWHERE or back is None:
        return EVERYWHERE
    if mask.branch:
        return mask
    truth = back(operation, mask.truth()) if fits else None
    return EVERYWHERE if truth is None else Mask(truth, True, mask.least)


def _read(operation: Operation, mask: Mask | None, *, fits: bool) -> Mask | None:
    """Return the elements that brackets read; of those, the ones that are used."""
    base, index = operation.args
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    if all(map(_is_all, parts)):
        return mask if mask is EVERYWHERE or fits or mask.branch else EVERYWHERE
    once = not any(isinstance(part, gast.Name) for part in parts)  # arrays may repeat elements
    used = [mask.truth()] if mask is not EVERYWHERE and fits and once and not mask.branch else []
    read = call("picked", index_value(index), clone(base), *used)
    least = mask.least if mask is not EVERYWHERE and used else STEEP_AT_THE_EDGE
    return Mask(read, True, least, basic=True)


def _is_all(part: Any) -> bool:
    """Say whether a part of an index takes everything that is there, in its order."""
    if isinstance(part, gast.Slice):
        return part.lower is None and part.upper is None and part.step is None
    return isinstance(part, gast.Constant) and part.value is Ellipsis
