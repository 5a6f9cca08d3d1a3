"""Says which of the lists, tuples and dicts that a program writes out a name may be bound to.

Every display stands for all that is made there, whenever: an inclusion-based points-to analysis
(Andersen, 1994). What is handed on, joined or kept elsewhere has escaped, and may hold anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, is_store, store_target, targets_of
from srcgrad.ir.walk import names_bound, own_nodes, statements

_DISPLAYS: Final = (gast.List, gast.Tuple, gast.Dict)
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


class PointsTo:
    """The displays of a program in normal form, and what they may hold.

    Attributes:
        displays: The displays, by the identity of the statement that makes one, or of the display
            if that stands in another.
        escaped: The displays of which not all uses are followed, by identity.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> found = PointsTo(program_of('''
    ... def f(x):
    ...     layers = [{"w": x}, {"w": 2.0 * x}]
    ...     for layer in layers:
    ...         layer["w"] = layer["w"] * x
    ...     return layers[0]["w"]
    ... '''))
    >>> found.is_container("layers"), found.is_container("layer"), found.is_container("w")
    (True, True, False)
    >>> len(found.of("layers")), len(found.of("layer")), found.escaped
    (1, 2, set())
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._statements = list(statements(program.body))
        self._bound: dict[str, set[int]] = defaultdict(set)
        self._others: set[str] = set(program.parameters)  # that may be bound to anything else
        self._nothing: set[str] = set()  # that may be bound to None
        self._held: dict[int, list[tuple[Any, Any]]] = defaultdict(list)  # pairs of key and value
        self._noted: set[tuple[int, int]] = set()
        self.displays: dict[int, Any] = {}
        self.escaped: set[int] = set()
        self._finds_others = False
        self._follow()
        if self.displays:
            self._finds_others = True  # by then it is known which names are bound to displays
            self._follow()
            self._find_escaped()

    def of(self, name: str) -> frozenset[int]:
        """Return the displays that a name may be bound to, by identity."""
        return frozenset(self._bound.get(name, ()))

    def is_container(self, name: str) -> bool:
        """Say whether a name is bound to nothing but displays, or to None."""
        return bool(self._bound.get(name)) and name not in self._others

    def has_one_kind(self, name: str) -> bool:
        """Say whether what a name is bound to is a dict each time, or never."""
        return len({isinstance(self.displays[item], gast.Dict) for item in self.of(name)}) == 1

    def is_inner(self, value: Any) -> bool:
        """Say whether what is held may be one of the displays."""
        return id(value) in self.displays or self.may_be_container(getattr(value, "id", ""))

    def may_be_container(self, name: str) -> bool:
        """Say whether a name may be bound to a display."""
        return bool(self._bound.get(name))

    def held(self, display: int, key: Any = None) -> Iterator[Any]:
        """Yield what a display may hold, or only what it may hold under a key that is a word."""
        word = _word(key)
        for other, value in self._held[display]:
            if word is None or _word(other) in (word, None):
                yield value

    def read(self, node: Any) -> list[Any] | None:
        """Return what ``xs[k]`` may give; None if that is not known, as of what has escaped."""
        name = getattr(node.value, "id", "")
        if not self.is_container(name) or not self.escaped.isdisjoint(self.of(name)):
            return None
        return self._read(node.value, node.slice)

    def connected(self, names: set[str]) -> set[int]:
        """Return the displays that names may be bound to, and all that hold or are held by them."""
        links: dict[int, set[int]] = defaultdict(set)
        for display in self.displays:
            for value in self.held(display):
                for inner in self._inner(value):
                    links[display].add(inner)
                    links[inner].add(display)
        for bound in self._bound.values():  # what has one name is one thing
            first = min(bound, default=0)
            for other in bound:
                links[first].add(other)
                links[other].add(first)
        found: set[int] = set()
        waiting = [display for name in names for display in self._bound.get(name, ())]
        while waiting:
            display = waiting.pop()
            if display not in found:
                found.add(display)
                waiting += links[display]
        return found

    def names_of(self, displays: set[int]) -> list[str]:
        """Return the names that may be bound to one of some displays, in order."""
        return sorted(name for name, found in self._bound.items() if not found.isdisjoint(displays))

    def _inner(self, value: Any) -> set[int]:
        """Return the displays that something held may be."""
        if id(value) in self.displays:
            return {id(value)}
        return set(self._bound.get(getattr(value, "id", ""), ()))

    # -- what flows where

    def _follow(self) -> None:
        self._grows = True
        while self._grows:
            self._grows = False
            for statement in self._statements:
                self._visit(statement)

    def _visit(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            if change.value is not None:
                self._put(change.name, None, change.value)
            if change.target is not None:
                self._bind_others([change.target])
        elif is_store(statement):
            target = store_target(statement)
            if isinstance(target.value, gast.Name):
                self._put(target.value.id, target.slice, statement.value)
        elif isinstance(statement, gast.Assign):
            self._assign(statement)
        elif not isinstance(statement, gast.AugAssign):
            for bound in targets_of(statement):
                self._bind_others(names_bound(bound))

    def _assign(self, statement: Any) -> None:
        target, value = statement.targets[0], statement.value
        names = names_bound(target)
        if isinstance(target, gast.Tuple):
            plain = all(isinstance(item, gast.Name) for item in target.elts)
            read = self._read(value, None) if plain and isinstance(value, gast.Name) else None
        elif isinstance(value, _DISPLAYS):
            self._grow(self._bound[names[0]], {id(statement)})
            self._show(id(statement), value)
            return
        elif isinstance(value, gast.Name) or _is_none(value):
            read = [value]
        elif isinstance(value, gast.Subscript) and not isinstance(value.slice, gast.Slice):
            read = self._read(value.value, value.slice)
        else:
            read = None
        for name in names:
            self._bind(name, read)

    def _read(self, container: Any, key: Any) -> list[Any] | None:
        """Return what may be read out of a container; None if that is not known."""
        name = getattr(container, "id", "")
        if name in self._others or not self._bound.get(name):
            return None
        return [value for display in self._bound[name] for value in self.held(display, key)]

    def _bind(self, name: str, values: list[Any] | None) -> None:
        for value in values if values is not None else [None]:
            source = getattr(value, "id", "")
            if _is_none(value) or source in self._nothing:
                self._grow(self._nothing, {name})  # nothing is read out of None, nor put in
            found = set() if value is None else self._inner(value)
            self._grow(self._bound[name], found)
            known = found or _is_none(value) or source in self._nothing
            if not known or source in self._others:
                self._bind_others([name])

    def _bind_others(self, names: list[str]) -> None:
        if self._finds_others:
            self._grow(self._others, set(names))

    def _show(self, place: int, value: Any) -> None:
        self.displays[place] = value
        keys = value.keys if isinstance(value, gast.Dict) else [None] * len(value.elts)
        items = value.values if isinstance(value, gast.Dict) else value.elts
        for key, item in zip(keys, items, strict=True):
            self._hold(place, key, item)
            if isinstance(item, _DISPLAYS):
                self._show(id(item), item)

    def _put(self, name: str, key: Any, value: Any) -> None:
        for display in self._bound.get(name, ()):
            self._hold(display, key, value)

    def _hold(self, display: int, key: Any, value: Any) -> None:
        if (display, id(value)) not in self._noted:
            self._noted.add((display, id(value)))
            self._held[display].append((key, value))
            self._grows = True

    def _grow(self, found: set[Any], more: set[Any]) -> None:
        if not more <= found:
            found |= more
            self._grows = True

    # -- what escapes

    def _find_escaped(self) -> None:
        for statement in self._statements:
            followed = set(self._followed(statement))
            for node in own_nodes(statement):
                if isinstance(node, gast.Name) and id(node) not in followed:
                    self.escaped |= self._bound.get(node.id, set())
        for display in self.displays:
            if not all(map(self._is_plain, self.held(display))):
                self.escaped.add(display)
        waiting = list(self.escaped)
        while waiting:
            display = waiting.pop()
            for value in self.held(display):
                for inner in self._inner(value) - self.escaped:
                    self.escaped.add(inner)
                    waiting.append(inner)

    def _is_plain(self, value: Any) -> bool:
        """Say whether an entry has a name, if it may be or hold anything but constants."""
        if id(value) not in self.displays:
            return not isinstance(value, (gast.Starred, *_DISPLAYS, *_COMPREHENSIONS))
        return all(isinstance(item, (gast.Constant, *_DISPLAYS)) for item in self.held(id(value)))

    def _followed(self, statement: Any) -> Iterator[int]:
        """Yield the identities of the names that stand where what they do is followed."""
        change = change_of(statement)
        if change is not None and change.method == "append":
            yield id(statement.value.func.value)
            yield id(change.value)
        elif is_store(statement) and isinstance(statement, gast.Assign):
            target = store_target(statement)
            if not isinstance(target.slice, (gast.Slice, gast.Tuple)):
                yield id(target.value)
                yield id(statement.value)
        elif isinstance(statement, gast.Assign):
            yield from self._followed_binding(statement.targets[0], statement.value)
        elif isinstance(statement, gast.For) and self._gives_keys(statement.iter):
            yield id(statement.iter)
        for node in own_nodes(statement):
            if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
                yield id(node.value)
            elif isinstance(node, gast.Call) and self._asks_length(node):
                yield from map(id, node.args)
            elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.In, gast.NotIn)):
                yield id(node.comparators[0])
            elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.Is, gast.IsNot)):
                yield from map(id, (node.left, *node.comparators))
            elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
                yield id(node.operand)

    def _followed_binding(self, target: Any, value: Any) -> Iterator[int]:
        if isinstance(value, gast.Name):
            yield id(value)
        elif isinstance(value, _DISPLAYS):
            yield from map(id, value.values if isinstance(value, gast.Dict) else value.elts)
        if isinstance(target, gast.Name):
            yield id(target)
        elif isinstance(value, gast.Name):
            yield from map(id, getattr(target, "elts", ()))

    def _gives_keys(self, iterable: Any) -> bool:
        name = getattr(iterable, "id", "")
        return self.is_container(name) and all(
            isinstance(self.displays[display], gast.Dict) for display in self.of(name)
        )

    def _asks_length(self, call: Any) -> bool:
        return self._program.reader.scope.resolve(call.func) is len


def _is_none(value: Any) -> bool:
    return isinstance(value, gast.Constant) and value.value is None


def _word(key: Any) -> str | None:
    word = getattr(key, "value", None) if isinstance(key, gast.Constant) else None
    return word if isinstance(word, str) else None
