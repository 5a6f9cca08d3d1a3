"""Reads a value under its first name where a temporary is only another name for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.program import bound_by, count_binds
from srcgrad.ir.walk import blocks_of, found_in, statements


def propagate_copies(
    body: list[Any], is_temporary: Callable[[str], bool], parameters: tuple[str, ...]
) -> list[Any]:
    """Return `body` without copies ``t = s`` of temporaries, where neither is bound again.

    What is copied has to be bound before: else the copy raises, or holds what another trip left.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... a = x * 2
    ... b = a
    ... y = a + b
    ... ''')
    >>> print(text(propagate_copies(body, {"a", "b"}.__contains__, ("x",))))
    a = x * 2
    y = a + a
    """
    binds = count_binds(body)
    binds.update(parameters)
    names: dict[str, str] = {}
    bound = set(parameters)
    for statement in statements(body):
        target, source = copy_in(statement)
        once = target and binds[target] == 1 and binds[source] == 1 and source in bound
        if once and is_temporary(target) and not CLOSING.of(statement):
            names[target] = source
        bound.update(bound_by(statement))
    return _apply(body, names) if names else body


def copy_in(statement: Any) -> tuple[str, str]:
    """Return `t` and `s` of a statement ``t = s``; of others two empty strings."""
    if statement.__class__ is gast.Assign and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if target.__class__ is gast.Name and value.__class__ is gast.Name:
            return target.id, value.id
    return "", ""


def _apply(body: list[Any], names: dict[str, str]) -> list[Any]:
    final = {name: _first(name, names) for name in names}
    kept = _without(body, final)
    for statement in kept:
        for node in found_in(statement, gast.Name):
            node.id = final.get(node.id, node.id)
    return kept


def _first(name: str, names: dict[str, str]) -> str:
    while name in names:
        name = names[name]
    return name


def _without(block: list[Any], gone: dict[str, str]) -> list[Any]:
    kept = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _without(part, gone)
        if copy_in(statement)[0] not in gone:
            kept.append(statement)
    return kept
