"""Tells elements of what a function is given, which may be numbers, from the whole of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import names_bound, walk

_ELEMENT: Final = "[]"
_TO_NUMBERS: Final = (gast.Sub, gast.FloorDiv, gast.Mod, gast.Pow)
"""What neither texts nor tuples of slices take part in."""
_IN_ORDER: Final = (gast.Lt, gast.LtE, gast.Gt, gast.GtE)


def element_of(origin: str) -> str:
    """Return what stands for an element of what a name stands for."""
    return origin if origin.endswith(_ELEMENT) else origin + _ELEMENT


def plain_origins(origins: Iterable[str]) -> frozenset[str]:
    """Return the names of what some origins are, or are elements of.

    >>> sorted(plain_origins({"a", element_of("b"), element_of("a")}))
    ['a', 'b']
    """
    return frozenset(origin.removesuffix(_ELEMENT) for origin in origins)


def counts_in(tree: Any) -> set[str]:
    r"""Return the names that stand for numbers in a function: it counts and calculates with them.

    >>> text = "def f(x, i, k, s):\n  for j in range(k):\n    x[j] = x[s] if i < 2 else x[k]"
    >>> sorted(counts_in(gast.parse(text).body[0]))
    ['i', 'j', 'k']
    """
    nodes = [node for line in tree.body for node in walk(line)]
    found = {item.id for node in nodes for item in _counted(node) if isinstance(item, gast.Name)}
    return found - {name for node in nodes for name in _bound_to_other(node)}


def _counted(node: Any) -> Iterator[Any]:
    """Yield the expressions that a node takes for numbers."""
    if _counts(node):
        yield from node.args
    elif isinstance(node, gast.Slice):
        yield from (node.lower, node.upper, node.step)
    elif isinstance(node, gast.BinOp) and not isinstance(node.op, gast.Mult):
        sides = node.left, node.right
        if isinstance(node.op, _TO_NUMBERS) or any(map(_is_number, sides)):
            yield from sides
    elif isinstance(node, gast.Compare):
        every = [node.left, *node.comparators]
        if isinstance(node.ops[0], _IN_ORDER) and any(map(_is_number, every)):
            yield from every
    elif isinstance(node, (gast.For, gast.comprehension)) and _counts(node.iter):
        yield node.target


def _counts(node: Any) -> bool:
    return isinstance(node, gast.Call) and getattr(node.func, "id", "") == "range"


def _bound_to_other(node: Any) -> list[str]:
    """Return the names that a node binds to what is no number."""
    value = getattr(node, "value", None)
    if not isinstance(node, gast.Assign) or isinstance(value, (gast.BinOp, gast.Subscript)):
        return []
    made = isinstance(value, gast.Call) and getattr(value.func, "id", "") == "slice"
    strange = isinstance(value, gast.Constant) and not _is_number(value)
    if not (made or strange or isinstance(value, (gast.Tuple, gast.List))):
        return []
    plain = [target for target in node.targets if isinstance(target, gast.Name)]
    return [name for target in plain for name in names_bound(target)]


def parts_of(value: Any) -> list[Any] | None:
    """Return what a display holds; None of anything else."""
    if isinstance(value, (gast.Tuple, gast.List, gast.Set)):
        return list(value.elts)
    return list(value.values) if isinstance(value, gast.Dict) else None


def _is_number(node: Any) -> bool:
    return isinstance(node, gast.Constant) and type(node.value) in (int, float)


def is_place(index: Any, counts: set[str]) -> bool:
    """Say whether an index is a whole number, or an array of such: ``x[i]`` is no part of `x`."""
    if isinstance(index, gast.Name):
        return index.id in counts
    if isinstance(index, gast.UnaryOp):
        return is_place(index.operand, counts)
    if isinstance(index, gast.BinOp):
        return all(is_place(side, counts) for side in (index.left, index.right))
    return _is_number(index)
