"""Says which values may be computed later than they are, past other statements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import IS_RECORD
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import header_of, header_reads, is_store, targets_of
from srcgrad.ir.walk import (
    blocks_of,
    found_in,
    names_bound,
    names_read,
    root_name,
    statements,
    walk,
)
from srcgrad.locks import kept_property
from srcgrad.optimizations.purity import Purity


@dataclass(frozen=True, slots=True)
class _Moved:
    """What there is to say of a statement that is to be moved.

    Attributes:
        reads: The names that it reads, and what it adds to.
        groups: The groups of names that those may share memory with.
        updates: Whether it adds to something.
        looks: Whether it reads parts of anything.
        looks_past_adjoints: Whether none of what it reads parts of is an adjoint.
    """

    reads: set[str]
    groups: set[str]
    updates: bool
    looks: bool
    looks_past_adjoints: bool


@dataclass(frozen=True, slots=True)
class Effects:
    """What a statement may do to those that are moved past it.

    Attributes:
        reads: How often it reads each name itself.
        changed: The names that it binds or writes into.
        inside: The names in its inner blocks.
        groups: The groups of names that share memory with what it writes.
        impure: Whether it may write into memory.
        ours: Whether that lies in adjoints alone.
        holds: Whether nothing at all may be moved past it.
    """

    reads: Counter[str]
    changed: set[str]
    inside: set[str]
    groups: set[str]
    impure: bool
    ours: bool
    holds: bool


class Waiting(dict[str, Any]):
    """The statements of one block that wait to be moved, by name, found by what would stop them.

    What is asked for is let go: a statement that stops some that wait has them leave, and so each
    is looked at once, however many wait.
    """

    def __init__(self) -> None:
        super().__init__()
        self._readers: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self._members: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self._updates: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self._looking: dict[bool, list[tuple[str, Any]]] = {True: [], False: []}

    def note(self, name: str, source: Any, moved: _Moved, group: str) -> None:
        """Let a statement wait that binds a name, or adds to it, of a group that shares memory."""
        pair = name, source
        self[name] = source
        for read in moved.reads:
            self._readers[read].append(pair)
        for member in moved.groups:
            self._members[member].append(pair)
        if moved.updates:
            self._updates[group].append(pair)
        if moved.looks:
            self._looking[moved.looks_past_adjoints].append(pair)

    @property
    def has_updates(self) -> bool:
        """Whether any that adds to something has waited since it was last asked for."""
        return bool(self._updates)

    def reading(self, names: Iterable[str]) -> list[str]:
        """Take out of the notes what reads some names, and return that which still waits."""
        return self._left([pair for name in names for pair in self._readers.pop(name, ())])

    def sharing(self, groups: Iterable[str]) -> list[str]:
        """Take out of the notes what may share memory with some groups of names."""
        return self._left([pair for group in groups for pair in self._members.pop(group, ())])

    def updating(self, groups: Iterable[str]) -> list[str]:
        """Take out of the notes what adds to some groups of names."""
        return self._left([pair for group in groups for pair in self._updates.pop(group, ())])

    def looking(self, *, past_adjoints: bool) -> list[str]:
        """Take out of the notes what reads parts, of adjoints or past them."""
        pairs, self._looking[past_adjoints] = self._looking[past_adjoints], []
        return self._left(pairs)

    def _left(self, pairs: list[tuple[str, Any]]) -> list[str]:
        return [name for name, source in pairs if self.get(name) is source]


class Movement:
    """Judges the statements of one body.

    >>> from srcgrad.compiler.doctesting import parse, program_of
    >>> body = parse("a = x * 2; b = y[0]; y[0] = 1.0; x = 3.0")
    >>> movement = Movement(body, Purity(program_of("def f(x): return x").reader, frozenset()))
    >>> waiting = {"a": body[0], "b": body[1]}
    >>> movement.stopped(body[2], waiting), movement.stopped(body[3], waiting)
    (['b'], ['a'])
    >>> movement.stopped(parse("if c: b = 0.0")[0], waiting)
    ['b']

    An update of memory stays where it is if something looks at that under another name.

    >>> body = parse("c = a[:]; a += x; c *= 2")
    >>> movement = Movement(body, Purity(program_of("def f(x): return x").reader, frozenset()))
    >>> movement.stopped(body[2], {"a": body[1]})
    ['a']
    """

    def __init__(self, body: list[Any], purity: Purity) -> None:
        self._purity = purity
        self._body = body
        self._noted: dict[int, tuple[Any, _Moved]] = {}
        self._effects: dict[int, tuple[Any, Effects]] = {}

    @kept_property
    def _sharing(self) -> Sharing:
        """What shares memory; found when first asked, since in most bodies nothing is moved."""
        return Sharing(self._body, self._purity.of)

    def wait(self, source: Any, name: str, waiting: Waiting | None = None) -> None:
        """Note that a statement waits to be moved, and does not change until it has been."""
        moved = self._looked_at(source)
        self._noted[id(source)] = source, moved
        if waiting is not None:
            (group,) = self._sharing.groups([name])
            waiting.note(name, source, moved, group)

    def stopped(self, statement: Any, waiting: Mapping[str, Any]) -> list[str]:
        """Return which of the waiting statements, by name, may not move past a statement.

        Those of a `Waiting` are found by its notes, so that not each has to be asked, and have to
        leave it.
        """
        if not waiting:
            return []
        if isinstance(statement, (gast.With, gast.Try)):
            return list(waiting)
        made = self._effects_of(statement)
        if not isinstance(waiting, Waiting):
            return [name for name, source in waiting.items() if self.stops(made, name, source)]
        found = {*waiting.reading(made.changed), *waiting.sharing(made.groups)}
        found.update(made.inside & waiting.keys())
        if waiting.has_updates:
            read = self._sharing.groups([*made.reads, *made.inside])
            found.update(waiting.updating(read))
        if made.impure:
            found.update(waiting.looking(past_adjoints=False))
        if made.impure and not made.ours:
            found.update(waiting.looking(past_adjoints=True))
        return list(found)

    def effects(self, statement: Any) -> Effects:
        """Return what a statement does; of one without blocks found once, until it is `touched`."""
        if blocks_of(statement):
            return self._effects_of(statement)
        if id(statement) not in self._effects:
            self._effects[id(statement)] = statement, self._effects_of(statement)
        return self._effects[id(statement)][1]

    def touched(self, statement: Any) -> None:
        """Note that a statement has changed."""
        self._effects.pop(id(statement), None)

    def _effects_of(self, statement: Any) -> Effects:
        inner = list(statements([b for part in blocks_of(statement) for b in part]))
        every = [statement, *inner]
        by_calls = [name for item in every for name in self._written_by_call(item)]
        written = _written_names(every).union(by_calls)
        calm = self._is_calm(statement)
        return Effects(
            Counter(header_reads(statement)),
            _changed_names(every).union(by_calls),
            _named_in(inner),
            self._sharing.groups(written),
            not calm or any(map(is_store, every)),
            calm and all(map(self._purity.is_adjoint, written)),
            isinstance(statement, (gast.With, gast.Try)),
        )

    def stops(self, made: Effects, name: str, source: Any) -> bool:
        """Say whether a statement that has such effects keeps another where it is."""
        if made.holds:
            return True
        moved = self._moved(source)
        if moved.updates and self.shares([name], [*made.reads, *made.inside]):
            return True  # it reads what it adds to, and others read it
        if name in made.inside or not made.changed.isdisjoint(moved.reads):
            return True
        if made.groups and not made.groups.isdisjoint(moved.groups):
            return True
        # adjoints are written in memory of their own, where no value of the primal lies
        return made.impure and moved.looks and not (made.ours and moved.looks_past_adjoints)

    def _moved(self, source: Any) -> _Moved:
        noted = self._noted.get(id(source))
        return self._looked_at(source) if noted is None else noted[1]

    def _looked_at(self, source: Any) -> _Moved:
        reads = set(names_read(source.value))
        updates = isinstance(source, gast.AugAssign)
        if updates:
            reads.add(source.target.id)
        looked = _looked_into(source.value)
        past = not any(map(self._is_adjoint, looked))
        return _Moved(reads, self._sharing.groups(reads), updates, bool(looked), past)

    def shares(self, ours: Iterable[str], theirs: Iterable[str]) -> bool:
        """Say whether two names, one of each side, may lie in the same memory."""
        return any(self._sharing.may_share(a, b) for a in ours for b in theirs)

    def _is_adjoint(self, name: str) -> bool:
        return not name or self._purity.is_adjoint(name)

    def _is_calm(self, statement: Any) -> bool:
        if isinstance(statement, (Comment, Blank)) or _is_record(statement):
            return True
        if isinstance(statement, (gast.Assign, gast.AugAssign, gast.Expr, gast.Return)):
            return statement.value is None or self._purity.of(statement.value)
        return isinstance(statement, gast.stmt) and not list(blocks_of(statement))

    def _written_by_call(self, statement: Any) -> list[str]:
        """Return the names into which the calls in a statement may write.

        A call that is a statement may write into all that it is given.
        """
        calls = isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call)
        if not calls or _is_record(statement):
            found = [call for item in header_of(statement) for call in found_in(item, gast.Call)]
            return [name for call in found for name in self._purity.written_by(call)]
        first = root_name(statement.value.args[0]) if statement.value.args else None
        if first is not None and self._purity.adds_to_first(statement.value):
            return [first]
        return names_read(statement.value)


def _written_names(items: list[Any]) -> set[str]:
    """Return the names through which statements other than calls may write into memory."""
    written: set[str] = set()
    for item in items:
        change = None if _is_record(item) else change_of(item)
        if change is not None:
            written.add(change.name)
        if is_store(item) or isinstance(item, gast.AugAssign):
            written.update(root for t in targets_of(item) if (root := root_name(t)) is not None)
    return written


def _changed_names(items: list[Any]) -> set[str]:
    """Return the names that statements bind, or write into otherwise than by calls."""
    changed: set[str] = set()
    for item in items:
        change = change_of(item)
        if change is not None:
            changed.add(change.name)
        for target in targets_of(item):
            changed.update(names_bound(target))
            root = root_name(target)
            if root is not None:
                changed.add(root)
    return changed


def _is_record(statement: Any) -> bool:
    """Say whether a statement appends to a list that only the backward pass reads."""
    return bool(IS_RECORD.of(statement))


def _named_in(items: list[Any]) -> set[str]:
    """Return the names that statements read or bind."""
    bound = {n for item in items for target in targets_of(item) for n in names_bound(target)}
    return bound | {name for item in items for name in header_reads(item)}


def _looked_into(node: Any) -> list[str]:
    """Return the names of which an expression reads parts; of others an empty name."""
    found = [item for item in walk(node) if isinstance(item, (gast.Subscript, gast.Attribute))]
    return [root_name(item) or "" for item in found]
