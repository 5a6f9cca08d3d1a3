"""Keeps the numbers that writes into some arrays replace, and puts them back on the way back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone, load
from srcgrad.ir.marks import PUTS_BACK
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_names, header_of, header_reads, store_target
from srcgrad.ir.walk import blocks_of, statements

_OF_SHAPES: Final = {"shape": 0, "unbroadcast": 1, "zeros_like": 0}


class PuttingBack:
    """The writes of one program that are undone step by step.

    Args:
        names: The arrays, and the parts of them (`analyses.restored`).
        namer: Makes the names of the numbers.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (store,) = parse("y[i] = s")
    >>> undoing = PuttingBack(frozenset({"y"}), Namer(["y", "i", "s"]))
    >>> print(text([*undoing.before(store), store, *undoing.after(store)]))
    y_before = y[i]
    y[i] = s
    y[i] = y_before
    """

    def __init__(self, names: frozenset[str], namer: Namer) -> None:
        self._names = names
        self._namer = namer
        self._kept: dict[int, str] = {}

    def before(self, store: Any) -> list[Any]:
        """Return the statement that keeps what a store replaces."""
        target = store_target(store)
        if not self._names or getattr(target.value, "id", "") not in self._names:
            return []
        name = self._kept[id(store)] = self._namer.fresh(
            f"{self._namer.base(target.value.id)}_before"
        )
        element = clone(target)
        element.ctx = gast.Load()
        return [_marked(assign(name, element, store))]

    def after(self, store: Any) -> list[Any]:
        """Return the statement that puts it back, which the way back begins with."""
        name = self._kept.get(id(store))
        if name is None:
            return []
        element = clone(store_target(store))
        element.ctx = gast.Store()
        return [_marked(assign(element, load(name), store))]

    def settle(self, forward: list[Any], backward: list[Any]) -> None:
        """Leave all of this out where the backward pass reads no more than shapes of the arrays."""
        if self._kept and self._names.isdisjoint(_read(backward)):
            for block in (forward, backward):
                _leave_out(block)
            self._kept.clear()


def insert_behind(recipes: list[Any], body: list[Any]) -> None:
    """Put what is computed again where a block begins, behind what it puts back first."""
    made = bound_names(recipes)
    needed = (PUTS_BACK.of(item) and made.isdisjoint(header_reads(item)) for item in body)
    place = sum(1 for _ in itertools.takewhile(bool, needed))
    body[place:place] = recipes


def _marked(statement: Any) -> Any:
    PUTS_BACK.put(statement, True)
    return statement


def _read(block: list[Any]) -> Iterator[str]:
    """Yield the names that statements read but for their shapes, those that put back left aside."""
    for statement in statements(block):
        if PUTS_BACK.of(statement):
            continue
        for part in header_of(statement):
            yield from _values_read(part)


def _values_read(node: Any) -> Iterator[str]:
    if isinstance(node, gast.Call):
        func = getattr(node.func, "attr", getattr(node.func, "id", ""))
        place = _OF_SHAPES.get(func)
        for position, argument in enumerate(node.args):
            if position != place:
                yield from _values_read(argument)
        for part in [node.func, *(item.value for item in node.keywords)]:
            yield from _values_read(part)
    elif isinstance(node, gast.Attribute) and node.attr in ("shape", "ndim", "size"):
        return
    elif isinstance(node, gast.Name):
        yield node.id
    else:
        for part in gast.iter_child_nodes(node):
            yield from _values_read(part)


def _leave_out(block: list[Any]) -> None:
    for statement in block:
        for part in blocks_of(statement):
            _leave_out(part)
    block[:] = [item for item in block if not PUTS_BACK.of(item) and not _is_empty(item)]


def _is_empty(statement: Any) -> bool:
    """Say whether nothing is left of a loop or branch."""
    held = blocks_of(statement)
    return bool(held) and not any(held)
