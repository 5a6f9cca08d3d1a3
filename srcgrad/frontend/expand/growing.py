"""Says how long a list is where straight code makes and extends it."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any, Final

from srcgrad.frontend.expand.values import Items, Known, Value
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.walk import names_bound, names_read, walk

_DISPLAYS: Final = (gast.List, gast.Tuple)
COMPARISONS: Final[dict[type, Callable[[int, int], bool]]] = {
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
}


def compared_lengths(test: Any, look: Callable[[str], Value], block: list[Any]) -> bool | None:
    """Return what ``len(xs) == 1`` gives after the statements of a block, or None if unknown.

    `look` says what a name means.
    """
    compare = COMPARISONS.get(type(test.ops[0]))
    sides = [_number(side, look, block) for side in (test.left, *test.comparators)]
    asks = any(map(_is_length, (test.left, *test.comparators)))
    if compare is None or not asks or len(sides) != 2 or sides[0] is None or sides[1] is None:
        return None
    return compare(sides[0], sides[1])


def _number(side: Any, look: Callable[[str], Value], block: list[Any]) -> int | None:
    if isinstance(side, gast.Constant):
        return int(side.value) if type(side.value) is int else None
    asks = look("len") if _is_length(side) else None
    if not isinstance(asks, Known) or asks.value is not builtins.len:
        return None
    held = look(side.args[0].id)
    if isinstance(held, Items):
        return len(held.values)
    return length_here(str(held.id), block) if isinstance(held, gast.Name) else None


def _is_length(node: Any) -> bool:
    named = isinstance(node, gast.Call) and getattr(node.func, "id", "") == "len"
    return named and len(node.args) == 1 and isinstance(node.args[0], gast.Name)


def length_here(name: str, block: list[Any]) -> int | None:
    """Return how many entries a list has after the statements of a block that has made it.

    None if it is made elsewhere, or if something else may reach and change it.

    >>> from srcgrad.compiler.doctesting import parse
    >>> length_here("xs", parse("xs = []; xs.append(a); y = xs[0]; xs.append(b)"))
    2
    >>> length_here("xs", parse("xs = []; g(xs)")), length_here("xs", parse("xs.append(a)"))
    (None, None)
    """
    length = None
    for statement in block:
        if isinstance(statement, gast.Assign) and name in names_bound(statement.targets[0]):
            length = _display_length(name, statement)
        elif length is not None and _grows(name, statement):
            length += 1
        elif length is not None and not _only_reads(name, statement):
            length = None
    return length


def _display_length(name: str, statement: Any) -> int | None:
    value = statement.value
    alone = len(statement.targets) == 1 and isinstance(statement.targets[0], gast.Name)
    if not alone or not isinstance(value, _DISPLAYS) or name in names_read(value):
        return None
    spread = any(isinstance(item, gast.Starred) for item in value.elts)
    return None if spread else len(value.elts)


def _grows(name: str, statement: Any) -> bool:
    """Say whether a statement puts one entry into a list, and does nothing else with it."""
    change = change_of(statement)
    if change is None or change.name != name or change.method not in ("append", "insert"):
        return False
    return name not in names_read(change.value) and change.value is not None


def _only_reads(name: str, statement: Any) -> bool:
    """Say whether a statement reads entries of a list or its length, if it names it at all."""
    uses = reads = 0
    for node in walk(statement):
        if isinstance(node, gast.Name) and node.id == name:
            uses += 1
        elif isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load):
            reads += getattr(node.value, "id", None) == name
        elif isinstance(node, gast.Call) and getattr(node.func, "id", None) == "len":
            reads += len(node.args) == 1 and getattr(node.args[0], "id", None) == name
    return uses == reads
