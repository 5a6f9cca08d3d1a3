"""Knows the fields of objects that a text reads into variables before all else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from srcgrad.frontend.rebinding import Variable
from srcgrad.frontend.source import FunctionSource, Path
from srcgrad.ir.build import clone
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.scopes import Binding


def all_fields_read(source: FunctionSource) -> list[Any]:
    """Return the statements that read the fields of objects, one for each."""
    return [clone(statement) for statement in source.tree.body[: len(source.fields)]]


def fields_read(reads: list[Any], body: list[Any]) -> list[Any]:
    """Return copies of those reads whose variables a body reads before it binds them."""
    live = walk_live(body, set()) if reads else set()
    return [clone(item) for item in reads if item.targets[0].id in live]


def outside_written(sources: Iterable[FunctionSource]) -> dict[str, Binding]:
    """Return the names outside that functions write, as their texts reach them."""
    leaves = (item for source in sources for item in source.leaves)
    return {item.parameter: item.binding for item in leaves if item.binding is not None}


def names_written(source: FunctionSource) -> frozenset[Variable]:
    """Return the names of modules that are variables of a function, which may bind them anew."""
    known = (item.binding for item in source.leaves if item.binding is not None)
    return frozenset((b.holder.get("__name__"), b.name) for b in known if type(b.holder) is dict)


def stored_fields(
    source: FunctionSource, names: Collection[str]
) -> frozenset[tuple[str, Path, Any]]:
    """Return the fields that are written, given the names whose memory is.

    Of each: the name by which the object is reached, the steps to it, and that of the field, or the
    key of the entry. An object whose fields are bound anew is among them without a field.
    """
    objects = (item for item in source.leaves if item.is_held and () not in item.names)
    held = {(item.parameter, item.path, "") for item in objects}
    return frozenset(held) | {
        (item.parameter, path[:-1], getattr(path[-1], "key", path[-1]))
        for item in source.leaves
        for path, name in item.names.items()
        if name in names and path
    }
