"""Lets the backward pass read parts of arrays where they lie, if nothing writes them any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.program import count_binds
from srcgrad.ir.walk import blocks_of, found_in, statements


def read_in_place(
    body: list[Any], is_copy: Callable[[Any], bool], lasts: Callable[[Any], bool]
) -> None:
    """Leave out the copies of parts that stay as they are, and read the parts under their names.

    `is_copy(node)` says which expressions are copies that the compiler has made of a variable, and
    `lasts(statement)` which statements ``t = y[...]`` read what nothing writes any more.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... part = y[:i]
    ... part_now = copied(part)
    ... y[i] = part @ part
    ... grad_part = part_now * grad
    ... ''')
    >>> read_in_place(body, lambda node: isinstance(node, gast.Call), lambda statement: True)
    >>> print(text(body))
    part = y[:i]
    y[i] = part @ part
    grad_part = part * grad
    """
    every = [item for item in statements(body) if _only_target(item)]
    found = [item for item in every if is_copy(item.value)]
    if not found:
        return
    binds = count_binds(body)
    copies: dict[str, str] = {}
    for item in found:
        name = _only_target(item)
        if binds[name] == 1:
            copies[name] = item.value.args[0].id
    sources = set(copies.values())
    lasting = {
        name
        for item in every
        if (name := _only_target(item)) in sources and binds[name] == 1 and lasts(item)
    }
    chosen = {copy: name for copy, name in copies.items() if name in lasting}
    if chosen:
        _leave_out(body, chosen)
        for item in body:
            for node in found_in(item, gast.Name):
                node.id = chosen.get(node.id, node.id)


def _only_target(statement: Any) -> str:
    """Return the one name that an assignment binds, or an empty string."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return ""
    return getattr(statement.targets[0], "id", "")


def _leave_out(block: list[Any], copies: dict[str, str]) -> None:
    for statement in block:
        for part in blocks_of(statement):
            _leave_out(part, copies)
    block[:] = [item for item in block if _only_target(item) not in copies]
