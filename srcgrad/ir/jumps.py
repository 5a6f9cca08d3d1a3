"""Finds the jumps of a block: what leaves a loop, goes on with the next trip, or returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.ir.walk import blocks_of

SCOPES = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
_LOOPS = (gast.For, gast.While)


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
    for statement in block:
        if isinstance(statement, SCOPES):
            continue
        if isinstance(statement, gast.Return) or (
            isinstance(statement, (gast.Break, gast.Continue)) and not in_loop
        ):
            yield statement
        if isinstance(statement, _LOOPS):
            yield from jumps(statement.body, in_loop=True)
            yield from jumps(statement.orelse, in_loop=in_loop)
        else:
            for part in inner_blocks(statement):
                yield from jumps(part, in_loop=in_loop)


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
