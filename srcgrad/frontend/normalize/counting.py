"""Finds checkpointed loops, and lets those over a condition count."""

from __future__ import annotations

import itertools
from types import CellType
from typing import Any

from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import at, load, store
from srcgrad.ir.marks import NATURAL
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import blocks_of, found_in, statements
from srcgrad.runtime.long_loops import checkpointed


def counted(body: list[Any], reader: Reader) -> list[Any]:
    """Write ``while checkpointed(condition)`` as a checkpointed loop that counts, and breaks.

    >>> from srcgrad.compiler.doctesting import reader_of, parse, text
    >>> body = parse('''
    ... while checkpointed(u > 1.0, budget=20):
    ...     u = np.sin(u)
    ... ''')
    >>> print(text(counted(body, reader_of(checkpointed=checkpointed))))
    for _ in checkpointed(itertools.count(), budget=20):
        if not u > 1.0:
            break
        u = np.sin(u)
    """
    done: list[Any] = []
    for statement in body:
        for part in blocks_of(statement):
            part[:] = counted(part, reader)
        if isinstance(statement, gast.While) and is_checkpointed(statement.test, reader):
            done.append(_counting(statement, reader))
        else:
            done.append(statement)
    return done


def _counting(loop: Any, reader: Reader) -> Any:
    test, *budget = loop.test.args
    name = "itertools"
    if reader.scope.lookup(name) is not itertools:
        name = bind_outside(reader, name, itertools)
    count = gast.Call(gast.Attribute(load(name), "count", gast.Load()), [], [])
    leave = at(gast.Break(), loop)
    NATURAL.put(leave, True)  # the `else` of the loop runs, as after its condition has failed
    stop = at(gast.If(gast.UnaryOp(gast.Not(), test), [leave], []), loop)
    steps = gast.Call(loop.test.func, [count, *budget], loop.test.keywords)
    return at(gast.For(store("_"), steps, [stop, *loop.body], loop.orelse, None), loop)


def plainly(body: list[Any], reader: Reader) -> list[Any]:
    """Return a body whose checkpointed loops are plain ones."""
    for statement in statements(body):
        if isinstance(statement, gast.For) and is_checkpointed(statement.iter, reader):
            statement.iter = statement.iter.args[0]
        elif isinstance(statement, gast.While) and is_checkpointed(statement.test, reader):
            statement.test = statement.test.args[0]
    return body


def refuse_elsewhere(body: list[Any], reader: Reader, refusals: Refusals) -> None:
    """Refuse ``checkpointed(...)`` where it is not the head of a loop."""
    calls = [node for statement in body for node in found_in(statement, gast.Call)]
    calls = [node for node in calls if is_checkpointed(node, reader)]
    if not calls:
        return
    heads = {
        id(head)
        for statement in statements(body)
        for head in (getattr(statement, "iter", None), getattr(statement, "test", None))
    }
    for node in calls:
        if id(node) not in heads:
            refusals.add(
                node,
                "`checkpointed` inside of an expression",
                "write `for item in checkpointed(...)` or `while checkpointed(...)`",
            )


def is_checkpointed(node: Any, reader: Reader) -> bool:
    """Say whether an expression is ``checkpointed(...)``."""
    called = isinstance(node, gast.Call) and reader.scope.resolve(node.func) is checkpointed
    return called and bool(node.args)


def bind_outside(reader: Reader, name: str, value: Any) -> str:
    """Let a name of the function mean an object from outside."""
    reader.scope.used[name] = Binding(name, value, CellType(value))
    return name
