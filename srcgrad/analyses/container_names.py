"""Says which names of a generated function may be bound to lists, tuples and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.walk import root_name, statements

_DISPLAYS: Final = (gast.List, gast.Tuple, gast.Dict)
_COMPREHENSIONS: Final = (gast.ListComp, gast.DictComp, gast.GeneratorExp)
_COPIERS: Final = frozenset({"list", "tuple", "dict", "sorted", "reversed", "copy"})
_SHOWN: Final = frozenset({*_DISPLAYS, *_COMPREHENSIONS})
_PAIRING: Final = ("enumerate", "zip")
_DEEPEST: Final = 5
"""A list that is put into itself has no depth."""


class ContainerNames:
    """The names that may be bound to containers which a function writes out, joins or copies.

    Attributes:
        depths: How deep containers may lie in each other that a name is bound to, at least 1.

    >>> body = gast.parse('''
    ... rows = [a, b]
    ... more = rows + [c]
    ... nested = {"k": more}
    ... inner = nested["k"]
    ... d = inner[0] + c
    ... ''').body
    >>> ContainerNames(body).depths
    {'rows': 1, 'more': 1, 'nested': 2, 'inner': 1}
    """

    def __init__(self, body: list[Any]) -> None:
        self.depths: dict[str, int] = {}
        self._fields: dict[tuple[str, int], int] = {}  # how deep what they hold is, by the place
        every = list(statements(body))
        self._grows = any(map(_may_show, every))
        while self._grows:
            self._grows = False
            for statement in every:
                self._visit(statement)

    def depth(self, node: Any) -> int:
        """Return how deep an expression may be as a container; 0 if it is none."""
        if isinstance(node, gast.Name):
            return self.depths.get(node.id, 0)
        if isinstance(node, gast.Subscript):
            return max(self.depth(node.value) - (not isinstance(node.slice, gast.Slice)), 0)
        if isinstance(node, _COMPREHENSIONS):
            return 1 + self.depth(node.value if isinstance(node, gast.DictComp) else node.elt)
        if isinstance(node, _DISPLAYS):
            held = node.values if isinstance(node, gast.Dict) else node.elts
            return 1 + self._deepest(held)
        if isinstance(node, gast.Starred):
            return max(self.depth(node.value) - 1, 0)
        pairs = isinstance(node, gast.Call) and getattr(node.func, "id", "") in _PAIRING
        return self._deepest(node.args) + 1 if pairs else self._deepest(_ways(node))

    def _deepest(self, nodes: Iterable[Any]) -> int:
        return max(map(self.depth, nodes), default=0)

    def _visit(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            if change.value is not None:
                self._note(change.name, 1 + self.depth(change.value))
            for target in getattr(statement, "targets", ()):
                self._bind(target, self.depths.get(change.name, 0) - 1)
        elif isinstance(statement, gast.For):
            self._bind(statement.target, self.depth(statement.iter) - 1)
        elif isinstance(statement, gast.Assign):
            for target in statement.targets:
                self._bind(target, self.depth(statement.value))
                if isinstance(target, gast.Name):
                    self._note_fields(target.id, statement.value)
                elif isinstance(target, gast.Tuple):
                    self._unpack(target.elts, statement.value)

    def _bind(self, target: Any, depth: int) -> None:
        """Bind a name, or an entry; what is unpacked was put into a tuple by a name mostly."""
        if isinstance(target, gast.Subscript):
            if depth and not _is_of_array(target.slice):
                self._note(root_name(target) or "", 1 + depth)
        elif isinstance(target, gast.Name):
            self._note(target.id, depth)

    def _note_fields(self, holder: str, value: Any) -> None:
        """Note what a list or tuple holds at each place."""
        for place, item in enumerate(getattr(value, "elts", ())):
            key = holder, place
            self._fields[key] = max(self._fields.get(key, 0), self.depth(item))

    def _unpack(self, targets: list[Any], value: Any) -> None:
        """Bind what is unpacked of what was written out."""
        for place, item in enumerate(targets):
            shown = getattr(value, "elts", ())
            depth = self.depth(shown[place]) if place < len(shown) else 0
            self._bind(item, max(depth, self._fields.get((getattr(value, "id", ""), place), 0)))

    def _note(self, name: str, depth: int) -> None:
        if self.depths.get(name, 0) < min(depth, _DEEPEST):
            self.depths[name] = min(depth, _DEEPEST)
            self._grows = True


def _may_show(statement: Any) -> bool:
    """Say whether the value of a statement writes out a container; else none is known of it."""
    waiting: list[Any] = [getattr(statement, "value", None)]
    for value in waiting:
        kind = value.__class__
        if kind in _SHOWN:
            return True
        if kind is gast.BinOp:
            waiting += value.left, value.right
        elif kind is gast.IfExp:
            waiting += value.body, value.orelse
    return False


def _is_of_array(index: Any) -> bool:
    """Say whether an index is one of arrays alone, into which elements are copied."""
    return isinstance(index, (gast.Slice, gast.Tuple)) or getattr(index, "value", None) is Ellipsis


def _ways(node: Any) -> Iterator[Any]:
    """Yield the expressions of which one is the value, or which are joined or copied to it."""
    if isinstance(node, gast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, gast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, gast.BoolOp):
        yield from node.values
    elif isinstance(node, gast.Call):
        method = isinstance(node.func, gast.Attribute)
        if (node.func.attr if method else getattr(node.func, "id", "")) in _COPIERS:
            yield from (*([node.func.value] if method else []), *node.args)
