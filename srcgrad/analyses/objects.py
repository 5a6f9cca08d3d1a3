"""Says which lists and dicts a name may be bound to, and whether changing one can be followed.

Every display makes a new object, known by the place in the program where it is made. Of the objects
made at one place the last is told from the older ones, so that a list made anew by every trip of a
loop is not taken for that of the trip before (the recency abstraction of Balakrishnan and Reps,
2006). A change is understood if the object is reached through one name only from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.analyses.containers import TREES
from srcgrad.analyses.entries import Entries
from srcgrad.analyses.lent import NOT_LENT, Lent
from srcgrad.analyses.threaded_states import threaded_states
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, store_target
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import blocks_of, names_bound, names_read, statements
from srcgrad.locks import kept_property

Object = tuple[str, int]
"""``("new", place)``, ``("old", place)``, ``("lent", place)``, or one of those below."""

FOREIGN: Final[Object] = ("foreign", 0)
"""Stands for what the caller, the module or a called function may reach."""
NO_CONTAINER: Final[Object] = ("none", 0)
"""Stands for numbers and arrays."""
TREE: Final[Object] = ("tree", 0)
"""Stands for entries that are numbers, arrays and new lists and dicts, each of them held once."""

Objects = frozenset[Object]

_COPIERS: Final = (list, dict, tuple, set, sorted)
_DISPLAYS: Final = (gast.List, gast.Tuple, gast.Dict, gast.Set)
_COMPREHENSIONS: Final = (gast.ListComp, gast.DictComp, gast.SetComp, gast.GeneratorExp)


@dataclass(slots=True)
class _State:
    """What every name may be bound to, and what every object may hold."""

    names: dict[str, Objects] = field(default_factory=dict)
    holds: dict[Object, Objects] = field(default_factory=dict)
    groups: dict[Objects, dict[str, None]] | None = field(default=None, compare=False)

    def copy(self) -> _State:
        return _State(dict(self.names), dict(self.holds))

    def bind(self, name: str, found: Objects) -> None:
        """Let a name be bound to one of some objects."""
        if self.groups is not None:
            self.groups.get(self.names.get(name, frozenset()), {}).pop(name, None)
            self.groups.setdefault(found, {})[name] = None
        self.names[name] = found

    def together(self) -> dict[Objects, dict[str, None]]:
        """Return the names that may be bound to the same objects, by those."""
        if self.groups is None:
            self.groups = {}
            for name, found in self.names.items():
                self.groups.setdefault(found, {})[name] = None
        return self.groups

    def join(self, other: _State) -> None:
        self.groups = None
        for name, found in other.names.items():
            self.names[name] = self.names.get(name, frozenset()) | found
        for item, found in other.holds.items():
            self.holds[item] = self.holds.get(item, frozenset()) | found

    def of(self, name: str) -> Objects:
        return self.names.get(name, frozenset())

    def held(self, objects: Iterable[Object]) -> Objects:
        """Return what the objects hold directly; nothing is known of foreign ones."""
        found: Objects = frozenset()
        for item in objects:
            found |= frozenset({FOREIGN}) if item == FOREIGN else self.holds.get(item, frozenset())
        return found

    def inside(self, objects: Objects) -> Objects:
        """Return what can be reached in the objects, without themselves."""
        found = self.held(objects)
        size = -1
        while len(found) != size:
            size = len(found)
            found |= self.held(found)
        return found

    def made(self, place: int) -> Object:
        """Make the object of a place; the last one made there becomes one of the older ones."""
        new, old = ("new", place), ("old", place)
        if new not in self.holds:  # none has been made there
            return new
        self.groups = None

        def aged(objects: Objects) -> Objects:
            return (objects - {new}) | {old} if new in objects else objects

        self.names = {name: aged(objects) for name, objects in self.names.items()}
        before = self.holds.pop(new, frozenset())
        self.holds = {item: aged(objects) for item, objects in self.holds.items()}
        if before or old in self.holds:
            self.holds[old] = self.holds.get(old, frozenset()) | aged(before)
        return new


@dataclass(slots=True)
class Containers:
    """What is known of the lists and dicts of a program.

    Attributes:
        conflicts: The changes that cannot be followed, with the name under which the object is
            also reached; None if it may be the caller's.
        own: The changes and stores of lists and dicts that the program has made itself.
        aliases: For each of those, the names that may be bound to the same object.
    """

    conflicts: dict[int, tuple[Any, str | None]] = field(default_factory=dict)
    own: set[int] = field(default_factory=set)
    aliases: dict[int, set[str]] = field(default_factory=dict)


def objects(
    program: Program, arrays: frozenset[str] = frozenset(), others: Lent = NOT_LENT
) -> Containers:
    """Follow the lists and dicts of a program; `arrays` are names that are bound to none.

    Of `others`, which the caller or the module has, it is known which may be changed, too.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> found = objects(program_of('''
    ... def f(x):
    ...     rows = []
    ...     for i in range(3):
    ...         row = []
    ...         row.append(x[i])
    ...         rows.append(row)
    ...     same = rows if len(x) > 9 else []
    ...     rows.append(x)
    ...     return same[0][0] + rows[0][0]
    ... '''))
    >>> [name for _, name in found.conflicts.values()]
    ['same']
    """
    return _Analysis(program, arrays, others).run()


def _is_truth(node: Any) -> bool:
    """Say whether an expression gives a bool or a fresh array of them, whatever it looks at."""
    negates = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)
    return negates or isinstance(node, gast.Compare)


class _Analysis:
    def __init__(self, program: Program, arrays: frozenset[str], others: Lent) -> None:
        self._program = program
        self._arrays = arrays
        self._others = others
        self._result = Containers()
        self._state = _State()
        self._live: dict[int, frozenset[str]] = {}

    def run(self) -> Containers:
        body = self._program.body
        changing = [s for s in statements(body) if change_of(s) is not None or is_store(s)]
        if not changing:
            return self._result
        wanted = {id(statement) for statement in changing}

        def visit(statement: Any, live: set[str]) -> None:
            if id(statement) in wanted:
                self._live[id(statement)] = frozenset(live)

        walk_live(body, set(), visit)
        for name in self._program.parameters:
            self._state.bind(name, frozenset({FOREIGN}))
        for place, name in enumerate(sorted(self._others.changed)):
            self._state.bind(name, frozenset({("lent", place)}))
            self._state.holds["lent", place] = frozenset({FOREIGN, NO_CONTAINER})
        self._block(body)
        return self._result

    def _block(self, block: list[Any]) -> None:
        for statement in block:
            if isinstance(statement, gast.If):
                before = self._state.copy()
                self._block(statement.body)
                then, self._state = self._state, before
                self._block(statement.orelse)
                self._state.join(then)
            elif isinstance(statement, (gast.For, gast.While)):
                self._loop(statement)
            elif isinstance(statement, (gast.With, gast.Try)):
                before = self._state.copy()
                for part in blocks_of(statement):
                    self._block(part)
                    self._state.join(before)  # it may have been left before its end
            else:
                self._simple(statement)

    @kept_property
    def _entries_of(self) -> Entries:
        return self._program.once(Entries)

    def _loop(self, loop: Any) -> None:
        while True:
            before = self._state.copy()
            if isinstance(loop, gast.For):
                found = self._read_from(loop.iter)
                if self._entries_of.gives_keys(loop.iter):
                    found = frozenset({NO_CONTAINER})  # keys do not change
                for name in names_bound(loop.target):
                    self._bind(name, found)
            self._block(loop.body)
            self._state.join(before)
            if self._state == before:
                return

    def _simple(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            self._check(statement, change.name)
            held = self._state.held(self._state.of(change.name))
            if change.value is not None:
                self._put(change.name, [change.value])
            if change.target is not None:
                if TREE in held:  # what is taken out of a tree is a tree of its own
                    held = (held - {TREE}) | self._new(statement, frozenset({TREE}))
                self._bind(change.target, held | {NO_CONTAINER})
        elif is_store(statement):
            base = store_target(statement).value
            if isinstance(base, gast.Name):
                self._check(statement, base.id)
                self._put(base.id, [statement.value])
        elif isinstance(statement, gast.Assign):
            self._assign(statement)

    def _bind(self, name: str, found: Objects) -> None:
        self._state.bind(name, frozenset({NO_CONTAINER}) if name in self._arrays else found)

    def _put(self, name: str, values: list[Any]) -> None:
        inside = frozenset(o for v in values for n in direct_names(v) for o in self._state.of(n))
        for item in self._state.of(name):
            if item not in (FOREIGN, NO_CONTAINER):
                self._state.holds[item] = self._state.holds.get(item, frozenset()) | inside

    def _assign(self, statement: Any) -> None:
        found = self._value(statement)
        unpacks = self._program.operation(statement).kind == "unpack"
        found = self._state.held(found) | {NO_CONTAINER} if unpacks else found
        states = self._states(statement)
        for target in statement.targets:
            for name in names_bound(target):
                self._bind(name, states.get(name, found))

    def _states(self, statement: Any) -> dict[str, Objects]:
        """Return what the results of a call are that are new lists and dicts, if they are any."""
        vocabulary = self._program.reader.vocabulary
        states = threaded_states(statement, self._program.operation(statement), vocabulary)
        held = self._read_from(statement.value) if states else frozenset()
        made = {item.target.id: self._new(item.target, held) for item in states}
        return {name: found | {NO_CONTAINER} for name, found in made.items()}

    def _value(self, statement: Any) -> Objects:
        operation = self._program.operation(statement)
        value = statement.value
        of_args = [self._state.of(name) for arg in operation.args for name in direct_names(arg)]
        if operation.kind in ("copy", "unpack"):
            return frozenset().union(*of_args) or self._read_from(value)
        if operation.primal is self._program.reader.vocabulary.getitem:
            held = self._state.held(frozenset().union(*of_args[:1]))
            if isinstance(value.slice, gast.Slice):
                return self._new(statement, held) | {NO_CONTAINER}
            return held | {NO_CONTAINER}
        if isinstance(value, _DISPLAYS):
            return self._new(statement, self._entries(value))
        if operation.primal in TREES:
            return self._new(statement, frozenset({TREE})) | {NO_CONTAINER}
        if self._makes_new(value):
            return self._new(statement, self._filled_from(value))
        if operation.kind in ("primitive", "constant", "class"):
            return frozenset({NO_CONTAINER})
        return self._called(statement, operation)

    def _called(self, statement: Any, operation: Operation) -> Objects:
        """Return what a call gives of which nothing is known but whether it makes a new list."""
        back = self._given_back(statement.value, operation) | {FOREIGN, NO_CONTAINER}
        vocabulary = self._program.reader.vocabulary
        makes = operation.kind == "user" and vocabulary.returns_new_list(operation.primal)
        return self._new(statement, back) if makes else back

    def _given_back(self, value: Any, operation: Operation) -> Objects:
        """Return what a call may return of what it is given."""
        if operation.kind != "user" or not isinstance(value, gast.Call):
            return self._read_from(value)
        vocabulary, callee = self._program.reader.vocabulary, operation.primal
        counts = not vocabulary.passes_on(callee)  # as what finds the place of an entry
        alone = counts and not vocabulary.returned_operands(callee, value)
        return frozenset() if alone else self._read_from(value)

    def _filled_from(self, value: Any) -> Objects:
        """Return what a new container may hold: of numbers and arrays it holds no container."""
        if self._program.reader.gives_keys(value):
            return frozenset({NO_CONTAINER})
        if isinstance(value, _COMPREHENSIONS):
            entry = value.value if isinstance(value, gast.DictComp) else value.elt
            reader = self._program.reader
            primal = reader.read(entry).primal
            name = "" if primal is None else reader.vocabulary.canonical_name(primal)
            if name.startswith("numpy."):
                return frozenset({NO_CONTAINER})
        return self._read_from(value)

    def _makes_new(self, value: Any) -> bool:
        if isinstance(value, _COMPREHENSIONS):
            return True
        if isinstance(value, gast.BinOp):
            return any(
                isinstance(side, (gast.List, gast.Tuple, *_COMPREHENSIONS)) or self._makes_new(side)
                for side in (value.left, value.right)
            )
        return (
            isinstance(value, gast.Call)
            and self._program.reader.scope.resolve(value.func) in _COPIERS
        )

    def _entries(self, display: Any) -> Objects:
        """Return what a display holds; what is starred gives its entries."""
        items = display.values if isinstance(display, gast.Dict) else display.elts
        spread = [k is None for k in display.keys] if isinstance(display, gast.Dict) else []
        found: Objects = frozenset()
        for position, item in enumerate(items):
            starred = isinstance(item, gast.Starred)
            inner = item.value if starred else item
            entry = self._state.of(inner.id) if isinstance(inner, gast.Name) else self._deep(inner)
            is_spread = starred or (bool(spread) and spread[position])
            found |= self._state.held(entry) if is_spread else entry
        return found

    def _deep(self, node: Any) -> Objects:
        if isinstance(node, _DISPLAYS):
            return self._read_from(node)
        return frozenset() if isinstance(node, gast.Constant) else self._read_from(node)

    def _read_from(self, node: Any) -> Objects:
        """Return all that an expression may give, if nothing is known of what it does."""
        found: Objects = frozenset()
        if _is_truth(node):
            return found
        if isinstance(node, gast.BoolOp):
            return found.union(*map(self._read_from, node.values))
        if isinstance(node, gast.IfExp):
            return self._read_from(node.body) | self._read_from(node.orelse)
        for name in names_read(node):
            objects = self._state.names.get(name)
            if objects is None:
                value = self._program.reader.scope.lookup(name)
                data = value is not MISSING and not callable(value)
                objects = frozenset({FOREIGN}) if data else frozenset()
            found |= objects | self._state.inside(objects)
        return found

    def _new(self, statement: Any, held: Objects) -> Objects:
        place = id(statement)
        before = held
        made = self._state.made(place)
        if ("new", place) in before:
            before = (before - {made}) | {("old", place)}
        self._state.holds[made] = before
        return frozenset({made})

    def _check(self, statement: Any, name: str) -> None:
        """Judge a change of the object that `name` is bound to."""
        if name in self._others.logs:
            return
        found = self._state.of(name)
        real = found - {NO_CONTAINER}
        if (
            not real.isdisjoint({FOREIGN, TREE})
            or not real
            or (is_store(statement) and NO_CONTAINER in found)
        ):
            if not is_store(statement):
                self._result.conflicts[id(statement)] = (statement, None)
            return
        self._result.own.add(id(statement))
        same = self._result.aliases.setdefault(id(statement), {name})
        base = self._program.namer.base
        live = self._live[id(statement)]
        also: list[str] = []
        for objects, names in self._state.together().items():
            if not real.isdisjoint(objects):
                same.update(names)
                also += [n for n in names if n != name and (n in live or base(n) != base(name))]
            elif names and not real.isdisjoint(self._state.inside(objects)):
                also += [n for n in names if n != name]
        if also:
            last = {*also}.__contains__
            other = also[0] if len(also) == 1 else next(filter(last, reversed(self._state.names)))
            self._result.conflicts[id(statement)] = (statement, other)
