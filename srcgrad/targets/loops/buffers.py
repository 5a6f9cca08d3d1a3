"""Keeps in a number what only the entry of a nest that makes it reads again."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.entries import is_view

_BLOCKS: Final = ("body", "orelse", "finalbody")


class Numbers:
    """Replaces arrays that one nest makes and reads, at the same entry, by numbers."""

    def __init__(self, function: Any, buffers: set[str], mark: str) -> None:
        self._function = function
        self._buffers = buffers
        self._mark = mark

    def replace(self) -> None:
        """Replace what can be."""
        uses: dict[str, int] = {}
        for node in found_in(self._function, gast.Name):
            uses[node.id] = uses.get(node.id, 0) + 1
        self._block(self._function, uses)

    def _block(self, owner: Any, uses: dict[str, int]) -> None:
        for name in _BLOCKS:
            body = getattr(owner, name, None)
            if not isinstance(body, list) or not body:
                continue
            for statement in list(body):
                self._block(statement, uses)
            for statement in [item for item in body if _binds_buffer(item, self._buffers)]:
                target, buffer = statement.targets[0].id, statement.value.id
                if uses[target] == 1:  # nothing reads it after the nest
                    self._to_number(body, statement, buffer)

    def _to_number(self, body: list[Any], bound: Any, buffer: str) -> None:
        made = next(
            (item for item in body if _is_made(item, buffer)),
            None,
        )
        if made is None or _bodies_with(body, buffer) != 2:
            return
        body.remove(bound)
        body.remove(made)
        target = bound.targets[0].id
        for statement in body:
            _replace_entries(statement, buffer, f"{self._mark}{target}")


def _binds_buffer(statement: Any, buffers: set[str]) -> bool:
    return (
        isinstance(statement, gast.Assign)
        and isinstance(statement.targets[0], gast.Name)
        and isinstance(statement.value, gast.Name)
        and statement.value.id in buffers
    )


def _is_made(statement: Any, buffer: str) -> bool:
    return (
        isinstance(statement, gast.Assign)
        and isinstance(statement.targets[0], gast.Name)
        and statement.targets[0].id == buffer
    )


def _replace_entries(node: Any, buffer: str, name: str) -> None:
    for field_name in getattr(node, "_fields", ()):
        part = getattr(node, field_name, None)
        items = part if isinstance(part, list) else [part]
        for place, item in enumerate(items):
            if isinstance(item, gast.Subscript) and getattr(item.value, "id", "") == buffer:
                number = gast.Name(name, item.ctx, None, None)
                if isinstance(part, list):
                    part[place] = number
                else:
                    setattr(node, field_name, number)
            elif isinstance(item, gast.AST):
                _replace_entries(item, buffer, name)


def _bodies_with(body: list[Any], buffer: str) -> int:
    """Return in how many innermost loops an array is met."""
    found = 0
    for statement in body:
        if isinstance(statement, gast.For):
            found += _bodies_with(statement.body, buffer)
    plain = [item for item in body if not isinstance(item, gast.For) and not _is_made(item, buffer)]
    names = {node.id for item in plain for node in found_in(item, gast.Name)}
    return found + (buffer in names)


def drop_parts(owner: Any, read: set[str]) -> None:
    """Drop names of parts of arrays that nothing reads."""
    for name in _BLOCKS:
        body = getattr(owner, name, None)
        if not isinstance(body, list):
            continue
        for statement in body:
            drop_parts(statement, read)
        is_dropped = [
            isinstance(item, gast.Assign)
            and is_view(item.value)
            and all(isinstance(t, gast.Name) and t.id not in read for t in item.targets)
            for item in body
        ]
        if not all(is_dropped):
            body[:] = [item for item, dropped in zip(body, is_dropped, strict=True) if not dropped]
