"""Finds the choices in statements: ``a if c else b``, and ``getattr(x, "name", b)``.

What they choose from are parts of a function of which a call comes by one, as branches are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone
from srcgrad.ir.evaluation import Place, part_at, places_in, put_at
from srcgrad.ir.walk import walk

_WITH_VALUES: Final = (gast.Assign, gast.AnnAssign, gast.Return)
_ACTING: Final = (gast.Call, gast.Attribute, gast.NamedExpr, gast.Await, gast.Yield, gast.YieldFrom)
"""What may do something, so that a test of what follows is not asked before it."""


class Choice(NamedTuple):
    """Two expressions of which one is evaluated, and where they stand."""

    place: Place
    test: Any
    then: Any
    other: Any


def first_choice(statement: Any) -> Choice | None:
    """Return the choice in a statement before which nothing happens there; None without one.

    >>> (line,) = gast.parse("y = 2 * np.sum(x.values if hasattr(x, 'values') else x)").body
    >>> gast.unparse(first_choice(line).then)
    'x.values'
    >>> (line,) = gast.parse("y = f(x) * (a if b else c)").body
    >>> first_choice(line)
    """
    if not isinstance(statement, _WITH_VALUES) or statement.value is None:
        return None
    return _first_in((statement, "value", None))


def _first_in(place: Place) -> Choice | None:
    node = part_at(place)
    if (choice := _choice_of(node)) is not None:
        return Choice(place, *choice)
    for inner in places_in(node):
        found = _first_in(inner)
        if found is not None or _acts(part_at(inner)):
            return found
    return None


def _choice_of(node: Any) -> tuple[Any, Any, Any] | None:
    if isinstance(node, gast.IfExp):
        return node.test, node.body, node.orelse
    return asked_with_default(node)


def asked_with_default(node: Any) -> tuple[Any, Any, Any] | None:
    """Return what ``getattr(x, "name", default)`` chooses by, and from; None of anything else."""
    if not isinstance(node, gast.Call) or getattr(node.func, "id", "") != "getattr":
        return None
    plain = len(node.args) == 3 and not node.keywords and isinstance(node.args[0], gast.Name)
    if not plain or not isinstance(getattr(node.args[1], "value", None), str):
        return None
    owner, name, default = node.args
    test = at(call("hasattr", clone(owner), clone(name)), node)
    return test, at(gast.Attribute(clone(owner), name.value, gast.Load()), node), default


def ends_around(statement: Any, line: int, column: int) -> Iterator[Any]:
    """Yield what is chosen around a place in a statement, but for choices, the outermost first."""
    statement = clone(statement)
    if (line, column) == (statement.lineno, statement.col_offset):  # of which all is meant
        whole: Any = getattr(statement, "value", None)
        if asked_with_default(whole) is not None:
            line, column = whole.lineno, whole.col_offset
    while (choice := first_choice(statement)) is not None:
        inside = [end for end in (choice.then, choice.other) if _is_around(end, line, column)]
        yield from (end for end in inside if is_end(end))
        put_at(choice.place, inside[0] if inside else min(choice.then, choice.other, key=_acts))


def is_end(node: Any) -> bool:
    """Say whether what is chosen is no choice itself, which begins where its first end does."""
    return _choice_of(node) is None


def _acts(node: Any) -> bool:
    return any(isinstance(item, _ACTING) for item in walk(node))


def _is_around(node: Any, line: int, column: int) -> bool:
    starts, ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return bool(starts <= (line, column) < ends)


def written_out(statement: Any) -> Any:
    r"""Return a statement with a choice as a branch of two statements.

    >>> (line,) = gast.parse("y = np.sum(x.values if hasattr(x, 'values') else x)").body
    >>> print(gast.unparse(written_out(line)))
    if hasattr(x, 'values'):
        y = np.sum(x.values)
    else:
        y = np.sum(x)
    """
    choice = first_choice(statement)
    if choice is None:
        return statement
    ways = []
    for end in (choice.then, choice.other):
        put_at(choice.place, end)
        ways.append([clone(statement)])
    return at(gast.If(choice.test, *ways), statement)
