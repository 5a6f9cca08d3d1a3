"""Writes `finally` as a handler, where a `try` around it may go on after what was raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.jumps import falls_through
from srcgrad.ir.marks import CAUGHT
from srcgrad.ir.walk import blocks_of


def without_last_steps(
    body: list[Any],
    name: Callable[[str], str],
    is_seen: Callable[[list[Any], Any], bool],
    around: tuple[Any, ...] = (),
) -> list[Any]:
    """Return a body some of whose last steps follow their `try`, and raise again after them.

    Those do whose effects a `try` around them sees that goes on after what was raised.
    `is_seen(block, attempt)` says so, and `around` are those that hold the body.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... try:
    ...     try:
    ...         a = x[0]
    ...     finally:
    ...         total = total + a
    ... except IndexError:
    ...     total = 0.0
    ... ''')
    >>> print(text(without_last_steps(body, lambda wish: wish, lambda block, attempt: True)))
    try:
        error = None
        try:
            a = x[0]
        except BaseException as problem:
            pass
        total = total + a
        if error is not None:
            raise error
    except IndexError:
        total = 0.0
    """
    done: list[Any] = []
    for statement in body:
        handlers = getattr(statement, "handlers", ())
        goes_on = any(falls_through(handler.body) for handler in handlers)
        for part in blocks_of(statement):
            within = (*around, statement) if goes_on and part is statement.body else around
            part[:] = without_last_steps(part, name, is_seen, within)
        last = list(getattr(statement, "finalbody", []))
        if last and any(is_seen(last, attempt) for attempt in around):
            done += _raised_again(statement, name("error"), name("problem"))
        else:
            done.append(statement)
    return done


def _raised_again(node: Any, error: str, problem: str) -> list[Any]:
    """Return a `try` without its last steps, those, and what raises what was raised."""
    kind, caught = load("BaseException"), gast.Name(problem, gast.Store(), None, None)
    handler: Any = at(gast.ExceptHandler(kind, caught, []), node)
    handler.body = [at(gast.Pass(), node)]
    CAUGHT.put(handler, [assign(error, load(problem), node)])
    inner = node.body
    if node.handlers:
        inner = [at(gast.Try(node.body, node.handlers, node.orelse, []), node)]
    nothing = gast.Constant(None, None)
    test = gast.Compare(load(error), [gast.IsNot()], [nothing])
    again = at(gast.If(test, [at(gast.Raise(load(error), None), node)], []), node)
    attempt = at(gast.Try(inner, [handler], [], []), node)
    return [assign(error, nothing, node), attempt, *node.finalbody, again]
