"""Knows what may get another length on the way: its `len` is not evaluated again later."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.program import is_store, store_target
from srcgrad.ir.walk import found_in, root_name, statements
from srcgrad.primitives.methods import KEEPING_LENGTH, OF_LISTS


def resized(body: list[Any], known: Collection[str]) -> set[str]:
    r"""Return the names whose `len` is asked for, and may be another one later.

    Lists that grow are followed elsewhere, by all their names. Of what else has methods, is called
    with or stored into, as sets and dicts are, nobody knows the other names: then all that is not
    among the `known` arrays, lists and parameters may change.

    >>> body = gast.parse("n = len(s) + len(a); t = s; t.add(1)").body
    >>> sorted(resized(body, {"a"}))
    ['s']
    >>> resized(gast.parse("n = len(s); a.fill(1)").body, {"a"})
    set()
    """
    changed = {name for statement in statements(body) for name in _changed(statement)}
    if changed <= {*known}:
        return set()
    calls = (call for statement in body for call in found_in(statement, gast.Call) if call.args)
    asked = {
        getattr(call.args[0], "id", "") for call in calls if getattr(call.func, "id", "") == "len"
    }
    return asked.difference(known)


def _changed(statement: Any) -> Iterator[str]:
    """Yield the names of what a statement may lengthen or shorten; an empty one of others."""
    call = statement.value if isinstance(statement, gast.Expr) else None
    if isinstance(call, gast.Call) and isinstance(call.func, gast.Attribute):
        name = getattr(call.func.value, "id", "")
        followed = not name and call.func.attr in OF_LISTS  # a list that lies in another
        if not followed and call.func.attr not in KEEPING_LENGTH:
            yield name
    elif isinstance(call, gast.Call):
        yield ""
    targets = statement.targets if isinstance(statement, gast.Delete) else []
    if is_store(statement):
        targets = [store_target(statement)]
    for target in targets:
        if isinstance(target, gast.Subscript):
            yield root_name(target) or ""
