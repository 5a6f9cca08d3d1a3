"""Says what is read out of lists and tuples that a function is given and leaves as they are."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.lengths import Seen
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, is_store, targets_of
from srcgrad.ir.walk import names_bound, root_name, statements

ANY = "[*]"
"""Stands for any index in the texts that arguments are known by: ``layers[*][0]``."""


class Elements:
    """The arguments of which every element was seen to be of one kind.

    They are only read: by an integer, by a loop, and for their length.
    """

    def __init__(self, program: Program, integers: Integers, seen: Seen) -> None:
        self._integers = integers
        self._seen = seen
        lists = {name for name in program.parameters if _begins(f"{name}{ANY}", seen)}
        self._lists = lists - _read_otherwise(program) if lists else set()
        self._holders = self._find_holders(program) if self._lists else {}
        kept = {*program.parameters, *self._holders}
        if self._lists and any(_changes(item, kept) for item in statements(program.body)):
            self._lists, self._holders = set(), {}

    def _find_holders(self, program: Program) -> dict[str, str]:
        """Return the names that are bound to elements alone, with the texts of those."""
        found: dict[str, set[str | None]] = {}
        for statement in statements(program.body):
            for target in targets_of(statement):
                alone = isinstance(statement, gast.Assign) and isinstance(target, gast.Name)
                root = self._element(statement.value) if alone else None
                for name in names_bound(target):
                    found.setdefault(name, set()).add(root)
        single = {name: roots.pop() for name, roots in found.items() if len(roots) == 1}
        return {name: root for name, root in single.items() if root is not None}

    def root(self, node: Any) -> str | None:
        """Return the text that stands for the element that an expression is, if it is one."""
        return self._holders.get(node.id) if isinstance(node, gast.Name) else self._element(node)

    def _element(self, node: Any) -> str | None:
        if not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name):
            return None
        if node.value.id not in self._lists or not self._integers.of(node.slice):
            return None
        return f"{node.value.id}{ANY}"

    def root_of_loop(self, loop: Any) -> str | None:
        """Return the text that stands for the elements that a loop runs over."""
        name = getattr(loop.iter, "id", "") if isinstance(loop.iter, gast.Name) else ""
        return f"{name}{ANY}" if name in self._lists else None


def _begins(text: str, seen: Seen) -> bool:
    return any(key.startswith(text) for key in seen)


def _read_otherwise(program: Program) -> set[str]:
    """Return the names that are read as more than the owner of an element, or for their length."""
    fine: set[int] = set()
    names: dict[int, str] = {}
    for statement in statements(program.body):
        if isinstance(statement, gast.For):
            fine.add(id(statement.iter))
    for item in program.body:
        for node in gast.walk(item):
            if isinstance(node, gast.Name):
                names[id(node)] = node.id
            elif isinstance(node, gast.Subscript) and isinstance(node.ctx, gast.Load):
                fine.add(id(node.value))
            elif isinstance(node, gast.Call) and getattr(node.func, "id", "") in _ASKING:
                fine.update(map(id, node.args))
    return {name for key, name in names.items() if key not in fine}


_ASKING = ("len", "min", "max", "zip", "enumerate")


def _changes(statement: Any, kept: set[str]) -> bool:
    """Say whether a statement may change what one of some names holds."""
    change = change_of(statement)
    if change is not None:
        return change.name in kept
    if not is_store(statement):
        return False
    return not kept.isdisjoint(root_name(target) for target in targets_of(statement))
