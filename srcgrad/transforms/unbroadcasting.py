"""Writes `unbroadcast` as the sum that it is, or not at all, where the shapes are known."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.lengths import summed_axes
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.ir import gast
from srcgrad.ir.build import call, load, method
from srcgrad.ir.marks import GUARDED, KEEPS_SHAPE
from srcgrad.ir.walk import names_bound
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
    if theirs is None or (ours is None and theirs != ()):
        value.args[1] = shapes.representative(like)
        return value
    axes = None if ours is None else summed_axes(ours, theirs)
    if ours is not None and (axes is None or (axes[0] and axes[1])):
        value.args[1] = shapes.representative(like)
        return value
    return _Sum(sweep, result, ours, theirs, axes).of(grad)


def representative(node: Any, sweep: Sweep) -> Any:
    """Return the first name, at best an argument's, that surely has an operand's shape."""
    first, dimensions = sweep.facts.shapes.representative(node), sweep.facts.dimensions
    vector = dimensions.of(node) if isinstance(node, gast.Name) else None
    if first is not node or not vector or None in vector:
        return first
    arguments = map(load, sweep.program.parameters)
    return next((item for item in arguments if dimensions.of(item) == vector), node)


def note_whole(emitted: list[Any], sweep: Sweep) -> None:
    """Note what a rule makes of an adjoint by arithmetic before it sums up: it is as large."""
    for statement in emitted if sweep.whole else ():
        value = getattr(statement, "value", None)
        if not isinstance(value, gast.BinOp) or isinstance(value.op, gast.MatMult):
            continue
        if sweep.whole & {getattr(side, "id", "") for side in (value.left, value.right)}:
            sweep.whole.update(names_bound(statement.targets[0]))


def of_update(value: Any, place: int, statement: Any, sweep: Sweep) -> Any:
    """Return the gradient of an operand, by its place, of what may be an update in place.

    An update keeps the shape of an array, and of what is added to it only the shape is asked.
    """
    summed = getattr(getattr(value, "func", None), "id", "") == "unbroadcast"
    if not summed or not GUARDED.of(statement):
        return value
    if place == 0 and sweep.facts.dimensions.of(statement.value.left):
        return value.args[0]
    KEEPS_SHAPE.put(value, True)
    return value


def _axes(result: Any, sweep: Sweep) -> Vector | None:
    dimensions = sweep.facts.dimensions
    is_part = isinstance(result, gast.Subscript)
    return dimensions.of_place(result) if is_part else dimensions.of(result)


class _Sum:
    """The sum of a gradient over the axes that broadcasting an operand has added or stretched."""

    def __init__(
        self,
        sweep: Sweep,
        result: Any,
        ours: Vector | None,
        theirs: Vector,
        axes: tuple[tuple[int, ...], tuple[int, ...]] | None,
    ) -> None:
        self._sweep = sweep
        self._result = result
        self._ours = ours
        self._theirs = theirs
        self._axes = axes

    def of(self, grad: Any) -> Any:
        """Return the sum: of as few operations on the larger array as can be."""
        if self._axes == ((), ()):
            return grad
        if isinstance(grad, gast.UnaryOp):  # negate the smaller one
            return gast.UnaryOp(grad.op, self.of(grad.operand))
        if _is_product(grad):  # a factor may be the same for all that are added up
            if isinstance(grad.op, (gast.Mult, gast.Div)) and self._is_outside(
                grad.right, grad.left
            ):
                return gast.BinOp(self.of(grad.left), grad.op, grad.right)
            if isinstance(grad.op, gast.Mult) and self._is_outside(grad.left, grad.right):
                return gast.BinOp(grad.left, grad.op, self.of(grad.right))
        if self._is_product_of_vectors(grad):
            return gast.BinOp(grad.left, gast.MatMult(), grad.right)
        return self._plain(grad)

    def _is_outside(self, factor: Any, rest: Any) -> bool:
        """Say whether a factor of the rest may as well be one of its sum."""
        return self._of(factor) in ((), self._theirs) and self._is_full(rest)

    def _of(self, node: Any) -> Vector | None:
        return self._sweep.facts.dimensions.of(renamed(node, self._sweep.originals))

    def _is_full(self, node: Any) -> bool:
        """Say whether an expression has the shape of the result, one operand of it at least."""
        if isinstance(node, gast.BinOp) and not isinstance(node.op, gast.MatMult):
            return self._is_full(node.left) or self._is_full(node.right)
        if isinstance(node, gast.UnaryOp):
            return self._is_full(node.operand)
        if getattr(node, "id", "") in self._sweep.whole:
            return True
        if self._ours is None or None in self._ours:
            node = renamed(node, self._sweep.originals)
            return self._sweep.facts.shapes.same(node, self._result)
        return self._of(node) == self._ours

    def _is_product_of_vectors(self, grad: Any) -> bool:
        if self._theirs != () or self._ours is None or len(self._ours) != 1:
            return False
        return _is_product(grad) and self._is_full(grad.left) and self._is_full(grad.right)

    def _plain(self, grad: Any) -> Any:
        if self._axes is None:
            self._sweep.externals.use_numpy()
            return call("np.sum", grad)
        if not self._theirs and self._ours:
            return method(grad, "sum")
        added, stretched = self._axes
        axes = added or stretched
        if not axes:
            return grad
        constants = [gast.Constant(axis, None) for axis in axes]
        axis = constants[0] if len(axes) == 1 else gast.Tuple(constants, gast.Load())
        total = method(grad, "sum")
        total.keywords = [gast.keyword("axis", axis)]
        if stretched:
            total.keywords.append(gast.keyword("keepdims", gast.Constant(True, None)))
        return total


def _is_product(node: Any) -> bool:
    return isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult)
