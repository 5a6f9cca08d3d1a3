"""Notes on each expression where in the user's text it comes from, which its copies keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from srcgrad.ir import gast
from srcgrad.ir.marks import ORIGIN
from srcgrad.ir.walk import INNER, statements
from srcgrad.spans import Span

_NOTED = (gast.expr, gast.stmt)


class _IsNoted(dict[type, bool]):
    """Whether the nodes of a kind are noted."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, _NOTED)
        return self[kind]


_IS_NOTED = _IsNoted()


class Origin(NamedTuple):  # there is one for each node, so that it has to be made fast
    """A stretch of a user's file; lines count from 1, columns from 0 and in bytes, as in `ast`.

    `file` and `text`, its first line, are empty if it lies in the file of the function itself.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    file: str = ""
    text: str = ""


def origin_of(node: Any) -> Origin | None:
    """Return where an expression, or the value of a statement, comes from."""
    found: Origin | None = ORIGIN.of(node)
    return found


def note_foreign(node: Any, file: str, text: Callable[[int], str]) -> None:
    """Note where a node comes from, before it is given the place of a call in another function."""
    here = _here(node)
    if here is not None and not ORIGIN.is_on(node):
        ORIGIN.put(node, here._replace(file=file, text=text(here.line).strip()))


def foreign_span(node: Any) -> Span | None:
    """Return where a node stands in the helper that was put in the place of its call, or None."""
    found = origin_of(node)
    if found is None or not found.file:
        return None
    return Span(found.file, found.line, text=found.text)


def note_origins(body: Iterable[Any]) -> None:
    """Note for the user's statements and all expressions in them where they stand.

    Statements that are made for one later, and placed with `at`, get its note.
    """
    for statement in statements(list(body)):
        for node in _noted_in(_headers(statement)):
            if node.origin is None:
                node.origin = _here(node)
        value = getattr(statement, "value", None)
        _note(statement, origin_of(value) or _here(statement))


def spread_origins(body: Iterable[Any]) -> None:
    """Give the expressions of each statement that have no note of their own that of the statement.

    >>> adjoint = gast.parse("grad_a = 2 * grad_b").body[0]
    >>> ORIGIN.put(adjoint, Origin(7, 4, 7, 9))
    >>> spread_origins([adjoint])
    >>> adjoint.value.right.origin.line
    7
    """
    for statement in statements(list(body)):
        found = origin_of(statement)
        for node in _noted_in(_headers(statement)) if found is not None else ():
            if node.origin is None:
                node.origin = found


def _headers(statement: Any) -> list[Any]:
    """Return the expressions of a statement that are not those of statements in it."""
    if statement.__class__ is gast.Assign:  # as most are
        return [statement.value, *statement.targets]
    found = [getattr(statement, name, None) for name in ("value", "test", "iter", "target")]
    return [item for item in [*found, *getattr(statement, "targets", ())] if item is not None]


def _note(node: Any, origin: Origin | None) -> None:
    if origin is not None and isinstance(node, _NOTED) and not ORIGIN.is_on(node):
        ORIGIN.put(node, origin)


def _noted_in(waiting: list[Any]) -> list[Any]:
    """Return the nodes of expressions that are noted, in no order."""
    found: list[Any] = []
    for node in waiting:
        kind = node.__class__
        if _IS_NOTED[kind]:
            found.append(node)
        if kind is gast.BinOp:  # as most are that hold others
            waiting += node.left, node.right
        elif kind is not gast.Constant and (kind is not gast.Name or node.annotation is not None):
            for name in INNER[kind]:
                part = getattr(node, name, None)
                if part.__class__ is list:
                    waiting += [item for item in part if isinstance(item, gast.AST)]
                elif isinstance(part, gast.AST):
                    waiting.append(part)
    return found


def _here(node: Any) -> Origin | None:
    place = gast.place_of(node)
    if place is None or not place[0]:
        return None
    line, column, end_line, end_column = place
    column = column or 0
    return Origin(line, column, end_line or line, column if end_column is None else end_column)
