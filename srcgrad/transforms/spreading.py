"""Writes what gives a number of a sum to each of its terms as the axes that broadcasting adds."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of
from srcgrad.ir.build import call, clone
from srcgrad.ir.marks import VECTOR
from srcgrad.transforms.runtime_calls import is_shape

_SPREADING = frozenset({"expand_sum", "expand_mean"})


def spread_by_axes(value: Any, dimensions: Dimensions, given: Vector | None = None) -> Any:
    """Return ``expand_sum(grad, np.shape(x), axis, False)`` as ``np.broadcast_to`` of `grad`.

    That is with new axes in the place of those that were added up: what calculates with all of the
    terms broadcasts them by itself, and asks for no shape then. `given` has the axes of `grad`, if
    they are not those of the sum. What is not known well enough is returned as it is.
    """
    if getattr(getattr(value, "func", None), "id", "") not in _SPREADING or len(value.args) != 4:
        return value
    grad, shape, axis, keeps = value.args
    whole = dimensions.of(shape.args[0]) if is_shape(shape) else None
    axes = axes_of(axis)
    if not whole or axes is None or not isinstance(getattr(keeps, "value", None), bool):
        return value
    added = sorted({axis % len(whole) for axis in axes if -len(whole) <= axis < len(whole)})
    if not added or len(added) < len(axes):
        return value  # which NumPy raises for
    kept = tuple(length for place, length in enumerate(whole) if place not in added)
    if keeps.value:
        kept = tuple(1 if place in added else length for place, length in enumerate(whole))
    vector = kept if given is None else given
    is_number = vector == ()
    if len(vector) != len(kept) and not is_number:
        return value
    if value.func.id == "expand_mean":
        if len(added) != 1:
            return value
        grad = gast.BinOp(grad, gast.Div(), _length(shape, added[0]))
    spread = call("np.broadcast_to", grad, shape)
    VECTOR.put(spread, vector)
    if not is_number and not keeps.value:
        spread.args[0] = _with_axes(grad, added)
        VECTOR.put(spread, _with_ones(vector, added))
    return spread


def _length(shape: Any, axis: int) -> Any:
    return gast.Subscript(clone(shape), gast.Constant(axis, None), gast.Load())


def _with_axes(grad: Any, added: list[int]) -> Any:
    """Return `grad` with the axes that broadcasting does not add, which stand in front."""
    index: list[Any] = []
    for place in range(_leading(added), added[-1] + 1):
        new = place in added
        index.append(gast.Constant(None, None) if new else gast.Slice(None, None, None))
    if not index:
        return grad
    return gast.Subscript(grad, gast.Tuple(index, gast.Load()), gast.Load())


def _with_ones(vector: Vector, added: list[int]) -> Vector:
    lengths = list(vector)
    for place in added:
        lengths.insert(place, 1)
    return tuple(lengths[_leading(added) :])


def _leading(added: list[int]) -> int:
    """Return how many of the added axes stand in front of all others."""
    lead = 0
    while lead < len(added) and added[lead] == lead:
        lead += 1
    return lead
