"""Says what of an expression is surely evaluated, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from srcgrad.ir import gast

Place = tuple[Any, str, int | None]
"""Where a part of a node stands: the node that holds it, the field, and the place in a list."""

_PARTS: Final[dict[type, tuple[str, ...]]] = {
    gast.BinOp: ("left", "right"),
    gast.UnaryOp: ("operand",),
    gast.Call: ("args", "keywords"),
    gast.keyword: ("value",),
    gast.Starred: ("value",),
    gast.Attribute: ("value",),
    gast.Subscript: ("value", "slice"),
    gast.Slice: ("lower", "upper", "step"),
    gast.Tuple: ("elts",),
    gast.List: ("elts",),
    gast.IfExp: ("test",),
    gast.NamedExpr: ("value",),
}
"""What is surely evaluated of a node, in order; branches of conditions and lambdas are not."""


def places_in(node: Any) -> Iterator[Place]:
    """Yield where the parts of an expression stand that are surely evaluated, in that order.

    Of a function that is called by a dotted name, this is the object whose method it may be.

    >>> (line,) = gast.parse("f(x[0]).dot(b if c else d, key=(e, 0 < g < h))").body
    >>> def names(node):
    ...     if isinstance(node, gast.Name):
    ...         return [node.id]
    ...     return [name for place in places_in(node) for name in names(part_at(place))]
    >>> names(line.value)
    ['x', 'c', 'e', 'g']
    """
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        yield node.func, "value", None
    elif isinstance(node, gast.Call) and not isinstance(node.func, gast.Name):
        yield node, "func", None
    elif isinstance(node, gast.Compare):  # of a chain the rest is only looked at if that holds
        yield node, "left", None
        yield node, "comparators", 0
    elif isinstance(node, gast.BoolOp):
        yield node, "values", 0
    elif isinstance(node, gast.Dict) and None not in node.keys:
        for place in range(len(node.keys)):
            yield node, "keys", place
            yield node, "values", place
    for name in _PARTS.get(type(node), ()):
        part = getattr(node, name)
        if isinstance(part, list):
            yield from ((node, name, place) for place in range(len(part)))
        elif part is not None:
            yield node, name, None


def part_at(place: Place) -> Any:
    """Return what stands at a place."""
    owner, name, number = place
    part = getattr(owner, name)
    return part if number is None else part[number]


def put_at(place: Place, value: Any) -> None:
    """Put an expression in the place of another."""
    owner, name, number = place
    if number is None:
        setattr(owner, name, value)
    else:
        getattr(owner, name)[number] = value
