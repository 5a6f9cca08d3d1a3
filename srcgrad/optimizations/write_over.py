"""Lets what an update in place has become by values keep the shape and type of an array."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone
from srcgrad.ir.marks import GUARDED
from srcgrad.ir.walk import statements


def write_over(body: list[Any]) -> bool:
    """Guard ``x_2 = x + v`` where ``x += v`` may give something else; return whether any is.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("x_2 = x * v; n_2 = n + v")
    >>> GUARDED.put(body[0], True)
    >>> write_over(body)
    True
    >>> print(text(body))
    x_2 = written_over(x, x * v)
    n_2 = n + v
    """
    found = False
    for statement in statements(body):
        value = getattr(statement, "value", None)
        if GUARDED.of(statement) and isinstance(statement, gast.Assign):
            GUARDED.put(statement, False)
            if isinstance(value, gast.BinOp) and isinstance(value.left, gast.Name):
                statement.value = call("written_over", clone(value.left), value)
                found = True
    return found


def guarded_names(body: list[Any]) -> set[str]:
    """Return the names that are updated under a guard, before it and after.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse("x_2 = x * v; n_2 = n + v")
    >>> GUARDED.put(body[0], True)
    >>> sorted(guarded_names(body))
    ['x', 'x_2']
    """
    return {
        name.id
        for statement in statements(body)
        if GUARDED.of(statement) and isinstance(statement.value, gast.BinOp)
        for name in (statement.value.left, *statement.targets)
        if isinstance(name, gast.Name)
    }
