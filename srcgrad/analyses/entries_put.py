"""Finds what a program puts into lists and dicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.walk import names_bound, statements


def entries_put(body: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield what is put into lists and dicts, after the names of those.

    >>> body = gast.parse("a = [x, *y]; a.append(z); a[0] = v; b = {'k': w}").body
    >>> [(name, gast.unparse(value)) for name, value in entries_put(body)]
    [('a', 'x'), ('a', '*y'), ('a', 'z'), ('a', 'v'), ('b', 'w')]
    """
    for statement in statements(body):
        change = change_of(statement)
        if change is not None:
            yield from () if change.value is None else [(change.name, change.value)]
        elif isinstance(statement, gast.Assign):
            target, value = statement.targets[0], statement.value
            if isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name):
                yield target.value.id, value
            elif isinstance(value, (gast.List, gast.Tuple, gast.Dict)):
                items = value.values if isinstance(value, gast.Dict) else value.elts
                yield from ((name, item) for name in names_bound(target) for item in items)
