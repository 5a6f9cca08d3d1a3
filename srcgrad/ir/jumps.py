"""Finds the jumps of a block: what leaves a loop, goes on with the next trip, or returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of

SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
_LOOPS = (gast.For, gast.While)
_SIMPLE = frozenset({gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Pass, gast.Raise})


def inner_blocks(statement: Any) -> Iterator[list[Any]]:
    """Yield the blocks of a statement, those of cases included."""
    yield from blocks_of(statement)
    for case in getattr(statement, "cases", ()):
        yield case.body


def jumps(block: list[Any], *, in_loop: bool = False) -> Iterator[Any]:
    r"""Yield the `return`, `break` and `continue` by which a block may be left.

    `in_loop` says that the block is the body of an inner loop, whose `break` stays inside.

    >>> tree = gast.parse("for a in b:\n  if c: break\n  while d: continue\n  return e")
    >>> [type(item).__name__ for item in jumps(tree.body)]
    ['Return']
    >>> [type(item).__name__ for item in jumps(tree.body[0].body)]
    ['Break', 'Return']
    """
    stack = [(statement, in_loop) for statement in reversed(block)]
    while stack:
        statement, inside = stack.pop()
        kind = statement.__class__
        if kind in _SIMPLE or isinstance(statement, SCOPES):
            continue
        if kind is gast.Return or (kind in (gast.Break, gast.Continue) and not inside):
            yield statement
        elif isinstance(statement, _LOOPS):
            stack += [(item, inside) for item in reversed(statement.orelse)]
            stack += [(item, True) for item in reversed(statement.body)]
        else:
            inner = [item for part in inner_blocks(statement) for item in part]
            stack += [(item, inside) for item in reversed(inner)]


def breaks_out(loop: Any) -> bool:
    """Say whether a loop has a `break` of its own."""
    return any(isinstance(item, gast.Break) for item in jumps(loop.body))


def falls_through(block: list[Any]) -> bool:
    """Say whether a block may be left at its end."""
    if not block:
        return True
    last = block[-1]
    if isinstance(last, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return False
    if isinstance(last, gast.If):
        return falls_through(last.body) or falls_through(last.orelse)
    if isinstance(last, gast.With):
        return falls_through(last.body)
    if isinstance(last, gast.Try):
        ends = falls_through(last.body) and falls_through(last.orelse)
        ends = ends or any(falls_through(handler.body) for handler in last.handlers)
        return ends and falls_through(last.finalbody)
    if isinstance(last, gast.While):
        return not (is_endless(last) and not breaks_out(last))
    return True


def is_endless(loop: Any) -> bool:
    """Say whether a loop is ``while True``, or the like."""
    test = getattr(loop, "test", None)
    return isinstance(test, gast.Constant) and bool(test.value)
