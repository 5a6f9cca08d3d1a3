"""Writes updates of variables as the user did, where their kind is not to be decided beforehand."""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.ir.build import at, store
from srcgrad.ir.walk import blocks_of


def restore_updates(block: list[Any]) -> None:
    """Turn each ``x = x + v`` that stems from ``x += v`` into that again, in place.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("x = x * v")
    >>> body[0].in_place = True
    >>> restore_updates(body)
    >>> print(text(body))
    x *= v
    """
    for position, statement in enumerate(block):
        for part in blocks_of(statement):
            restore_updates(part)
        if getattr(statement, "in_place", False) and isinstance(statement.value, gast.BinOp):
            value, name = statement.value, statement.targets[0].id
            block[position] = at(gast.AugAssign(store(name), value.op, value.right), statement)


def as_bindings(block: list[Any]) -> list[Any]:
    """Return a block with each ``x += v`` written as ``x = x + v``, for analyses of values.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(as_bindings(parse("x += v"))))
    x = x + v
    """
    done: list[Any] = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = as_bindings(part)
        if isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
            name = statement.target.id
            left = gast.Name(name, gast.Load(), None, None)
            value = gast.BinOp(left, statement.op, statement.value)
            done.append(at(gast.Assign([store(name)], value, None), statement))
        else:
            done.append(statement)
    return done
