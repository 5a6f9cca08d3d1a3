"""Says which names may share memory, and whether the writes of a program can be differentiated.

A write is understood where, from then on, the memory is reached through one name only. Everything
else is refused: the tape, which sees the arrays themselves, can still run it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from srcgrad.analyses.activity import varied_names
from srcgrad.analyses.array_kinds import ArrayKinds
from srcgrad.analyses.call_writes import CallWrites
from srcgrad.analyses.changes import ContainerChanges
from srcgrad.analyses.container_shadows import container_shadows
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.entries import Entries
from srcgrad.analyses.filled import is_filled_first, is_read_by_entries
from srcgrad.analyses.held_entries import HeldEntries
from srcgrad.analyses.inner_lists import inner_lists
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.memory import Problem, Storage
from srcgrad.analyses.mixed_kinds import uses_of_mixed_kinds
from srcgrad.analyses.number_tables import cells_stored, number_tables
from srcgrad.analyses.outside_numbers import OutsideNumbers
from srcgrad.analyses.plain_names import copies_of, read_names, target_names
from srcgrad.analyses.shadowed import NotShadowedError, Shadowed
from srcgrad.analyses.shadowing import Shadowing
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.shared_operands import SharedOperands
from srcgrad.analyses.sharing_by_then import SharingByThen
from srcgrad.analyses.sharing_classes import SharingClasses
from srcgrad.analyses.threaded_states import states_that_hold
from srcgrad.analyses.unfit_arrays import uses_of_unfit_arrays
from srcgrad.analyses.written_numbers import written_numbers
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.changes import Change, change_of
from srcgrad.ir.displays import makes_list, repeated_entries
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.program import (
    GIVEN_ARRAYS,
    Program,
    bound_names,
    direct_names,
    is_store,
    store_target,
)
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, names_read, root_name, statements
from srcgrad.locks import kept_property


def storage(
    program: Program, shapes: Shapes, dimensions: Dimensions, integers: Integers
) -> Storage:
    """Analyse the writes of a program.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> from srcgrad.analyses.integers import Integers
    >>> program = program_of('''
    ... def f(x):
    ...     y = np.zeros(3)
    ...     y[0] = x[0]
    ...     x[1] = 0.0
    ...     return np.sum(y)
    ... ''')
    >>> integers = Integers(program)
    >>> shapes = Shapes(program, integers)
    >>> dimensions = Dimensions(program, integers, shapes, assume=True)
    >>> found = storage(program, shapes, dimensions, integers)
    >>> sorted(found.mutated)
    ['x', 'x_0', 'y']
    >>> sorted(found.mirror.names), list(found.mirror.conditions)
    (['x'], ['isinstance(x, np.ndarray)'])
    """
    return _Analysis(program, shapes, dimensions, integers).run()


class _Analysis:
    def __init__(
        self, program: Program, shapes: Shapes, dimensions: Dimensions, integers: Integers
    ) -> None:
        self._program = program
        self._shapes = shapes
        self._dimensions = dimensions
        self._integers = integers
        self._sharing = SharingClasses()
        self._joined: list[tuple[float, str, str]] = []
        self._result = Storage()
        self._writes: list[tuple[Any, str, bool]] = []
        self._views: set[str] = set()
        self._made_here = bound_names(program.body)
        self._repeated: set[str] = set()
        self._kinds = ArrayKinds(program, shapes)
        self._outside = OutsideNumbers(program, integers, shapes.is_number)
        parts = program, shapes, dimensions, self._kinds, self._outside
        self._operands = SharedOperands(*parts, weakly(self._is_number))
        self._calls = CallWrites(program, weakly(self._varies), weakly(self._problem))
        self._changes = ContainerChanges(program, shapes)
        self._numbers = program.once(written_numbers)
        self._changed: list[tuple[int, set[str]]] = []  # where, and the names of what is changed
        self._result.own, self._result.arrays = self._changes.own, self._kinds.arrays
        self._result.outside.update(self._changes.lent)

    def run(self) -> Storage:
        for number, statement in enumerate(statements(self._program.body)):
            self._result.order[id(statement)] = self._number = number
            self._visit(statement)
        if self._writes or self._result.writes:
            self._loop_spans()
            self._judge()
        mixed = uses_of_mixed_kinds(self._program, lambda: self._varied, self._is_number)
        for problem in (*uses_of_unfit_arrays(self._program, lambda: self._varied), *mixed):
            self._problem(*problem)
        self._result.problems += self._changes.problems()
        return self._result

    def _loop_spans(self) -> None:
        order = self._result.order
        for statement in statements(self._program.body):
            if isinstance(statement, (gast.For, gast.While)):
                inside = [order[id(item)] for item in statements(statement.body)]
                if inside:
                    span = (min(inside), max(inside), bound_names(statement.body))
                    self._result.loops.append(span)

    # -- what shares memory, and what is written

    def _visit(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            self._visit_change(statement, change)
            return
        if is_store(statement):
            self._visit_store(statement)
            return
        if isinstance(statement, gast.Assign):
            self._visit_assign(statement)
        elif isinstance(statement, gast.AugAssign):
            name = root_name(statement.target)
            if name is not None:
                self._writes.append((statement, name, True))
        elif isinstance(statement, gast.For) and not self._gives_no_memory(statement.iter):
            for target in names_bound(statement.target):
                for source in self._operands.local(names_read(statement.iter)):
                    self._join(target, source)
        for name in self._calls.of(statement):
            self._writes.append((statement, name, True))

    def _visit_change(self, statement: Any, change: Change) -> None:
        for holder, held in self._changes.held(statement):
            self._join(holder, held)
        self._note_change(statement)
        grown = self._changes.grown_row(statement) is not None
        if grown or self._changes.contested(statement) is not None:
            self._writes.append((statement, change.name, True))

    def _gives_no_memory(self, iterable: Any) -> bool:
        """Say whether a loop runs over the numbers of a `range`, keys, or arrays that are new."""
        if self._program.once(Entries).gives_keys(iterable):
            return True
        reader = self._program.reader
        callee = reader.scope.resolve(getattr(iterable, "func", iterable))
        known = callee is not MISSING and isinstance(iterable, gast.Call)
        return known and (callee is range or reader.vocabulary.primitive(callee).gives_new)

    def _visit_store(self, statement: Any) -> None:
        target = root_name(store_target(statement))
        if target is not None and self._changes.puts_entry(statement, target):
            for value in self._changes.entry_names(statement.value):
                self._join(target, value)
            self._note_change(statement)
            if self._changes.contested(statement) is not None:
                self._writes.append((statement, target, True))
        elif target is not None:
            self._writes.append((statement, target, True))
            adds = isinstance(statement, gast.AugAssign)  # the sum is new memory
            copies = target in self._kinds.arrays  # as lists and dicts, which keep it, do not
            for value in [] if adds or copies else direct_names(statement.value):
                if not self._shapes.is_number(statement.value):
                    self._join(target, value, after=True)

    def _note_change(self, statement: Any) -> None:
        """Note that the lists and dicts which the backward pass may read are not what they were."""
        changed = self._changes.aliases(statement)
        self._changed.append((self._number, changed))
        for name in changed:
            self._result.writes.setdefault(name, []).append(self._number)
            self._result.reshaped.add(name)

    def _visit_assign(self, statement: Any) -> None:
        operation = self._program.operation(statement)
        targets = [name for target in statement.targets for name in names_bound(target)]
        if IN_PLACE.of(statement):
            left = statement.value.left if isinstance(statement.value, gast.BinOp) else None
            first = statement.targets[0]
            if isinstance(left, gast.Name) and not self._kinds.is_immutable(left, first):
                self._writes.append((statement, left.id, False))
                for target in targets:
                    self._join(target, left.id)
            return
        for source in self._operands.of(statement.value, operation):
            for target in targets:
                self._join(target, source)
        for state, problem in states_that_hold(self._program, self._shapes, statement):
            self._join(state.target.id, state.given.id)  # what is held lies in the new one, too
            self._result.problems += problem
        apart = self._program.reader.vocabulary.results_are_apart
        several = operation.kind in ("user", "class", "taped", "unknown")
        if several and not (operation.kind == "user" and apart(operation.primal)):
            for target in targets[1:]:
                self._join(target, targets[0])  # the results may be views of each other
        if operation.kind != "copy":
            self._views.update(targets)
        if makes_list(statement.value):
            self._result.lists.update(targets)
        if not all(isinstance(v, gast.Constant) for v in repeated_entries(statement.value) or ()):
            self._repeated.update(targets)

    def _join(self, target: str, source: str, *, after: bool = False) -> None:
        """Let two names share memory from a statement on; `after` it, if it writes into neither."""
        if target != source and self._numbers.isdisjoint((target, source)):
            self._sharing.join(target, source)
            self._joined.append((self._number + after / 2, target, source))

    def _varies(self, name: str) -> bool:
        return name in self._varied

    @kept_property
    def _varied(self) -> frozenset[str]:
        return varied_names(self._program)

    @kept_property
    def _varied_in_memory(self) -> frozenset[str]:
        return varied_names(self._program, self._sharing.classes().values())

    @kept_property
    def _held(self) -> HeldEntries:
        def shared(statement: Any) -> list[str]:
            return self._operands.of(statement.value, self._program.operation(statement))

        return HeldEntries(self._program, shared, self._shapes.is_number)

    # -- judgement

    def _judge(self) -> None:
        classes = self._sharing.classes()
        live_at = self._live_at_writes()
        groups: dict[str, list[tuple[Any, str, bool]]] = defaultdict(list)
        problems: dict[str, list[Problem]] = defaultdict(list)
        by_then = SharingByThen(self._joined, self._result)
        for statement, name, element in self._writes:
            self._result.written.add(name)
            early = by_then.when(statement)
            root = self._sharing.root(name)
            members = classes.get(root, {name}) | {name}
            groups[root].append((statement, name, element))
            if element:
                self._note_write(statement, members)
                self._note_axisless(members, only=name)
                self._result.reshaped |= set() if change_of(statement) is None else members
            elif len({self._program.namer.base(member) for member in members}) > 1:
                self._result.mutated |= members  # a view may still be read by the backward pass
            then = {item for item in members if early.root(item) == early.root(name)}
            constant = self._is_constant(statement, name, then, members, element=element)
            found = (
                []
                if constant
                else self._check(statement, name, element, then, live_at[id(statement)])
            )
            contested = self._changes.contested(statement)
            problems[root] += found or ([] if contested is None or constant else [contested])
        for root, writes in groups.items():
            if problems[root]:
                self._resolve(classes[root], writes, problems[root], live_at)
        self._keep_outside_made(classes)
        self._refuse_replaced_entries()

    def _refuse_replaced_entries(self) -> None:
        """Refuse to replace an array in a container whose arrays have shadows: it needs its own."""
        inner = inner_lists(self._program)
        rows = self._program.once(number_tables).rows.keys()
        for statement, name, _ in self._writes:
            if not is_store(statement) or name not in self._result.mirror.names:
                continue
            if id(statement) in self._result.mirror.settled:
                continue
            if id(statement) in self._result.mirror.replaced:
                continue
            if isinstance(statement, gast.AugAssign) and name not in rows:
                continue
            whole = isinstance(store_target(statement).value, gast.Name)
            number = self._is_number(statement.value)
            if whole and name in (inner - rows if number else inner | rows | self._result.lists):
                what = "this replaces an array in a container whose arrays are written in place"
                hint = "write into the array: `a[i][...] = v`, or keep the new one in another list"
                self._result.problems.append(Problem(statement, what, hint))

    def _is_number(self, value: Any) -> bool:
        """Say whether an operand is a number, or one or the other."""
        if isinstance(value, gast.IfExp):
            return self._is_number(value.body) and self._is_number(value.orelse)
        if isinstance(value, gast.Name) and value.id in self._outside.numbers_read:
            return True
        return self._shapes.is_number(value) or self._dimensions.rank(value) == 0

    def _note_write(self, statement: Any, members: set[str]) -> None:
        position = self._result.order[id(statement)]
        for member in members:
            self._result.writes.setdefault(member, []).append(position)
        self._result.mutated |= members

    def _note_axisless(self, members: set[str], only: str | None = None) -> None:
        """Note the arrays without axes that a write changes; elements that were read are values."""
        if only is None or self._shapes.is_number(load(only)):
            self._result.axisless |= members - self._elements

    @kept_property
    def _elements(self) -> set[str]:
        return read_names(self._program)

    def _resolve(
        self,
        members: set[str],
        writes: list[tuple[Any, str, bool]],
        problems: list[Problem],
        live_at: dict[int, frozenset[str]],
    ) -> None:
        """Give the names of a group with a problem shadows, or report the problem."""
        named = [(statement, name) for statement, name, _ in writes]
        found = self._shadowed(members, writes, live_at)
        if found is None:
            containers = container_shadows(self._program, named, self._is_number)
            if containers is None:
                self._result.problems += problems
            else:
                self._mirror_containers(containers, members)
            return
        whole = [statement for statement, _, element in writes if not element]
        cells = cells_stored(self._program, found.names, self._result.own)
        for statement in (*whole, *found.settled.values(), *cells):
            self._note_write(statement, members)
            self._note_axisless(members)
        self._result.own -= _updates(writes) | found.settled.keys() | set(map(id, cells))
        self._result.mirror.add(found)
        self._result.scalars -= members

    def _shadowed(
        self,
        members: set[str],
        writes: list[tuple[Any, str, bool]],
        live_at: dict[int, frozenset[str]],
    ) -> Shadowed | None:
        """Return the shadows of the memory of a group; None if it cannot be mirrored."""
        shadowing = Shadowing(
            self._program,
            self._dimensions,
            self._integers,
            lambda item: self._operands.of(item.value, self._program.operation(item)),
            self._result.own,
            self._is_number,
        )
        try:
            found = shadowing.shadow(members, [(s, name) for s, name, _ in writes], live_at)
        except NotShadowedError:
            return None
        changed = found.names & self._result.reshaped
        own = self._result.own - _updates(writes) - found.settled.keys()
        changed -= self._program.once(number_tables).rows.keys()  # a row shrinks as it has grown
        found.changing = {n for n in changed if not is_filled_first(self._program, n, own)}
        late = not all(is_read_by_entries(self._program, n, own) for n in found.changing)
        unfit = late or (found.conditions and not self._dimensions.assumes)
        return None if unfit else found

    def _mirror_containers(self, found: Shadowed, members: set[str]) -> None:
        """Let containers have shadows, of which the arrays in them are not written into."""
        self._result.mutated -= members
        self._result.axisless -= members
        for name in members - found.names:
            self._result.writes[name] = [at for at, changed in self._changed if name in changed]
        self._result.reshaped |= found.names
        self._result.own |= found.replaced.keys() | found.put
        self._result.mirror.add(found)

    def _keep_outside_made(self, classes: dict[str, set[str]]) -> None:
        """A name bound in a loop is not made there if its memory is reached outside, too."""
        changed = self._result.mutated | self._result.mirror.names
        written = [members for members in classes.values() if members & changed]
        for _, _, made in self._result.loops:
            for members in [*written, *(changed for _, changed in self._changed)]:
                if not members <= made:
                    made.difference_update(members)

    def _live_at_writes(self) -> dict[int, frozenset[str]]:
        wanted = {id(statement) for statement, _, _ in self._writes}
        found: dict[int, frozenset[str]] = {}

        def visit(statement: Any, live: set[str]) -> None:
            if id(statement) in wanted:
                found[id(statement)] = frozenset(live)

        walk_live(self._program.body, set(), visit)
        return found

    def _is_constant(
        self, statement: Any, name: str, then: set[str], members: set[str], *, element: bool
    ) -> bool:
        """Say whether what is written by then can have no derivative, so that it is just run.

        What the module has must be reached by names of the program alone: what else reads it might
        be asked before or after its time.
        """
        if not self._varied_in_memory.isdisjoint(members):
            return False
        owners = self._foreign(then)
        if not all(map(self._outside.holds, owners - set(self._program.parameters))):
            return False
        if not element and (owners or len(set(map(self._program.namer.base, then))) > 1):
            if name not in self._kinds.arrays and self._program.given.get(name) not in GIVEN_ARRAYS:
                return False  # of a number it is no write
            self._result.mirror.updates.add(id(statement))
            self._note_write(statement, members)
            self._note_axisless(members)
        self._result.outside |= owners
        return True

    def _check(
        self, statement: Any, name: str, element: bool, members: set[str], live: frozenset[str]
    ) -> list[Problem]:
        owners = self._foreign(members)
        element = element or any(self._program.given.get(item) in GIVEN_ARRAYS for item in owners)
        if owners and (element or self._through_view(members, owners)):
            owner = self._program.namer.base(min(owners))
            copy = owner if owners & set(self._program.parameters) else f"own_{owner.lower()}"
            if owner in self._operands.said:
                owner = self._operands.said[owner]
                copy = f"own_{owner.rpartition('.')[2].lower().rstrip('()')}"
            what = f"this writes into memory that the caller may reach as `{owner}`"
            return [Problem(statement, what, f"work on a copy: `{copy} = {owner}.copy()`")]
        updates = id(statement) in self._changes.own and self._held.may_repeat(members)
        if is_store(statement) and (updates or not self._repeated.isdisjoint(members)):
            hint = "make each entry: `[np.zeros(3) for _ in range(n)]`"
            return [Problem(statement, "this writes into what a list may hold several times", hint)]
        result = set() if element else set(target_names(statement))
        others = (members & live) - {name} - result
        if not element and name in live:
            others.add(name)
        if owners:
            scalars = owners & set(self._program.parameters)
            self._result.scalars |= scalars
            others -= copies_of(self._program, scalars)
        if others:
            other = self._program.namer.base(min(others))
            what = f"this writes into memory that is also reached as `{other}` later"
            return [Problem(statement, what, "make a copy before writing")]
        return []

    def _foreign(self, members: set[str]) -> set[str]:
        """Return the members that belong to the caller or to the module."""
        return {
            name
            for name in members
            if name in self._program.parameters
            or (name not in self._made_here and not self._is_number_outside(name))
        }

    def _is_number_outside(self, name: str) -> bool:
        """Say whether a name means nothing outside, or a number, which has no memory."""
        found = self._program.reader.scope.lookup(name)
        return found is MISSING or isinstance(found, (int, float, complex, np.number))

    def _through_view(self, members: set[str], owners: set[str]) -> bool:
        """Say whether anything but plain copies leads from the owners to the other members."""
        return bool((members - owners) & self._views & self._derived) or bool(
            owners - set(self._program.parameters)
        )

    @property
    def _derived(self) -> set[str]:
        derived: set[str] = set()
        for statement in statements(self._program.body):
            if isinstance(statement, gast.Assign) and not IN_PLACE.of(statement):
                operation = self._program.operation(statement)
                if self._operands.of(statement.value, operation) and operation.kind != "copy":
                    derived.update(n for t in statement.targets for n in names_bound(t))
        return derived

    def _problem(self, statement: Any, message: str, hint: str) -> None:
        self._result.problems.append(Problem(statement, message, hint))


def _updates(writes: list[tuple[Any, str, bool]]) -> set[int]:
    """Return the writes that are updates ``x += v``, by identity."""
    return {id(statement) for statement, _, _ in writes if isinstance(statement, gast.AugAssign)}
