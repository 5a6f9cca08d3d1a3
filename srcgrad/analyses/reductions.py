"""Says which axes a reduction leaves."""

from __future__ import annotations

from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of
from srcgrad.ir.operations import Operation


def reduced(vector: Vector | None, operation: Operation, place: int) -> Vector | None:
    """Return the axes of a reduction of an operand of some axes, or None if they are not known.

    `place` is that of the argument that tells the axis.

    >>> operation = Operation("primitive", None, (gast.Name("x", gast.Load(), None, None),), {
    ...     "axis": gast.Constant(-1, None), "keepdims": gast.Constant(True, None)})
    >>> reduced((("x", 0), ("x", 1)), operation, 1)
    (('x', 0), 1)
    """
    told = operation.args[place] if len(operation.args) > place else None
    axis = operation.keywords.get("axis") if told is None else told
    keep = operation.keywords.get("keepdims")
    others = set(operation.keywords) - {"axis", "keepdims"}
    if (
        others
        or len(operation.args) > place + 1
        or (keep is not None and not isinstance(keep, gast.Constant))
    ):
        return None
    keepdims = bool(keep.value) if keep is not None else False
    if axis is None:
        return () if not keepdims else None
    axes = axes_of(axis)
    if vector is None or axes is None or any(not -len(vector) <= a < len(vector) for a in axes):
        return None
    gone = {a % len(vector) for a in axes}
    if keepdims:
        return tuple(1 if i in gone else d for i, d in enumerate(vector))
    return tuple(d for i, d in enumerate(vector) if i not in gone)
