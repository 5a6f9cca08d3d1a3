"""Finds the jumps of a block: what leaves a loop, goes on with the next trip, or returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of, found_in

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


def without_continue(body: list[Any]) -> list[Any] | None:
    r"""Return the body of a loop with what a `continue` skips in the other branch of its test.

    None if there is one that this cannot be said of, and the body itself if there is none.

    >>> (loop,) = gast.parse("for a in b:\n  if a > c:\n    d()\n    continue\n  e()").body
    >>> [type(item).__name__ for item in without_continue(loop.body)]
    ['If']
    >>> [len(part) for part in blocks_of(without_continue(loop.body)[0])]
    [1, 1]
    """
    done: list[Any] = []
    for place, statement in enumerate(body):
        if isinstance(statement, gast.Continue):
            return done
        if not any(isinstance(item, gast.Continue) for item in jumps([statement])):
            done.append(statement)
            continue
        if not isinstance(statement, gast.If):
            return None
        rest = body[place + 1 :]
        ends = [not falls_through(part) for part in (statement.body, statement.orelse)]
        if ends == [False, False]:
            return None  # what comes after would stand twice
        ways = [
            without_continue([*part, *([] if ended else rest)])
            for part, ended in zip((statement.body, statement.orelse), ends, strict=True)
        ]
        if ways[0] is None or ways[1] is None:
            return None
        nothing = gast.copy_location(gast.Pass(), statement)
        chosen = gast.If(statement.test, ways[0] or [nothing], ways[1])
        return [*done, gast.copy_location(chosen, statement)]
    return done


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


def surely_runs(loop: Any) -> bool:
    """Say whether a loop runs over what is written out and not empty, each trip to its end.

    >>> from srcgrad.compiler.doctesting import parse
    >>> [surely_runs(parse(f"for i in range({k}): y = i")[0]) for k in ("3", "n", "2, 1")]
    [True, False, False]
    >>> [surely_runs(parse(f"for i in {k}: y = i")[0]) for k in ("(a, b)", "[]", "(*a,)")]
    [True, False, False]
    """
    call = getattr(loop, "iter", None)
    if isinstance(call, (gast.Tuple, gast.List)):
        shown = any(not isinstance(item, gast.Starred) for item in call.elts)
        return shown and not found_in(loop, gast.Break, gast.Continue)
    if not isinstance(call, gast.Call) or getattr(call.func, "id", "") != "range":
        return False
    ends: list[Any] = [getattr(item, "value", None) for item in call.args]
    plain = bool(ends) and all(type(end) is int for end in ends) and 0 not in ends[2:]
    left = found_in(loop, gast.Break, gast.Continue)
    return plain and not left and len(range(*ends)) > 0
