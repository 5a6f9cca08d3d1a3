"""Says which values may be computed later than they are, past other statements."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.looks import Look
from srcgrad.ir.marks import IS_RECORD
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import binds_name, header_of, header_reads, is_store, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements
from srcgrad.locks import kept_property
from srcgrad.optimizations.purity import Purity

_PARTS: Final = frozenset({gast.Subscript, gast.Attribute})


@dataclass(slots=True)  # as they are made for each statement, they are not frozen
class _Moved:
    """What there is to say of a statement that is to be moved.

    Attributes:
        reads: The names that it reads, and what it adds to; with the fields of anything, whose
            class may hold them.
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


@dataclass(slots=True)
class Effects:
    """What a statement may do to those that are moved past it.

    Attributes:
        reads: The names that it reads itself, with repetitions.
        changed: The names that it binds or writes into.
        inside: The names in its inner blocks.
        groups: The groups of names that share memory with what it writes.
        impure: Whether it may write into memory.
        ours: Whether that lies in adjoints alone.
        holds: Whether nothing at all may be moved past it.
    """

    reads: list[str]
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

    def note(self, name: str, source: Any, moved: _Moved) -> None:
        """Let a statement wait that binds a name, or adds to it."""
        pair = name, source
        self[name] = source
        for read in moved.reads:
            self._readers[read].append(pair)
        for member in moved.groups:
            self._members[member].append(pair)
        if moved.looks:
            self._looking[moved.looks_past_adjoints].append(pair)

    def note_update(self, name: str, source: Any, group: str) -> None:
        """Note that one that waits adds to a name of a group that shares memory."""
        self._updates[group].append((name, source))

    @property
    def has_updates(self) -> bool:
        """Whether any that adds to something has waited since it was last asked for."""
        return bool(self._updates)

    def reading(self, names: Iterable[str]) -> list[str]:
        """Take out of the notes what reads some names, and return that which still waits."""
        return self._taken(self._readers, names)

    def sharing(self, groups: Iterable[str]) -> list[str]:
        """Take out of the notes what may share memory with some groups of names."""
        return self._taken(self._members, groups)

    def updating(self, groups: Iterable[str]) -> list[str]:
        """Take out of the notes what adds to some groups of names."""
        return self._taken(self._updates, groups)

    def looking(self, *, past_adjoints: bool) -> list[str]:
        """Take out of the notes what reads parts, of adjoints or past them."""
        pairs, self._looking[past_adjoints] = self._looking[past_adjoints], []
        return self._left(pairs)

    def _taken(self, notes: dict[str, list[tuple[str, Any]]], keys: Iterable[str]) -> list[str]:
        found: list[str] = []
        for key in keys:
            pairs = notes.pop(key, None)
            if pairs is not None:
                found += self._left(pairs)
        return found

    def _left(self, pairs: list[tuple[str, Any]]) -> list[str]:
        return [name for name, source in pairs if self.get(name) is source]


class Stops:
    """The places of one block, by what is read there and by what would stop there.

    Of many statements that are to be moved far each asks where the first stop is, and need not go
    through all that is between. What statements read may change meanwhile, but not what they do.
    """

    def __init__(self, block: list[Any], effects: Callable[[Any], Effects]) -> None:
        self._places: dict[Any, list[int]] = defaultdict(list)
        for place, statement in enumerate(block):
            for key in _keys_of(effects(statement)):
                self._places[key].append(place)
        self._end = len(block)

    def readers(self, name: str, after: int) -> list[int]:
        """Return the places after another where a name is read."""
        places = self._places.get(("reads", name), [])
        return places[bisect_right(places, after) :]

    def next(self, keys: list[Any], after: int) -> int:
        """Return the first place after another where something has one of the keys, or the end."""
        found = self._end
        for key in keys:
            places = self._places.get(key, ())
            here = bisect_right(places, after)
            if here < len(places):
                found = min(found, places[here])
        return found


