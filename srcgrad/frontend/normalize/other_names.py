"""Lets lists and dicts that have two names go by the first, where they are changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.displays import makes_list
from srcgrad.ir.operations import Reader
from srcgrad.ir.walk import blocks_of, found_in, root_name, statements

_SHOWN = (gast.Dict, gast.DictComp)


def by_one_name(body: list[Any], reader: Reader) -> list[Any]:
    """Return a body in which a list that got a second name is read and changed by the first.

    That is known of what is made and named once, outside of branches and loops, and bound to
    nothing else; and so in a branch that is left by `return`. What nobody changes keeps its names.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> body = parse("rows = [x, 2 * x]; same = rows; same[0] = x; y = rows[0]")
    >>> print(text(by_one_name(body, reader_of())))
    rows = [x, 2 * x]
    rows[0] = x
    y = rows[0]
    """
    for block in _left_at_the_end(body):
        block[:] = by_one_name(block, reader)
    names = _other_names(body, reader)
    changed = set(_changed(body)) if names else set()
    changed |= {names.get(name, name) for name in changed}
    names = {name: first for name, first in names.items() if not {name, first}.isdisjoint(changed)}
    if not names:
        return body
    for statement in body:
        for node in found_in(statement, gast.Name):
            node.id = names.get(node.id, node.id)
    return [item for item in body if not _binds_to_itself(item)]


def _left_at_the_end(body: list[Any]) -> Iterator[list[Any]]:
    """Yield the branches of a block that go nowhere from their ends, but out of the function."""
    for statement in body:
        for block in blocks_of(statement) if isinstance(statement, gast.If) else ():
            if block and isinstance(block[-1], gast.Return):
                yield block
            else:
                yield from _left_at_the_end(block)


def _binds_to_itself(statement: Any) -> bool:
    if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
        return False
    return bool(getattr(statement.targets[0], "id", "") == statement.value.id)


def _other_names(body: list[Any], reader: Reader) -> dict[str, str]:
    """Return the second names of lists and dicts, each with the first."""
    bound = Counter(_bound(body))
    found: dict[str, str] = {}
    made: set[str] = set()
    met = set[str]()  # before they are bound, names of a branch mean what they meant around it
    for statement in body:
        targets = statement.targets if isinstance(statement, gast.Assign) else []
        target = targets[0] if len(targets) == 1 else None
        before, met = met, {*met, *(item.id for item in found_in(statement, gast.Name))}
        if not isinstance(target, gast.Name) or bound[target.id] != 1 or target.id in before:
            continue
        source = getattr(statement.value, "id", "")
        if source in made:
            found[target.id] = found.get(source, source)
            made.add(target.id)
        elif _makes_container(statement.value, reader):
            made.add(target.id)
    return found


def _makes_container(value: Any, reader: Reader) -> bool:
    if makes_list(value) or isinstance(value, _SHOWN):
        return True
    callee = reader.scope.resolve(value.func) if isinstance(value, gast.Call) else None
    if callee in (list, dict, sorted):
        return True
    primal = reader.read(value).primal if isinstance(value, gast.Call) else None
    return primal is not None and reader.vocabulary.primitive(primal).is_split


def _bound(body: list[Any]) -> Iterator[str]:
    """Yield a name each time that it is bound; ``xs += ys`` leaves a list what it is."""
    updated = {id(item.target) for item in statements(body) if isinstance(item, gast.AugAssign)}
    for statement in body:
        for node in found_in(statement, gast.Name):
            if not isinstance(node.ctx, gast.Load) and id(node) not in updated:
                yield node.id
        for node in found_in(statement, gast.Global, gast.Nonlocal):
            yield from [*node.names, *node.names]
        for node in found_in(statement, gast.ExceptHandler):
            yield getattr(node.name, "id", "")


def _changed(body: list[Any]) -> Iterator[str]:
    """Yield the names of what is stored into, updated, or called by a method for its effect."""
    for statement in statements(body):
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        for target in targets:
            if isinstance(target, gast.Subscript) or isinstance(statement, gast.AugAssign):
                yield root_name(target) or ""
        if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
            yield root_name(statement.value.func) or ""
