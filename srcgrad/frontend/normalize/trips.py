"""Reads and rewrites the body of a checkpointed loop: what one trip binds, writes and leaves."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.walk import blocks_of, names_bound, names_read, statements, walk


def filled(body: list[Any]) -> list[Any]:
    """Return a body in which empty blocks have a `pass`."""
    for statement in statements(body):
        if isinstance(statement, (gast.If, gast.For, gast.While, gast.With)):
            statement.body = statement.body or [at(gast.Pass(), statement)]
    return body


def binds(statement: Any) -> list[str]:
    """Return the names that a statement itself binds or updates."""
    if isinstance(statement, (gast.For, gast.AugAssign, gast.AnnAssign)):
        return names_bound(statement.target)
    if isinstance(statement, gast.With):
        found = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return [name for target in found for name in names_bound(target)]
    return [n for target in getattr(statement, "targets", []) for n in names_bound(target)]


def rebinds(statement: Any) -> list[str]:
    """Return the names that a statement itself binds anew."""
    return [] if isinstance(statement, gast.AugAssign) else binds(statement)


def sure(statement: Any) -> set[str]:
    """Return the names that a statement binds on every path."""
    found = set(binds(statement))
    if isinstance(statement, gast.For):
        return set()
    if isinstance(statement, gast.If):
        ends = [set().union(*map(sure, part)) for part in (statement.body, statement.orelse)]
        return ends[0] & ends[1]
    if isinstance(statement, gast.With):
        return found.union(*map(sure, statement.body))
    return found


def stored(loop: Any) -> set[str]:
    """Return the variables that a loop may write into."""
    return {n for s in statements([loop]) for n in names_read(s)}


def rebinding(body: list[Any], names: set[str]) -> list[Any]:
    """Return a body in which updates of some names bind them anew."""
    done: list[Any] = []
    for statement in body:
        for part in blocks_of(statement):
            part[:] = rebinding(part, names)
        name = getattr(getattr(statement, "target", None), "id", "")
        if isinstance(statement, gast.AugAssign) and name in names:
            value = gast.BinOp(load(name), statement.op, statement.value)
            done.append(assign(name, value, statement))
        else:
            done.append(statement)
    return done


def flagging(body: list[Any], flag: str) -> list[Any]:
    """Return a loop's body with a flag in the place of its jumps out of the loop."""
    done: list[Any] = []
    for statement in body:
        if isinstance(statement, gast.Break):
            done.append(assign(flag, gast.Constant(True, None), statement))
            continue
        if not isinstance(statement, (gast.For, gast.While)):
            for part in blocks_of(statement):
                part[:] = flagging(part, flag)
        done.append(statement)
    return done


def without_jumps(body: list[Any]) -> list[Any]:
    """Return a loop's body that never leaves the loop, for analyses of what it writes."""
    return flagging(body, "_")


def has_keys(body: list[Any], name: str) -> bool:
    """Say whether a variable is read or written by string keys, as dicts are."""
    return any(
        isinstance(getattr(getattr(item, "slice", None), "value", None), str)
        for item in _subscripts(body, name)
    )


def is_sliced(body: list[Any], name: str) -> bool:
    """Say whether a variable is surely an array: something is written into a slice of it."""
    return any(
        isinstance(item.ctx, gast.Store)
        and any(isinstance(part, (gast.Slice, gast.Tuple)) for part in walk(item.slice))
        for item in _subscripts(body, name)
    )


def _subscripts(body: list[Any], name: str) -> list[Any]:
    return [
        item
        for statement in body
        for item in walk(statement)
        if isinstance(item, gast.Subscript) and getattr(item.value, "id", None) == name
    ]
