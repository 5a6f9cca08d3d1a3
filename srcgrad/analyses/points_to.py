"""Says which of the lists, tuples and dicts that a program writes out a name may be bound to.

Every display stands for all that is made there, whenever: an inclusion-based points-to analysis
(Andersen, 1994). What is handed on, joined or kept elsewhere has escaped, and may hold anything.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from typing import Any, Final, NamedTuple

from srcgrad.analyses.constant_rows import runs_over_constants
from srcgrad.analyses.plain_reads import PlainReads
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import (
    copied_from,
    entries_shown,
    integer_of,
    is_plain_number,
    parts_of_tuple,
    spread_in,
    table_like,
)
from srcgrad.ir.program import Program, is_store, store_target, targets_of
from srcgrad.ir.walk import names_bound, own_nodes, statements, walk
from srcgrad.runtime import copied, refuse_twins

_DISPLAYS: Final = (gast.List, gast.Tuple, gast.Dict)
_LOOKS: Final = (len, bool, refuse_twins)
_DEEP_COPIES: Final = (copied, copy.deepcopy)  # noqa: TID251 - it is asked for
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


class _Flow(NamedTuple):
    """What a name may come to be bound to: displays, None, anything else."""

    displays: frozenset[int] = frozenset()
    nothing: bool = False
    others: bool = True


_ANYTHING: Final = _Flow()


class PointsTo:
    """The displays of a program in normal form, and what they may hold.

    Attributes:
        displays: The displays, by the identity of the statement that makes one, or of the display
            if that stands in another.
        escaped: The displays of which not all uses are followed, by identity.
        whole: The lists of numbers, and of lists of such, that one expression makes with all that
            is in them: ``[[0.0] * n for _ in range(m)]``; and what deep copies make.

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
        # pairs of key and value, by the key if that is a word
        self._held: dict[int, dict[str | None, list[tuple[Any, Any]]]] = defaultdict(dict)
        self._noted: set[tuple[int, int]] = set()
        self._clones: dict[tuple[int, int], Any] = {}  # by where they are made, and of what
        self._origins: dict[int, int] = {}  # of clones
        self._taken_in: set[tuple[int, int]] = set()
        self.displays: dict[int, Any] = {}
        self._tuples: dict[int, list[Any]] = {}  # those of them that are written out whole
        self.escaped: set[int] = set()
        self.whole: set[int] = set()
        self._tables: dict[int, Any] = {}  # by the statements that make some
        self._contents: dict[tuple[frozenset[int], str | int | None], _Flow] = {}  # in this round
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

    def is_dict(self, name: str) -> bool:
        """Say whether a name is bound to nothing but dicts, or to None."""
        shown = (self.displays[display] for display in self.of(name))
        return self.is_container(name) and all(isinstance(item, gast.Dict) for item in shown)

    def has_one_kind(self, name: str) -> bool:
        """Say whether what a name is bound to is a dict each time, or never."""
        return len({isinstance(self.displays[item], gast.Dict) for item in self.of(name)}) == 1

    def is_inner(self, value: Any) -> bool:
        """Say whether what is held may be one of the displays."""
        return id(value) in self.displays or self.may_be_container(getattr(value, "id", ""))

    def may_be_container(self, name: str) -> bool:
        """Say whether a name may be bound to a display."""
        return bool(self._bound.get(name))

    def is_nothing(self, value: Any) -> bool:
        """Say whether a value is None, or a name that is bound to nothing but that."""
        name = getattr(value, "id", "")
        plain = name in self._nothing and name not in self._others
        return _is_none(value) or (plain and not self._bound.get(name))

    def held(self, display: int, key: Any = None) -> Iterator[Any]:
        """Yield what a display may hold, or only under a word, or in one place of a tuple."""
        parts, place = self._tuples.get(display), integer_of(key)
        if parts is not None and place is not None:
            yield from [parts[place]] if -len(parts) <= place < len(parts) else []
            return
        word = _word(key)
        for other, pairs in self._held[display].items():
            if word is None or other in (word, None):
                yield from (value for _, value in pairs)

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
                for inner in self.inner(value):
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

    def inner(self, value: Any) -> set[int]:
        """Return the displays that something held may be, by identity."""
        if id(value) in self.displays:
            return {id(value)}
        return set(self._bound.get(getattr(value, "id", ""), ()))

    def within(self, display: int) -> set[int]:
        """Return a display, and those that it may hold, or what it holds may."""
        found: set[int] = set()
        waiting = [display]
        while waiting:
            if (first := waiting.pop()) not in found:
                found.add(first)
                waiting += [inner for value in self.held(first) for inner in self.inner(value)]
        return found

    # -- what flows where

    def _follow(self) -> None:
        self._grows = True
        while self._grows:
            self._grows = False
            self._contents.clear()  # what grew after it was read is read in the round after
            for statement in self._statements:
                self._visit(statement)

    def _visit(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            if change.value is not None:
                self._put(change.name, None, change.value)
            if change.target is not None:
                self._bind(change.target, self._flow_out_of(load(change.name), change.index))
        elif is_store(statement):
            target = store_target(statement)
            if isinstance(target.value, gast.Name):
                self._put(target.value.id, target.slice, statement.value)
        elif isinstance(statement, gast.Assign) and names_bound(statement.targets[0]):
            self._assign(statement)
        elif not isinstance(statement, gast.AugAssign):
            for bound in targets_of(statement):
                self._bind_others(names_bound(bound))

    def _assign(self, statement: Any) -> None:
        target, value = statement.targets[0], statement.value
        names = names_bound(target)
        if isinstance(target, gast.Tuple):
            self._unpack(target, value)
            return
        if isinstance(value, _DISPLAYS):
            self._grow(self._bound[names[0]], {id(statement)})
            self._show(id(statement), value)
            return
        if (table := self._table(statement)) is not None:
            self._grow(self._bound[names[0]], {id(statement)})
            self._show(id(statement), table)
            return
        if (source := copied_from(value)) is not None and self._bound.get(source.id):
            self._copy(id(statement), source)
            self._grow(self._bound[names[0]], {id(statement)})
            if source.id in self._others:
                self._bind_others(names)
            return
        if (source := self._deeply_copied(value)) is not None and self._bound.get(source.id):
            for display in list(self._bound[source.id]):
                self._grow(self._bound[names[0]], {self._clone(id(statement), display)})
            if source.id in self._others:
                self._bind_others(names)
            return
        if isinstance(value, gast.Name) or _is_none(value):
            flow = self._flow_of([value])
        elif isinstance(value, gast.Subscript) and not isinstance(value.slice, gast.Slice):
            flow = self._flow_out_of(value.value, value.slice)
        else:
            flow = _ANYTHING
        for name in names:
            self._bind(name, flow)

    def _unpack(self, target: Any, value: Any) -> None:
        if not all(isinstance(item, gast.Name) for item in target.elts):
            self._bind_others(names_bound(target))
            return
        for place, item in enumerate(target.elts):
            self._bind(item.id, self._flow_out_of(value, gast.Constant(place, None)))

    def _read(self, container: Any, key: Any) -> list[Any] | None:
        """Return what may be read out of a container; None if that is not known."""
        name = getattr(container, "id", "")
        if name in self._others or not self._bound.get(name):
            return None
        return [value for display in self._bound[name] for value in self.held(display, key)]

    def _flow_out_of(self, container: Any, key: Any) -> _Flow:
        """Return what may be read out of a container; it is looked through once for each key."""
        name = getattr(container, "id", "")
        place = self.of(name), self._told_apart(name, key)
        if name in self._others or not place[0]:
            return _ANYTHING
        if place not in self._contents:
            self._contents[place] = self._flow_of(self._read(container, key) or ())
        return self._contents[place]

    def _told_apart(self, name: str, key: Any) -> str | int | None:
        """Return what of a key tells apart what is held: a word, or a place if in a tuple."""
        place = integer_of(key)
        plain = place is None or self._tuples.keys().isdisjoint(self._bound.get(name, ()))
        return _word(key) if plain else place

    def _flow_of(self, values: Iterable[Any]) -> _Flow:
        found: set[int] = set()
        nothing = others = False
        for value in values:
            source = getattr(value, "id", "")
            inner = self.inner(value)
            is_none = _is_none(value) or source in self._nothing
            nothing = nothing or is_none  # nothing is read out of None, nor put in
            others = others or source in self._others or not (inner or is_none)
            found |= inner
        return _Flow(frozenset(found), nothing, others)

    def _bind(self, name: str, flow: _Flow) -> None:
        self._grow(self._bound[name], flow.displays)
        if flow.nothing:
            self._grow(self._nothing, {name})
        if flow.others:
            self._bind_others([name])

    def _bind_others(self, names: list[str]) -> None:
        if self._finds_others:
            self._grow(self._others, set(names))

    def _show(self, place: int, value: Any) -> None:
        self.displays[place] = value
        if (parts := parts_of_tuple(value)) is not None:
            self._tuples[place] = parts
        for key, item in entries_shown(value):
            self._hold(place, key, item)
            if isinstance(item, _DISPLAYS):
                self._show(id(item), item)
        for source in spread_in(value):
            for display in self._bound.get(getattr(source, "id", ""), ()):
                for key, item in self._pairs_in(display):
                    self._hold(place, key, item)

    def _table(self, statement: Any) -> Any:
        """Return a display that stands for the list of numbers, or of lists, that is made."""
        place = id(statement)
        if place not in self._tables:
            table = table_like(statement.value)
            self._tables[place] = table
            if table is not None:
                inner = [id(node) for node in walk(table) if isinstance(node, gast.List)]
                self.whole.update((place, *inner))
        return self._tables[place]

    def _copy(self, place: int, source: Any) -> None:
        """Take in a copy, or a section, of a list or dict as the display that it is like."""
        if place not in self.displays:
            first = self.displays[min(self._bound[source.id])]
            if isinstance(first, gast.Dict):
                like: Any = gast.Dict([None], [source])
            else:
                like = type(first)([gast.Starred(source, gast.Load())], gast.Load())
            self.displays[place] = like
        self._show(place, self.displays[place])

    def _deeply_copied(self, value: Any) -> Any:
        """Return the name of what is copied with all that is in it, if that is what a call does."""
        if not isinstance(value, gast.Call) or len(value.args) != 1:
            return None
        known = self._program.reader.scope.resolve(value.func) in _DEEP_COPIES
        return value.args[0] if known and isinstance(value.args[0], gast.Name) else None

    def _clone(self, place: int, display: int) -> int:
        """Take in the copy of a display that is made somewhere, with copies of what is in it.

        A copy of a copy stands for the same as a copy of the first.
        """
        origin = self._origins.get(display, display)
        if (place, origin) not in self._clones:
            is_dict = isinstance(self.displays[origin], gast.Dict)
            node = gast.Dict([], []) if is_dict else gast.List([], gast.Load())
            self._clones[place, origin] = node
            self._origins[id(node)] = origin
            self.whole.add(id(node))
            self.displays[id(node)] = node
            self._grows = True
        made = self._clones[place, origin]
        if (id(made), display) in self._taken_in:
            return id(made)
        self._taken_in.add((id(made), display))  # it may hold itself
        for key, value in self._pairs_in(display):
            inner = self.inner(value)
            for other in inner:
                self._hold(id(made), key, self.displays[self._clone(place, other)])
            if not inner:
                self._hold(id(made), key, value)
        self._taken_in.discard((id(made), display))
        return id(made)

    def _put(self, name: str, key: Any, value: Any) -> None:
        for display in self._bound.get(name, ()):
            self._hold(display, key, value)

    def _hold(self, display: int, key: Any, value: Any) -> None:
        if (display, id(value)) not in self._noted:
            self._noted.add((display, id(value)))
            self._held[display].setdefault(_word(key), []).append((key, value))
            self._grows = True

    def _pairs_in(self, display: int) -> list[tuple[Any, Any]]:
        """Return the pairs of key and value that a display may hold, as of now."""
        return [pair for pairs in self._held[display].values() for pair in pairs]

    def _grow(self, found: set[Any], more: Set[Any]) -> None:
        if not more <= found:
            found |= more
            self._grows = True

    # -- what escapes

    def _find_escaped(self) -> None:
        self._plain_reads = PlainReads(self, self._program.reader)
        for statement in self._statements:
            followed = set(self._followed(statement))
            for node in own_nodes(statement):
                if isinstance(node, gast.Name) and id(node) not in followed:
                    self.escaped |= self._bound.get(node.id, set())
        for display, shown in self.displays.items():
            known = all(self.is_container(getattr(item, "id", "")) for item in spread_in(shown))
            if not known or not all(map(self._is_plain, self.held(display))):
                self.escaped.add(display)
        waiting = list(self.escaped)
        while waiting:
            display = waiting.pop()
            for value in self.held(display):
                for inner in self.inner(value) - self.escaped:
                    self.escaped.add(inner)
                    waiting.append(inner)

    def _is_plain(self, value: Any) -> bool:
        """Say whether an entry has a name, if it may be or hold anything but constants."""
        if id(value) in self.whole:
            return True
        if id(value) not in self.displays:
            return not isinstance(value, (*_DISPLAYS, *_COMPREHENSIONS))
        scope = self._program.reader.scope
        return all(
            isinstance(item, (gast.Constant, *_DISPLAYS)) or is_plain_number(item, scope)
            for item in self.held(id(value))
        )

    def _followed(self, statement: Any) -> Iterator[int]:
        """Yield the identities of the names that stand where what they do is followed."""
        change = change_of(statement)
        if change is not None:
            yield id(statement.value.func.value)
            yield id(change.value)
            yield from map(id, getattr(statement, "targets", ()))
        elif is_store(statement) and isinstance(statement, gast.Assign):
            target = store_target(statement)
            if not isinstance(target.slice, (gast.Slice, gast.Tuple)):
                yield id(target.value)
                yield id(statement.value)
        elif is_store(statement) and not self._updates_container(store_target(statement)):
            yield id(store_target(statement).value)
        elif isinstance(statement, gast.Assign):
            yield from self._followed_binding(statement.targets[0], statement.value)
        elif isinstance(statement, gast.For) and (
            self._gives_keys(statement.iter)
            or runs_over_constants(statement, self, self._program.reader.scope)
        ):
            yield id(statement.iter)
        elif isinstance(statement, (gast.If, gast.While)):
            yield from map(id, getattr(statement.test, "values", [statement.test]))
        for node in own_nodes(statement):
            yield from self._looked_at(node)

    def _updates_container(self, place: Any) -> bool:
        """Say whether ``xs[k] += v`` may put something into `xs`, or into a list that it holds."""
        if isinstance(place.slice, (gast.Slice, gast.Tuple)):
            return True
        held = self._read(place.value, place.slice)
        return held is None or any(map(self.is_inner, held))

    def _looked_at(self, node: Any) -> Iterator[int]:
        """Yield the identities of the names in an expression that reads an entry, or only asks."""
        if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
            yield id(node.value)
        elif isinstance(node, gast.Call) and self._only_reads(node):
            yield from map(id, node.args)
        elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.In, gast.NotIn)):
            yield id(node.comparators[0])
        elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.Is, gast.IsNot)):
            yield from map(id, (node.left, *node.comparators))
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            yield id(node.operand)
        elif isinstance(node, gast.comprehension) and self._gives_keys(node.iter):
            yield id(node.iter)

    def _followed_binding(self, target: Any, value: Any) -> Iterator[int]:
        source = value if isinstance(value, gast.Name) else copied_from(value)
        if source is not None:
            yield id(source)
        elif isinstance(value, _DISPLAYS):
            yield from (id(item) for _, item in entries_shown(value))
            yield from map(id, spread_in(value))
        if isinstance(target, gast.Name):
            yield id(target)
        elif isinstance(value, gast.Name):
            yield from map(id, getattr(target, "elts", ()))

    def _gives_keys(self, iterable: Any) -> bool:
        return self.is_dict(getattr(iterable, "id", ""))

    def _only_reads(self, call: Any) -> bool:
        """Say whether a call keeps nothing of what it is given, nor gives it back."""
        callee = self._program.reader.scope.resolve(call.func)
        return callee in (*_LOOKS, *_DEEP_COPIES) or self._plain_reads.of(call)


def _is_none(value: Any) -> bool:
    return isinstance(value, gast.Constant) and value.value is None


def _word(key: Any) -> str | None:
    word = getattr(key, "value", None) if isinstance(key, gast.Constant) else None
    return word if isinstance(word, str) else None
