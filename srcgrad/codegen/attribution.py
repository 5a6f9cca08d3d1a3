"""Tells which user line each part of a generated statement comes from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from srcgrad.codegen.printer import Printed
from srcgrad.codegen.tracebacks import Part, UserLine, is_generated
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.marks import ORIGIN
from srcgrad.ir.origins import Origin, origin_of
from srcgrad.ir.walk import INNER, nodes_in
from srcgrad.parsing import parsed

_LEAVES: Final = frozenset(
    kind
    for base in (ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    for kind in (ast.Name, ast.Constant, *base.__subclasses__())
)
_BLOCKS: Final = ("If", "While", "For")
_PLAIN: Final = ("Assign", "AugAssign", "Return", "Expr")


def user_lines(printed: Printed, first: int, source: FunctionSource) -> dict[int, UserLine]:
    """Return the user's line of each line of a definition whose first is number `first`."""
    numbers = {number for number in printed.lines if number}
    known = {number: UserLine(source.file, number, _text(source, number)) for number in numbers}
    return {first + offset: known[n] for offset, n in enumerate(printed.lines) if n}


def _text(source: FunctionSource, number: int) -> str:
    return source.line(number).strip()


def parts_of(printed: Printed, first: int, source: FunctionSource) -> Iterator[Part]:
    """Yield the expressions in a definition that do not come from the line of their statement.

    Of two that lie in each other the outer one is first.
    """
    texts: dict[int, str] = {}

    def user(origin: Origin) -> UserLine:
        if not origin.file and origin.line not in texts:
            texts[origin.line] = _text(source, origin.line)
        text = origin.text if origin.file else texts[origin.line]
        start, end = (origin.line, origin.column), (origin.end_line, origin.end_column)
        return UserLine(origin.file or source.file, origin.line, text, start, end)

    exact = is_generated(source.file)
    wanted: list[tuple[int, Any, _Parts]] = []
    for start, statement in _begun(printed.statements):
        if type(statement).__name__ in _BLOCKS + _PLAIN:
            found = _Parts(user, getattr(statement, "lineno", 0) or 0, exact=exact)
            if found.differ(statement):
                wanted.append((start, statement, found))
    by_line = _by_line(_shortened(printed, [item for _, item, _ in wanted])) if wanted else {}
    for start, statement, found in wanted:
        yield from found.within(statement, by_line.get(start + 1), first)


def _begun(owners: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the number of the line on which each statement begins, or goes on, and it."""
    for place, owner in enumerate(owners):
        if not place or owner is not owners[place - 1]:
            yield place, owner


def _shortened(printed: Printed, wanted: Sequence[Any]) -> str:
    """Return a text with those of its plain statements alone that are wanted, on their lines.

    Most are not, and it takes Python long to parse them.
    """
    kept = set(map(id, wanted))
    lines = printed.text.split("\n")
    before: Any = None
    for place, owner in enumerate(printed.statements):
        if type(owner).__name__ in _PLAIN and id(owner) not in kept:
            line = lines[place]
            begins = owner is not before
            lines[place] = line[: len(line) - len(line.lstrip())] + "pass" if begins else ""
        before = owner
    return "\n".join(lines)


def _by_line(text: str) -> dict[int, ast.stmt]:
    """Return the statements of a text by the numbers of their first lines."""
    try:
        waiting: list[Any] = list(parsed(text).body)
    except SyntaxError:  # it is nested deeper than Python takes, which is said where it is loaded
        return {}
    for node in waiting:
        for name in ("body", "orelse", "handlers", "finalbody"):
            waiting += getattr(node, name, ())
    return {node.lineno: node for node in waiting}


class _Parts:
    """Sets a statement against its printed text."""

    def __init__(self, user: Callable[[Origin], UserLine], line: int, *, exact: bool) -> None:
        self._user = user
        self._line = line
        self._exact = exact

    def differ(self, statement: Any) -> bool:
        """Say whether anything in a statement comes from another line than it is listed under."""
        exact, line = self._exact, self._line
        waiting = _heads(statement)
        for node in waiting:
            origin: Any = ORIGIN.of(node)
            if origin is not None and (exact or origin.file or origin.line != line):
                return True
            if node.__class__ is gast.BinOp:
                waiting += node.left, node.right
            elif node.__class__ is not gast.Name:
                waiting += nodes_in(node)
        return False

    def within(self, statement: Any, again: Any, first: int) -> Iterator[Part]:
        """Yield the parts of a statement that a text, which begins on a line, holds `again`."""
        if type(again).__name__ != type(statement).__name__:
            return  # it goes on there: the `else` of a branch
        outer = Origin(self._line, 0, 0, 0)
        for ours, theirs in zip(_heads(statement), _heads(again), strict=True):
            for node, origin in self._pairs(ours, theirs, outer):
                start = (first + node.lineno - 1, node.col_offset)
                ends = (first + (node.end_lineno or 1) - 1, node.end_col_offset or 0)
                yield Part(start, ends, self._user(origin))

    def _pairs(self, ours: Any, theirs: Any, outer: Origin) -> Iterator[tuple[ast.expr, Origin]]:
        """Yield the nodes of a parsed text that come from elsewhere than what is around them."""
        if theirs.__class__ in _LEAVES or ours.__class__.__name__ != theirs.__class__.__name__:
            return
        origin = _common(ours) or outer
        if isinstance(theirs, ast.expr) and self._place(origin) != self._place(outer):
            yield theirs, origin
        if ours.__class__ is gast.BinOp:  # as most are
            yield from self._pairs(ours.left, theirs.left, origin)
            yield from self._pairs(ours.right, theirs.right, origin)
            return
        for name in INNER[ours.__class__]:
            mine, other = getattr(ours, name, None), getattr(theirs, name, None)
            both = (mine, other) if isinstance(mine, list) else ([mine], [other])
            for one, two in zip(*both, strict=False):
                if one is not None and two is not None:
                    yield from self._pairs(one, two, origin)

    def _place(self, origin: Origin) -> Any:
        """Return what tells origins apart: the line; all of it in text that is generated itself."""
        return origin if self._exact else (origin.file, origin.line)


def _heads(statement: Any) -> list[Any]:
    names = ("value", "test", "iter")
    found = [getattr(statement, name, None) for name in names]
    return [item for item in found if item is not None]


def _common(node: Any) -> Origin | None:
    """Return the origin of an expression; if it was made late, that which all its parts share."""
    own = origin_of(node)
    if own is not None:
        return own
    found = {item for part in nodes_in(node) if (item := _common(part)) is not None}
    return found.pop() if len(found) == 1 else None
