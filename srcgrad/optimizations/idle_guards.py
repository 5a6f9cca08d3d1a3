"""Drops the question whether a variable is bound where Python itself would say."""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import blocks_of, names_bound, statements


def drop_idle_guards(body: list[Any]) -> list[Any]:
    """Return a body that asks whether a name is bound to None only if it may be.

    A read of what nothing has bound raises by itself, but as that of a global if nothing binds it.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... s = None
    ... t = x[0]
    ... if s is None:
    ...     raise UnboundLocalError("s")
    ... if t is None:
    ...     raise UnboundLocalError("t")
    ... if u is None:
    ...     raise UnboundLocalError("u")
    ... ''')
    >>> print(text(drop_idle_guards(body)))
    s = None
    t = x[0]
    if s is None:
        raise UnboundLocalError("s")
    raise UnboundLocalError("u")
    """
    if not any(_is_guard(item) for item in statements(body)):
        return body
    bound = bound_names(body)
    nothing = {
        name
        for item in statements(body)
        if isinstance(item, gast.Assign) and getattr(item.value, "value", item) is None
        for target in item.targets
        for name in names_bound(target)
    }

    def kept(block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            if not _is_guard(statement) or statement.test.left.id in nothing:
                done.append(statement)
            elif statement.test.left.id not in bound:
                done += statement.body
        for statement in done:
            for part in blocks_of(statement):
                part[:] = kept(part)
        return done

    return kept(body)


def _is_guard(statement: Any) -> bool:
    if not isinstance(statement, gast.If) or not isinstance(statement.body[0], gast.Raise):
        return False
    error, test = statement.body[0].exc, statement.test
    asks = isinstance(test, gast.Compare) and isinstance(test.ops[0], gast.Is)
    named = asks and isinstance(test.left, gast.Name) and not statement.orelse
    return named and getattr(getattr(error, "func", None), "id", "") == "UnboundLocalError"
