"""Says which names need a tangent that mirrors them, also where memory has several names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from srcgrad.analyses.entries import Entries, copied_list
from srcgrad.analyses.outside_attributes import holders_of_memory
from srcgrad.analyses.threaded_states import threaded_states
from srcgrad.ir import gast
from srcgrad.ir.displays import parts_displayed
from srcgrad.ir.operations import Operation, may_return_operand
from srcgrad.ir.program import (
    Program,
    bound_names,
    direct_names,
    is_store,
    operand_names,
    store_target,
)
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, nodes_in, root_name, statements
from srcgrad.locks import kept_property


@dataclass(frozen=True, slots=True)
class Mirroring:
    """The names that have tangents, and those of them whose memory may be written.

    Attributes:
        varied: The names that depend on an input.
        active: Those of them that an output depends on.
        written: The names that may be bound to memory that is written after it was made.
        outside: The names of what lives outside the function into which varied values are written.
        lasting: Names whose memory is not written after they are bound, but was before, with all
            names that may be bound to it.
        own: Those of the written names into whose memory the program writes itself, and not only
            who calls it.
    """

    varied: frozenset[str]
    active: frozenset[str]
    written: frozenset[str]
    outside: frozenset[str] = frozenset()
    lasting: Mapping[str, frozenset[str]] = field(default_factory=dict)
    own: frozenset[str] = frozenset()

    def lasts(self, name: str, read: Collection[str]) -> bool:
        """Say whether nothing writes into the memory of a name, and of names that it reads, again.

        That is known of the names that may be bound to the same memory.
        """
        return name in self.lasting and self.lasting[name].issuperset(read)


def mirroring(
    program: Program,
    outputs: tuple[str, ...],
    integers: Collection[str] = (),
    *,
    is_entry: bool = True,
) -> Mirroring:
    """Return the names of a program that have tangents, for derivatives of `outputs`.

    Where something is written, whatever may be the same memory varies together, but for `integers`.
    What a function returns that is no entry may be written by its caller.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     y = np.zeros(3)
    ...     v = y[1:]
    ...     v[0] = x
    ...     return np.sum(y)
    ... ''')
    >>> found = mirroring(program, program.outputs)
    >>> sorted(found.active), sorted(found.written)
    (['out', 'v', 'x', 'y'], ['v', 'y'])
    >>> found.lasts("v", ["y"]), found.lasts("out", [])
    (False, False)
    """
    return _Analysis(program, integers).run(outputs, is_entry=is_entry)


class _Order:
    """When the statements of a block run: by their numbers, and the ends of loops around them."""

    def __init__(self, block: list[Any]) -> None:
        self._last: dict[int, int] = {}
        self._first_bindings: dict[str, int] = {}
        end = -1
        for number, statement in enumerate(statements(block)):
            if number > end and isinstance(statement, (gast.For, gast.While)):
                end = number + sum(1 for _ in statements([statement])) - 1
            self._last[id(statement)] = max(number, end)
            for target in getattr(statement, "targets", ()):
                for name in names_bound(target):
                    self._first_bindings.setdefault(name, number)

    def last(self, statement: Any) -> int:
        """Return the number of the last statement that may run before this one runs again."""
        return self._last[id(statement)]

    def bound(self, name: str) -> int:
        """Return the number of the first assignment to a name; -1 of others."""
        return self._first_bindings.get(name, -1)


class _Analysis:
    def __init__(self, program: Program, integers: Collection[str]) -> None:
        self._program, self._order = program, _Order(program.body)
        self._integers = set(integers).difference(program.parameters)
        self._forward: dict[str, set[str]] = defaultdict(set)
        self._backward: dict[str, set[str]] = defaultdict(set)
        self._same: dict[str, set[str]] = defaultdict(set)
        self._roots: set[str] = set()
        self._holders: set[str] = set()  # of outside memory: their attributes, what they return
        self._last_writes: dict[str, int] = {}
        self._new: set[str] = set()  # bound to memory of their own

    def run(self, outputs: tuple[str, ...], *, is_entry: bool) -> Mirroring:
        for statement in statements(self._program.body):
            before, self._roots = self._roots, set()
            self._visit(statement)
            last = self._order.last(statement)
            self._last_writes.update(dict.fromkeys(self._roots, last))
            self._roots |= before
        self._keep_entries()
        own = None
        if not is_entry and not _is_helper_of_ours(self._program):
            own = frozenset(_reach(self._roots, self._same))
            self._roots.update(filter(self._is_new_or_given, outputs))
            self._roots.update(self._beside_states(outputs))
        written = _reach(self._roots, self._same)
        for name in written:
            for other in self._same[name]:
                self._edge(name, other)
                self._edge(other, name)
        local = bound_names(self._program.body) | set(self._program.parameters)
        local -= self._counters() | self._integers
        reached = _reach(self._program.inputs, self._forward)
        varied = reached & local
        useful = _reach(outputs, self._backward)
        outside = frozenset(filter(self._is_outside, (reached - local) & written))
        active = frozenset(varied & useful)
        lasting = self._lasting(written, local) if is_entry else {}
        every = frozenset(written)
        own = every if own is None else own
        return Mirroring(frozenset(varied), active, every, outside, lasting, own)

    def _beside_states(self, outputs: tuple[str, ...]) -> tuple[str, ...]:
        """Return the outputs that may lie in a state that is returned, too, or be new."""
        reader = self._program.reader
        states = reader.vocabulary.states_returned(reader.scope.function)
        return outputs[: len(outputs) - len(states)] if states else ()

    def _is_new_or_given(self, output: str) -> bool:
        """Say whether an output is an argument on one path and new on another.

        The caller takes it for the argument's memory. So its tangent must be in that of the
        argument on the one path, and on the other must not, as that of ``x + 1.0`` may be.
        """
        group = _reach([output], self._same)
        return not (group.isdisjoint(self._program.parameters) or group.isdisjoint(self._new))

    def _lasting(self, written: set[str], local: set[str]) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        left = set(written)
        while left:
            group = frozenset(_reach([left.pop()], self._same))
            left -= group
            if group.issubset(local):  # others write into what lives outside
                last = max(self._last_writes.get(name, -1) for name in group)
                found.update((name, group) for name in group if self._order.bound(name) > last)
        return found

    def _keep_entries(self) -> None:
        """What is put into a dict or list by key lies in its memory from then on."""
        displays = (gast.Dict, gast.List)
        assigned = [s for s in statements(self._program.body) if isinstance(s, gast.Assign)]
        made = [s for s in assigned if isinstance(s.value, displays)]
        kept = {name for s in made for target in s.targets for name in names_bound(target)}
        for statement in filter(is_store, assigned):
            target = store_target(statement)
            root = root_name(target)
            by_word = isinstance(getattr(getattr(target, "slice", None), "value", None), str)
            if root is not None and (root in kept or by_word):
                for source in direct_names(statement.value):
                    self._same[source].add(root)
                    self._same[root].add(source)

    def _direct(self, arg: Any) -> list[str]:
        holders = holders_of_memory(self._program, arg)
        self._holders.update(holders)
        return [*direct_names(arg), *holders, *parts_displayed(arg)]

    def _given_by(self, iterable: Any) -> list[str]:
        """Return the names whose memory a loop runs through.

        Of what a call gives, as ``S.values()`` and ``zip`` do, those of outside.
        """
        if not isinstance(iterable, gast.Call):
            return self._direct(iterable)
        owner = root_name(iterable.func) if isinstance(iterable.func, gast.Attribute) else None
        given = [name for arg in iterable.args for name in self._given_by(arg)]
        return list(filter(self._is_outside, given if owner is None else [owner, *given]))

    def _is_outside(self, name: str) -> bool:
        if name in self._holders:
            return True
        value = self._program.reader.scope.lookup(name)
        is_datum = value is not MISSING and not callable(value)
        return is_datum and not isinstance(value, ModuleType)

    def _counters(self) -> set[str]:
        """Return the names that loops over ranges and keys bind, which have no tangents."""
        found: set[str] = set()
        for statement in statements(self._program.body):
            if isinstance(statement, gast.For) and self._entries.gives_keys(statement.iter):
                found.update(names_bound(statement.target))
        return found

    @kept_property
    def _entries(self) -> Entries:
        return self._program.once(Entries)

    def _visit(self, statement: Any) -> None:
        if is_store(statement):
            self._write(root_name(store_target(statement)), direct_names(statement.value))
        elif isinstance(statement, gast.AugAssign):
            self._write(root_name(statement.target), direct_names(statement.value))
        elif isinstance(statement, gast.Assign):
            self._assign(statement)
        elif isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
            self._effect(statement.value)
        elif isinstance(statement, gast.For) and not self._entries.gives_keys(statement.iter):
            for source in self._given_by(statement.iter):
                for target in names_bound(statement.target):
                    self._edge(source, target)
                    self._same[source].add(target)
                    self._same[target].add(source)

    def _write(self, root: str | None, sources: list[str]) -> None:
        if root is None:
            return
        self._roots.add(root)
        for source in sources:
            self._edge(source, root)

    def _assign(self, statement: Any) -> None:
        operation = self._program.operation(statement)
        targets = [name for target in statement.targets for name in names_bound(target)]
        vocabulary = self._program.reader.vocabulary
        for target in targets:
            for source in operand_names(operation, vocabulary):
                self._edge(source, target)
            read = operation.kind in ("constant", "unknown")
            plain = read and isinstance(statement.value, gast.Attribute)
            plain |= isinstance(statement.value, gast.IfExp)
            args: Sequence[Any] = ()
            if plain or self._may_share(operation) or copied_list(self._program, statement.value):
                args = [statement.value] if plain else self._shared(statement, operation)
            for source in {n for arg in args for n in self._direct(arg)}:
                self._same[source].add(target)
                self._same[target].add(source)
            if not args and not read:
                self._new.add(target)
        for state in threaded_states(statement, operation, vocabulary):
            for name in (*targets, state.given.id):  # each may lie in it, or hold what it holds
                self._same[name].add(state.target.id)
                self._same[state.target.id].add(name)
        if operation.kind in ("pop", "unknown") and isinstance(statement.value, gast.Call):
            self._effect(statement.value)  # v = xs.pop()
            for name in self._handed_in(statement.value):
                for target in targets:
                    self._edge(name, target)
                    self._same[name].add(target)
                    self._same[target].add(name)

    def _shared(self, statement: Any, operation: Operation) -> Sequence[Any]:
        """Return the operands whose memory the value of an operation may lie in."""
        vocabulary = self._program.reader.vocabulary
        if operation.primal is vocabulary.getitem or self._views_first(operation):
            return operation.args[:1]
        if operation.kind == "user":
            returned = vocabulary.returned_operands(operation.primal, statement.value)
            if statement.value.func in returned:  # what is outside, and handed out by it
                self._holders.update(direct_names(statement.value.func))
            return returned
        return operation.args

    def _effect(self, value: Any) -> None:
        """A call for its effect may write anything that it reads into anything else."""
        parts = [item for part in self._written_parts(value) for item in (nodes_in(part) or [part])]
        names = {name for part in parts for name in self._handed_in(part)}
        names = {name for name in names if self._program.namer.taken(name)}
        self._roots |= names
        for name in names:
            for other in names:
                self._edge(name, other)
                self._same[name].add(other)

    def _handed_in(self, node: Any) -> list[str]:
        """Return the names that an expression reads for more than sizes, as of ``len(x)``."""
        reader = self._program.reader
        if isinstance(node, gast.Call) and reader.constant_callee(node):
            return []
        if isinstance(node, gast.Attribute) and reader.constant_attribute(node):
            return []
        if isinstance(node, gast.Name):
            return [node.id]
        return [name for part in nodes_in(node) for name in self._handed_in(part)]

    def _written_parts(self, value: Any) -> list[Any]:
        """Return the parts of a call that may share memory after it: not the indices."""
        reader = self._program.reader
        if not value.keywords and value.args:
            callee = reader.scope.resolve(value.func)
            known = None if callee is MISSING else reader.vocabulary.primitive(callee)
            if known is not None and known.tells:
                return []
            if known is not None and known.stores:
                return [value.args[0], value.args[-1]]
        attr = getattr(value.func, "attr", "")
        if attr in ("pop", "popleft"):
            return [value.func]
        return [value.func, *value.args[1:]] if attr == "insert" else [value]

    def _views_first(self, operation: Operation) -> bool:
        """Say whether a value can lie in the memory of the first operand alone."""
        if operation.kind != "primitive":
            return False
        return self._program.reader.vocabulary.primitive(operation.primal).viewed == "first"

    def _may_share(self, operation: Operation) -> bool:
        vocabulary = self._program.reader.vocabulary
        if operation.kind in ("copy", "unpack", "tuple", "list", "dict", "user", "class"):
            return True
        if operation.primal is vocabulary.getitem:
            return True
        if operation.kind != "primitive":
            return False
        known = vocabulary.primitive(operation.primal)
        return known.may_view or may_return_operand(known, operation)

    def _edge(self, source: str, target: str) -> None:
        self._forward[source].add(target)
        self._backward[target].add(source)


def _is_helper_of_ours(program: Program) -> bool:
    """Say whether a function is one that texts call, whose results they do not write into."""
    return program.reader.scope.function.__module__.startswith("srcgrad.runtime")


def _reach(starts: Iterable[str], edges: dict[str, set[str]]) -> set[str]:
    reached = set(starts)
    stack = list(reached)
    while stack:
        for name in edges.get(stack.pop(), ()):
            if name not in reached:
                reached.add(name)
                stack.append(name)
    return reached