def _keys_of(made: Effects) -> list[Any]:
    """Return what may be asked of the place of a statement with such effects."""
    return [
        *(("reads", name) for name in {*made.reads}),
        *(("inside", name) for name in made.inside),
        *(("changed", name) for name in made.changed),
        *(("group", group) for group in made.groups),
        *([("impure", made.ours)] if made.impure else []),
        *(["holds"] if made.holds else []),
    ]


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
        self._looks: dict[int, tuple[Any, Look]] = {}

    @kept_property
    def _sharing(self) -> Sharing:
        """What shares memory; found when first asked, since in most bodies nothing is moved."""
        return Sharing(self._body, self._purity.of)

    def wait(self, source: Any, name: str, waiting: Waiting | None = None) -> None:
        """Note that a statement waits to be moved, and does not change until it has been."""
        moved = self._looked_at(source)
        self._noted[id(source)] = source, moved
        if waiting is not None:
            waiting.note(name, source, moved)
            if moved.updates:
                (group,) = self._sharing.groups([_updated(source)])
                waiting.note_update(name, source, group)

    def stopped(self, statement: Any, waiting: Mapping[str, Any]) -> list[str]:
        """Return which of the waiting statements, by name, may not move past a statement.

        Those of a `Waiting` are found by its notes, so that not each has to be asked, and have to
        leave it.
        """
        if not waiting:
            return []
        if isinstance(statement, (gast.With, gast.Try)):
            return list(waiting)
        if (
            isinstance(waiting, Waiting)
            and binds_name(statement)
            and self._only_binds(statement)  # as most do
        ):
            return self._stopped_by_name(statement, waiting)
        made = self._effects_of(statement)
        if not isinstance(waiting, Waiting):
            return [name for name, source in waiting.items() if self.stops(made, name, source)]
        found = set(waiting.reading(made.changed))
        if made.groups:
            found.update(waiting.sharing(made.groups))
        if made.inside:
            found.update(made.inside & waiting.keys())
        if waiting.has_updates:
            read = self._sharing.groups([*made.reads, *made.inside])
            found.update(waiting.updating(read))
        if made.impure:
            found.update(waiting.looking(past_adjoints=False))
        if made.impure and not made.ours:
            found.update(waiting.looking(past_adjoints=True))
        return list(found)

    def _stopped_by_name(self, statement: Any, waiting: Waiting) -> list[str]:
        """Return which may not move past a statement that does no more than to bind a name."""
        found = waiting.reading((statement.targets[0].id,))
        if waiting.has_updates:
            found += waiting.updating(self._sharing.groups(self.look(statement).reads))
            return list({*found})
        return found

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
        for item in statements([statement]):
            self._looks.pop(id(item), None)

    def look(self, statement: Any) -> Look:
        """Return what a statement holds but for its blocks: found once, until it is `touched`."""
        found = self._looks.get(id(statement))
        if found is None:
            found = self._looks[id(statement)] = statement, Look(header_of(statement))
        return found[1]

    def count_reads(self) -> Counter[str]:
        """Return how often the statements of the body read each name."""
        return Counter([name for item in statements(self._body) for name in self.look(item).reads])

    def is_pure(self, statement: Any) -> bool:
        """Say whether what an assignment to a name computes has no effect but its value."""
        return self._purity.of_noted(self.look(statement).noted)

    def _effects_of(self, statement: Any) -> Effects:
        if binds_name(statement) and self._only_binds(statement):  # as most do
            bound = {statement.targets[0].id}
            return Effects(self.look(statement).reads, bound, set(), set(), False, True, False)
        inner: list[Any] = []
        if blocks := blocks_of(statement):
            inner = list(statements([b for part in blocks for b in part]))
        every = [statement, *inner]
        by_calls = [name for item in every for name in self._written_by_call(item)]
        written = _written_names(every).union(by_calls)
        calm = self._is_calm(statement)
        return Effects(
            self.look(statement).reads,
            _changed_names(every).union(by_calls, _fields_bound(every)),
            _named_in(inner) if inner else set(),
            self._sharing.groups(written),
            not calm or any(map(is_store, every)),
            calm and all(map(self._purity.is_adjoint, written)),
            isinstance(statement, (gast.With, gast.Try)),
        )

    def _only_binds(self, statement: Any) -> bool:
        """Say whether an assignment to a name changes nothing else."""
        noted = self.look(statement).noted
        if not noted or all(item.__class__ in _PARTS for item in noted):
            return True
        pure = self._purity.of_noted(noted) and not self._written_by_call(statement)
        return pure and change_of(statement) is None

    def stops(self, made: Effects, name: str, source: Any) -> bool:
        """Say whether a statement that has such effects keeps another where it is."""
        if made.holds:
            return True
        moved = self._moved(source)
        if moved.updates and self.shares([_updated(source)], [*made.reads, *made.inside]):
            return True  # it reads what it adds to, and others read it
        if name in made.inside or not made.changed.isdisjoint(moved.reads):
            return True
        if made.groups and not made.groups.isdisjoint(moved.groups):
            return True
        # adjoints are written in memory of their own, where no value of the primal lies
        return made.impure and moved.looks and not (made.ours and moved.looks_past_adjoints)

    def stops_of(self, block: list[Any]) -> Stops:
        """Return where the statements of a block stop others."""
        return Stops(block, self.effects)

    def keys_of(self, name: str, source: Any) -> list[Any]:
        """Return what stops an assignment to a name, for `Stops`; it is as `stops` says."""
        moved = self._moved(source)
        return [
            "holds",
            ("inside", name),
            *(("changed", read) for read in moved.reads),
            *(("group", group) for group in moved.groups),
            *([("impure", False)] if moved.looks else []),
            *([("impure", True)] if moved.looks and not moved.looks_past_adjoints else []),
        ]

    def _moved(self, source: Any) -> _Moved:
        noted = self._noted.get(id(source))
        return self._looked_at(source) if noted is None else noted[1]

    def _looked_at(self, source: Any) -> _Moved:
        look = self.look(source)
        reads = set(look.reads)
        updates = isinstance(source, gast.AugAssign)
        if updates:
            reads.add(_updated(source))
        parts = [item for item in look.noted if item.__class__ in _PARTS]
        if updates:  # what it adds to is told apart by what shares memory
            parts = [item for item in parts if item is not source.target]
        roots = [root_name(item) or "" for item in parts]
        looked = [name for name in roots if not self._purity.is_module(name)]
        past = not any(map(self._is_adjoint, looked))
        groups = self._sharing.groups(reads)
        reads.update(_field(item) for item in parts if item.__class__ is gast.Attribute)
        return _Moved(reads, groups, updates, bool(looked), past)

    def shares(self, ours: Iterable[str], theirs: Iterable[str]) -> bool:
        """Say whether two names, one of each side, may lie in the same memory."""
        return any(self._sharing.may_share(a, b) for a in ours for b in theirs)

    def _is_adjoint(self, name: str) -> bool:
        return not name or self._purity.is_adjoint(name)

    def _is_calm(self, statement: Any) -> bool:
        if isinstance(statement, (Comment, Blank)) or _is_record(statement):
            return True
        if binds_name(statement):
            return self.is_pure(statement)
        if isinstance(statement, (gast.Assign, gast.AugAssign, gast.Expr, gast.Return)):
            return statement.value is None or self._purity.of(statement.value)
        return isinstance(statement, gast.stmt) and not list(blocks_of(statement))

    def _written_by_call(self, statement: Any) -> list[str]:
        """Return the names into which the calls in a statement may write.

        A call that is a statement may write into all that it is given.
        """
        called = isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call)
        if not called or _is_record(statement):
            found = self.look(statement).noted
            calls = [item for item in found if item.__class__ is gast.Call]
            return [name for call in calls for name in self._purity.written_by(call)]
        first = root_name(statement.value.args[0]) if statement.value.args else None
        if first is not None and self._purity.adds_to_first(statement.value):
            return [first]
        return names_read(statement.value)


def _fields_bound(items: list[Any]) -> set[str]:
    """Return the fields that statements bind, of whatever: of a class, its objects have them."""
    return {
        _field(target)
        for item in items
        if isinstance(item, (gast.Assign, gast.AugAssign))
        for target in targets_of(item)
        if isinstance(target, gast.Attribute)
    }


def _field(place: Any) -> str:
    return f".{place.attr}"


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


def _updated(statement: Any) -> str:
    """Return the name that an update adds to, or to a part of."""
    return root_name(statement.target) or ""


def _is_record(statement: Any) -> bool:
    """Say whether a statement appends to a list that only the backward pass reads."""
    return bool(IS_RECORD.of(statement))


def _named_in(items: list[Any]) -> set[str]:
    """Return the names that statements read or bind."""
    bound = {n for item in items for target in targets_of(item) for n in names_bound(target)}
    return bound | {name for item in items for name in header_reads(item)}
