"""Says what the displays of lists in a program make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import root_name

_JOINING: Final = frozenset({gast.Add, gast.Mult})
_LISTS: Final = frozenset({gast.List, gast.ListComp})


def makes_list(value: Any) -> bool:
    """Say whether an expression is a list display, or such displays joined or repeated."""
    kind = value.__class__
    if kind is gast.BinOp:
        joins = value.op.__class__ in _JOINING
        return joins and (makes_list(value.left) or makes_list(value.right))
    return kind in _LISTS


def lists_have(value: Any, scope: Scope) -> bool:
    """Say whether a value is what a method gives that lists have, as arrays do: ``x.copy()``."""
    method = getattr(getattr(value, "func", None), "attr", "")
    return hasattr(list, method) and scope.resolve(value.func) is MISSING


def repeated_entries(value: Any) -> list[Any] | None:
    """Return the entries that ``[v] * n`` holds several times; None of other expressions."""
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, gast.Mult):
        return None
    shown = [side for side in (value.left, value.right) if isinstance(side, gast.List)]
    return list(shown[0].elts) if len(shown) == 1 else None


def makes_table(value: Any, scope: Scope) -> bool:
    """Say whether an expression makes a list or dict of rows of numbers, each row anew."""
    if isinstance(value, (gast.List, gast.Dict)):
        rows = value.elts if isinstance(value, gast.List) else value.values
        return bool(rows) and all(makes_row(item, scope) for item in rows)
    if isinstance(value, gast.DictComp):
        return makes_row(value.value, scope)
    return isinstance(value, gast.ListComp) and makes_row(value.elt, scope)


def makes_row(value: Any, scope: Scope) -> bool:
    """Say whether an expression makes a list or dict of numbers that are written out."""
    if isinstance(value, gast.ListComp):
        return is_plain_number(value.elt, scope)
    if isinstance(value, gast.DictComp):
        return is_plain_number(value.value, scope)
    if isinstance(value, gast.Dict):
        return None not in value.keys and all(is_plain_number(v, scope) for v in value.values)
    items = value.elts if isinstance(value, gast.List) else repeated_entries(value)
    return items is not None and all(is_plain_number(item, scope) for item in items)


def is_plain_number(value: Any, scope: Scope) -> bool:
    """Say whether an expression is a number that is written out, ``-1.0`` or ``math.inf``.

    It may be one or another: ``1.0 if i == j else 0.0``.
    """
    if isinstance(value, gast.UnaryOp):
        return isinstance(value.op, gast.USub) and is_plain_number(value.operand, scope)
    if isinstance(value, gast.IfExp):
        return is_plain_number(value.body, scope) and is_plain_number(value.orelse, scope)
    if isinstance(value, gast.Call):  # of ``float("inf")``
        written = len(value.args) == 1 and isinstance(value.args[0], gast.Constant)
        return written and not value.keywords and scope.resolve(value.func) is float
    found = value.value if isinstance(value, gast.Constant) else scope.resolve(value)
    return type(found) in (int, float) and isinstance(value, (gast.Constant, gast.Attribute))


def integer_of(value: Any) -> int | None:
    """Return the integer that is written out, ``3`` or ``-1``, or None.

    >>> [integer_of(gast.parse(text).body[0].value) for text in ("-1", "True", "n")]
    [-1, None, None]
    """
    if isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        inner = integer_of(value.operand)
        return None if inner is None else -inner
    found = value.value if isinstance(value, gast.Constant) else None
    return found if type(found) is int else None


def parts_displayed(node: Any) -> list[str]:
    """Return the names of which an expression is, or displays, an element, or one or the other.

    >>> parts_displayed(gast.parse("[a[0], {'k': b.c[1]}, d, e if f else g[0]]").body[0].value)
    ['a', 'b', 'e', 'g']
    """
    if isinstance(node, gast.Subscript):
        name = root_name(node)
        return [] if name is None else [name]
    if isinstance(node, gast.IfExp):
        ends = (node.body, node.orelse)
        named = [end.id for end in ends if isinstance(end, gast.Name)]
        return named + [name for end in ends for name in parts_displayed(end)]
    items = node.values if isinstance(node, gast.Dict) else getattr(node, "elts", [])
    return [name for item in items for name in parts_displayed(item)]


def entries_shown(display: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the entries that a display shows, each with its key if that of a dict."""
    if isinstance(display, gast.Dict):
        pairs = zip(display.keys, display.values, strict=True)
        yield from ((key, value) for key, value in pairs if key is not None)
    else:
        yield from ((None, v) for v in display.elts if not isinstance(v, gast.Starred))


def spread_in(display: Any) -> list[Any]:
    """Return what a display takes all entries from."""
    if isinstance(display, gast.Dict):
        pairs = zip(display.keys, display.values, strict=True)
        return [value for key, value in pairs if key is None]
    return [item.value for item in display.elts if isinstance(item, gast.Starred)]


def copied_from(value: Any) -> Any:
    """Return the name of the list or dict, if it is one, that is copied, or of which a part is."""
    source = None
    if isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice):
        source = value.value
    elif isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
        copies = value.func.attr == "copy" and not value.args and not value.keywords
        source = value.func.value if copies else None
    return source if isinstance(source, gast.Name) else None


def spread_alone(display: Any) -> Any:
    """Return what a list or tuple has all elements of, as ``[*xs]``; None of anything else."""
    alone = isinstance(display, (gast.List, gast.Tuple)) and len(display.elts) == 1
    only = display.elts[0] if alone else None
    return only.value if isinstance(only, gast.Starred) else None


def parts_of_tuple(display: Any) -> list[Any] | None:
    """Return the entries of a tuple that is written out whole; None of anything else."""
    whole = isinstance(display, gast.Tuple) and not spread_in(display)
    return list(display.elts) if whole else None


def _constants(value: Any) -> list[Any]:
    """Return the constants that an expression may be, if it is nothing else."""
    if isinstance(value, gast.IfExp):
        parts = _constants(value.body), _constants(value.orelse)
        return [*parts[0], *parts[1]] if all(parts) else []
    return [value] if isinstance(value, gast.Constant) else []


def table_like(value: Any) -> Any:
    """Return a display like a list of constants, or of lists, that is repeated; else None."""
    if isinstance(value, gast.ListComp):
        inner = _constants(value.elt) or [table_like(value.elt)]
        return None if None in inner else gast.List(list(map(clone, inner)), gast.Load())
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, gast.Mult):
        return None
    shown = [side for side in (value.left, value.right) if isinstance(side, gast.List)]
    items = shown[0].elts if len(shown) == 1 else []
    constant = bool(items) and all(isinstance(item, gast.Constant) for item in items)
    return gast.List([clone(item) for item in items], gast.Load()) if constant else None
