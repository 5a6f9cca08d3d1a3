"""Writes `unbroadcast` as the sum that it is, or not at all, where the shapes are known."""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.analyses.lengths import Vector, summed_axes
from srcgrad.ir.build import call, method
from srcgrad.transforms.sweep import Sweep, renamed


def shortened(value: Any, result: Any, sweep: Sweep) -> Any:
    """Return a call of `unbroadcast` as plainly as can be; `result` has the shape of the gradient.

    That is a name, the part of an array that a store writes into, or None if it is not one value.
    """
    if result is None or getattr(getattr(value, "func", None), "id", "") != "unbroadcast":
        return value
    shapes = sweep.facts.shapes
    grad, like = value.args
    like = value.args[1] = renamed(like, sweep.originals)  # of the same shape
    if shapes.same(like, result):
        return grad
    ours, theirs = _axes(result, sweep), sweep.facts.dimensions.of(like)
    if ours is None and theirs == ():
        sweep.externals.use_numpy()
        return call("np.sum", grad)
    if ours is not None and theirs is not None:
        axes = summed_axes(ours, theirs)
        if axes is not None and (not axes[0] or not axes[1]):
            return _sum_over(grad, *axes) if theirs or not ours else method(grad, "sum")
    value.args[1] = shapes.representative(like)
    return value


def of_update(value: Any, place: int, statement: Any, sweep: Sweep) -> Any:
    """Return the gradient of an operand, by its place, of what may be an update in place.

    An update keeps the shape of an array, and of what is added to it only the shape is asked.
    """
    summed = getattr(getattr(value, "func", None), "id", "") == "unbroadcast"
    if not summed or not getattr(statement, "guarded", False):
        return value
    if place == 0 and sweep.facts.dimensions.of(statement.value.left):
        return value.args[0]
    value.keeps_shape = True
    return value


def _axes(result: Any, sweep: Sweep) -> Vector | None:
    dimensions = sweep.facts.dimensions
    is_part = isinstance(result, gast.Subscript)
    return dimensions.of_place(result) if is_part else dimensions.of(result)


def _sum_over(grad: Any, added: tuple[int, ...], stretched: tuple[int, ...]) -> Any:
    """Return the sum of a gradient over axes that broadcasting added, or over stretched ones."""
    axes = added or stretched
    if not axes:
        return grad
    if isinstance(grad, gast.UnaryOp):  # negate the smaller one
        return gast.UnaryOp(grad.op, _sum_over(grad.operand, added, stretched))
    constants = [gast.Constant(axis, None) for axis in axes]
    axis = constants[0] if len(axes) == 1 else gast.Tuple(constants, gast.Load())
    total = method(grad, "sum")
    total.keywords = [gast.keyword("axis", axis)]
    if stretched:
        total.keywords.append(gast.keyword("keepdims", gast.Constant(True, None)))
    return total
