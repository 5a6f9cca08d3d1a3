"""Says which names statements read before they bind them, and which they surely bind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in

_JUMPS: Final = (gast.Return, gast.Raise, gast.Break, gast.Continue)
_NESTED: Final = (gast.FunctionDef, gast.ClassDef, gast.Try)


@dataclass(slots=True)
class Exposed:
    """What is found of statements that run one after the other.

    Attributes:
        reads: The names that they may read before they bind them.
        bound: The names that are surely bound after them.
    """

    reads: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)

    def take(self, body: Iterable[Any]) -> Exposed:
        """Go through statements, and return this."""
        for statement in body:
            self._statement(statement)
        return self

    def _statement(self, statement: Any) -> None:
        if isinstance(statement, gast.For):
            self._read(statement.iter)
            self._inner([statement.body], more=stored_in([statement.target]))
            self._inner([statement.orelse])
            self._read(statement.target)
        elif isinstance(statement, gast.While):
            self._read(statement.test)
            self._inner([statement.body, statement.orelse])
        elif isinstance(statement, gast.If):
            self._read(statement.test)
            ways = self._inner([statement.body, statement.orelse])
            if ways:
                self.bound |= set.intersection(*ways)
        elif isinstance(statement, gast.With):
            for item in statement.items:
                self._simple(item)
            self.take(statement.body)
        elif isinstance(statement, _NESTED):
            self.reads |= loaded_in([statement]) - self.bound
        elif isinstance(statement, gast.Delete):
            self.bound -= {item.id for item in found_in(statement, gast.Name)}
        else:
            self._simple(statement)

    def _simple(self, node: Any) -> None:
        self._read(node)
        if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
            self.reads |= {node.target.id} - self.bound
        self.bound |= stored_in([node])

    def _read(self, node: Any) -> None:
        self.reads |= loaded_in([node]) - self.bound

    def _inner(self, blocks: Sequence[Any], more: Iterable[str] = ()) -> list[set[str]]:
        """Go through blocks that may run; return what those that end without a jump bind."""
        ways = []
        for block in blocks:
            inner = Exposed(self.reads, {*self.bound, *more}).take(block)
            if not block or not isinstance(block[-1], _JUMPS):
                ways.append(inner.bound)
        return ways


def loaded_in(nodes: Iterable[Any]) -> set[str]:
    """Return the names that are read in some trees, without those of comprehensions."""
    return _names(nodes, gast.Load)


def stored_in(nodes: Iterable[Any]) -> set[str]:
    """Return the names that are bound in some trees, without those of comprehensions."""
    return _names(nodes, gast.Store)


def _names(nodes: Iterable[Any], context: Any) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        own = {
            item.id
            for part in found_in(node, gast.comprehension)
            for item in found_in(part.target, gast.Name)
        }
        names = found_in(node, gast.Name)
        found |= {item.id for item in names if isinstance(item.ctx, context)} - own
    return found
