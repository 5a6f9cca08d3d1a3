"""Says which axes arrays have that are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.analyses.lengths import Lengths
from srcgrad.analyses.spelled_lengths import Length, Vector, apart
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of
from srcgrad.ir.operations import Operation
from srcgrad.primitives import Primitive


def joined(
    known: Primitive,
    operation: Operation,
    axes_of_part: Callable[[Any], Vector | None],
    lengths: Lengths,
    axes_of_entries: Callable[[Any], Vector | None] = lambda _: None,
) -> Vector | None:
    """Return the axes of arrays that are joined, or None.

    They are written down in a row, or are the entries of a list that have the same axes.

    >>> from srcgrad.rules.records import numpy_primitive
    >>> row = gast.parse("(x, y)", mode="eval").body
    >>> def of(name, vector, *rest, **keywords):
    ...     operation = Operation("primitive", None, (row, *rest), keywords)
    ...     return joined(numpy_primitive(name), operation, lambda _: vector, Lengths({}))
    >>> of("hstack", (("x", 0), 1)), of("hstack", (3,)), of("vstack", (("x", 0),))
    ((('x', 0), 2), (6,), (2, ('x', 0)))
    >>> of("column_stack", (("x", 0),)), of("stack", (4,)), of("concatenate", (("x", 0), 2))
    ((('x', 0), 2), (2, 4), (('apart', ((('x', 0), 2),), 0), 2))
    >>> of("stack", (4,), axis=gast.Constant(-1, None))
    (4, 2)
    >>> row = gast.parse("rows", mode="eval").body
    >>> operation = Operation("primitive", None, (row,), {})
    >>> joined(numpy_primitive("vstack"), operation, lambda _: None, Lengths({}), lambda _: (4,))
    (None, 4)
    """
    row, *rest = operation.args
    shown = isinstance(row, (gast.List, gast.Tuple))
    if not known.along or (shown and not row.elts):
        return None
    told = [*rest, *(item for name, item in operation.keywords.items() if name == "axis")]
    if len(rest) > 1 or len(told) > 1 or operation.keywords.keys() - {"axis", "dtype"}:
        return None
    axis = 0
    if told:
        axes = axes_of(told[0])
        if axes is None or len(axes) != 1:
            return None
        (axis,) = axes
    if not shown:
        entry = axes_of_entries(row)
        return None if entry is None else _of_many(entry, known.along, axis)
    parts = [axes_of_part(item) for item in row.elts]
    if any(part is None for part in parts) or len({len(part or ()) for part in parts}) != 1:
        return None
    return _beside([part or () for part in parts], known.along, axis, lengths)


def displayed(node: Any, axes_of_part: Callable[[Any], Vector | None]) -> Vector | None:
    """Return the axes of an array of what is written down, all of it of one shape."""
    if not isinstance(node, (gast.List, gast.Tuple)):
        return axes_of_part(node)
    parts = [displayed(item, axes_of_part) for item in node.elts]
    if not parts or parts[0] is None or any(part is None for part in parts):
        return None
    return (len(parts), *parts[0]) if len({len(part or ()) for part in parts}) == 1 else None


def _beside(parts: Sequence[Vector], along: str, axis: int, lengths: Lengths) -> Vector | None:
    """Return the axes of what is joined, of parts that have as many axes each."""
    rank = len(parts[0])
    if along == "new":
        places = range(-rank - 1, rank + 1)
        return _with_new(_common(parts), axis, len(parts)) if axis in places else None
    if along == "rows" and rank < 2:
        return (len(parts), *_common(parts)) if rank else (len(parts), 1)
    if along == "columns" and rank < 2:
        return (*_common(parts), len(parts)) if rank else (1, len(parts))
    if along in ("columns", "second"):
        axis = 1 if rank > 1 else 0
    if not rank:
        return (len(parts),) if along == "second" else None
    if axis not in range(-rank, rank):
        return None
    axis %= rank
    counts = [lengths.counted(lengths.find(part[axis])) for part in parts]
    total = None if None in counts else apart([(count, 1) for count in counts], 0)
    return (*_common(parts)[:axis], total, *_common(parts)[axis + 1 :])


def _of_many(part: Vector, along: str, axis: int) -> Vector | None:
    """Return the axes of what is joined of parts with the same axes, as many as the run tells."""
    rank = len(part)
    if along == "new":
        return _with_new(part, axis, None) if axis in range(-rank - 1, rank + 1) else None
    if along in ("rows", "columns") and rank < 2:
        whole = part or (1,)
        return (None, *whole) if along == "rows" else (*whole, None)
    if along in ("columns", "second"):
        axis = 1 if rank > 1 else 0
    if not rank:
        return (None,) if along == "second" else None
    if axis not in range(-rank, rank):
        return None
    return (*part[: axis % rank], None, *part[axis % rank + 1 :])


def _common(parts: Sequence[Vector]) -> Vector:
    """Return the lengths of axes that all parts agree in."""
    return tuple(_first(found) for found in zip(*parts, strict=True))


def _first(found: Sequence[Length]) -> Length:
    return next((length for length in found if length is not None), None)


def _with_new(vector: Vector, axis: int, count: Length) -> Vector:
    place = axis % (len(vector) + 1)
    return (*vector[:place], count, *vector[place:])


def paired(left: Vector | None, right: Vector | None, *, flat: bool) -> Vector | None:
    """Return the axes of what is computed of all pairs; `flat` if other axes are made one."""
    if left is None or right is None or (flat and (len(left), len(right)) != (1, 1)):
        return (None, None) if flat else None
    return (*left, *right)


def multiplied(left: Vector, right: Vector) -> Vector | None:
    """Return the axes of a product of matrices or vectors.

    >>> multiplied((2, 3), (3, 4)), multiplied((5, 2, 3), (3, 4)), multiplied((3,), (3, 4))
    ((2, 4), (5, 2, 4), (4,))
    """
    if len(left) > 1 and len(right) == 2:  # a product for each matrix of several, too
        return (*left[:-1], right[1])
    if len(left) == 1 and len(right) in (1, 2):
        return right[1:]
    return left[:1] if (len(left), len(right)) == (2, 1) else None
