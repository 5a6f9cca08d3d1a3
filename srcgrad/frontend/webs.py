"""Sorts the places of a variable by the values that may be read there."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of, found_in, names_bound, own_nodes

BEFORE: Final = -1
"""Stands for what a variable holds before the body, if anything."""

_INNER: Final = (gast.FunctionDef, gast.Lambda, gast.ClassDef, gast.Global, gast.Nonlocal)
_NAMING: Final = (
    *_INNER,
    *(gast.AsyncFunctionDef, gast.alias, gast.ExceptHandler, gast.MatchAs, gast.MatchStar),
    *(gast.MatchMapping, gast.TypeAlias, gast.TypeVar, gast.TypeVarTuple, gast.ParamSpec),
)
"""What has names that are no variables of their own, as text."""


class Webs:
    """The places of one variable in a body, in groups that have no value in common.

    No place of one group reads what is bound at a place of another, so that each group may be a
    variable of its own.

    >>> tree = gast.parse('''
    ... y = 1
    ... z = y
    ... y = 2
    ... while y:
    ...     y += z
    ... ''')
    >>> webs = Webs(tree.body, "y")
    >>> [sorted({node.lineno for node in group}) for group in webs.groups()]
    [[], [2, 3], [4, 5, 6]]

    Attributes:
        held: The places that may have bound what is read at a place, by the place.
    """

    def __init__(self, body: list[Any], name: str) -> None:
        self._name = name
        self.held: dict[int, set[int]] = {}
        self._places: dict[int, Any] = {}
        self._parent: dict[int, int] = {BEFORE: BEFORE}
        self._left: list[set[int]] = []
        self._block(body, {BEFORE})

    def groups(self) -> list[list[Any]]:
        """Return the places of each group; first those that may read what was there before."""
        found: dict[int, list[Any]] = {self._root(BEFORE): []}
        for key, place in self._places.items():
            found.setdefault(self._root(key), []).append(place)
        return list(found.values())

    # -- the values that a place may read, by the places that bind them

    def _block(self, block: list[Any], held: set[int]) -> set[int]:
        for statement in block:
            held = self._statement(statement, held)
        return held

    def _statement(self, statement: Any, held: set[int]) -> set[int]:
        if isinstance(statement, (gast.For, gast.While, gast.AsyncFor)):
            return self._loop(statement, held)
        if isinstance(statement, (gast.Break, gast.Continue)) and self._left:
            self._left[-1] |= held
            return held
        held = self._own(statement, held)
        if isinstance(statement, gast.Try):
            return self._attempt(statement, held)
        inner = [self._block(part, set(held)) for part in blocks_of(statement)]
        return set().union(*inner) if isinstance(statement, gast.If) else held.union(*inner)

    def _loop(self, statement: Any, held: set[int]) -> set[int]:
        self._left.append(set())
        size = -1
        while size != (size := len(held)):
            inside = self._own(statement, held)
            held = held | inside | self._block(statement.body, set(inside)) | self._left[-1]
        self._left.pop()
        return held | self._block(statement.orelse, set(held))

    def _attempt(self, statement: Any, held: set[int]) -> set[int]:
        before = len(self._places)
        done = self._block(statement.body, set(held))
        inside = list(self._places.items())[before:]
        bound = {key for key, node in inside if not isinstance(node.ctx, gast.Load)}
        half = held | done | bound  # an error may come after any of them
        ways = [self._block(statement.orelse, set(done))]
        ways += [self._block(item.body, set(half)) for item in statement.handlers]
        after = set().union(*ways)
        return self._block(statement.finalbody, half | after) if statement.finalbody else after

    def _own(self, statement: Any, held: set[int]) -> set[int]:
        """Note what a statement itself reads, then what it binds."""
        mine = [n for n in own_nodes(statement) if getattr(n, "id", None) == self._name]
        updates = isinstance(statement, (gast.AugAssign, gast.Delete))
        bound = [node for node in mine if not isinstance(node.ctx, gast.Load)]
        for node in mine:
            self._places[id(node)] = node
            self._parent.setdefault(id(node), id(node))
            if isinstance(node.ctx, gast.Load) or updates:
                self.held.setdefault(id(node), set()).update(held)
                for key in held:
                    self._parent[self._root(key)] = self._root(id(node))
        return {id(node) for node in bound} or held

    def _root(self, key: int) -> int:
        while self._parent[key] != key:
            self._parent[key] = key = self._parent[self._parent[key]]
        return key


def named_in_functions(body: list[Any]) -> set[str]:
    """Return the names that inner functions and patterns know, or that expressions bind."""
    found: set[str] = set()
    for statement in body:
        for node in found_in(statement, gast.comprehension, gast.NamedExpr):
            found.update(names_bound(node.target))
        for node in found_in(statement, *_NAMING):
            found.update(
                text
                for text in (getattr(node, "name", None), getattr(node, "rest", None))
                if isinstance(text, str)
            )
            if isinstance(node, _INNER):
                found.update(getattr(node, "names", ()))
                found.update(n.id for n in found_in(node, gast.Name))
    return found
