"""Holds what the reversal of one program shares: its adjoints, and how they are passed on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.activity import Activity
from srcgrad.analyses.containers import Kinds, kinds
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.entries import Entries
from srcgrad.analyses.index_arrays import compared
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.lengths import summed_axes
from srcgrad.analyses.memory import Storage
from srcgrad.analyses.ownership import Origins
from srcgrad.analyses.selection import Selection
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.checker.witness import begun
from srcgrad.errors import UnsupportedError
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load, twin
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import IS_ENTRY, IS_SCALED, VECTOR
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, operand_names
from srcgrad.ir.walk import found_in, names_bound, names_read, statements
from srcgrad.transforms.adjoints import Adjoints, State, Status
from srcgrad.transforms.contributions import (
    Contributions,
    is_entry,
    is_uniform,
    merged,
    written_out,
)
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.overwrites import Overwrites
from srcgrad.transforms.runtime_calls import EXPORTED
from srcgrad.transforms.spreading import spread_by_axes
from srcgrad.transforms.templates import Inliner

LocalRule = Callable[[list[Any]], tuple[list[Any], Contributions]]
"""From the adjoints of the results to statements, and a value for each operand's adjoint."""


@dataclass(slots=True)
class Pair:
    """A block of the primal and the block of the backward pass that mirrors it."""

    primal: Any
    adjoint: Any
    kind: str


@dataclass(slots=True)
class Reversed:
    """The two halves of a derivative, before they are joined and made short.

    Attributes:
        forward: The primal statements, with what rules and calls add to them.
        backward: The adjoint statements, in the order in which they run.
        state: The adjoints that exist at the end.
        pairs: The loops and branches of both halves that belong together.
    """

    forward: list[Any]
    backward: list[Any]
    state: State
    pairs: list[Pair] = field(default_factory=list)


@dataclass(slots=True)
class DerivedCall:
    """A user function that is differentiated too: the names of its generated halves."""

    forward: str
    backward: str
    outputs: int | None
    parameters: list[Any]
    passed: list[Any]
    gives_array: bool = False
    keys: dict[int, frozenset[str]] = field(default_factory=dict)


@dataclass(slots=True)
class RepeatedCall:
    """A call that is run again: the function, and that which takes the operands and adjoints."""

    forward: str
    backward: str
    parameters: list[Any]
    passed: list[Any]
    outputs: int | None


@dataclass(slots=True)
class SteppedLoop:
    """A checkpointed loop: the functions of a trip, and what the loop is given.

    `moving` says which states have adjoints, and `read` which constants.
    """

    step: str
    backward: str
    indices: Any
    states: list[Any]
    constants: list[Any]
    budget: list[Any]
    moving: list[bool]
    read: list[bool]
    written: int
    stops: bool


@dataclass(slots=True)
class Facts:
    """What the analyses found."""

    activity: Activity
    shapes: Shapes
    dimensions: Dimensions
    integers: Integers
    storage: Storage
    selection: Selection
    restored: frozenset[str] = frozenset()  # arrays to put back, and parts of them


CallPair = Callable[[Any, Operation, Facts], DerivedCall | RepeatedCall | SteppedLoop]


class Sweep:
    """The state of one reversal.

    Attributes:
        steps: How to reverse each statement, by its identity.
        renamed, copies: The names under which the backward pass finds values that are overwritten.
        originals: What copies of overwritten values were made of, and so have the shapes of.
        paths: The inputs that are read by string keys only, with a cell for each key.
        containers: The names that are bound to dicts, lists or tuples.
        pairs: The loops and branches of both halves that belong together.
        missing: Operands whose derivative a rule does not know.
        refused: What else cannot be reversed, why, what to do, and the error to raise.
        taped: The calls that run on the tape, with what they call.
        consumed: What may be done with the adjoints in hand, by the names of their values.
        whole: The adjoint in hand, if it has the shape of its value, and what is made of it so.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        inliner: Inliner,
        externals: Externals,
        derive_call: CallPair,
        result: str | None = None,
    ) -> None:
        self.program = program
        self.facts = facts
        self.inliner = inliner
        self.externals = externals
        self.derive_call = derive_call
        self.namer = program.namer
        self.getitem = program.reader.vocabulary.getitem
        self.adjoints = Adjoints(
            program.namer,
            externals,
            lambda cell: facts.shapes.is_number(load(cell)),
            keep_complex=inliner.keep_complex,
            is_result=lambda cell: program.namer.base(cell) in program.results,
            may_be_container=weakly(self.may_be_container),
        )
        self.adjoints.rebinds = inliner.rebinds
        self.adjoints.unpacked = _unpacked(program)
        self.missing: list[tuple[Any, str, str]] = []
        self.taped: list[tuple[Any, Any]] = []
        self.refused: list[tuple[Any, str, str, type[UnsupportedError]]] = []
        self.steps: dict[int, Callable[[], list[Any]]] = {}
        self.renamed: dict[str, str] = {}
        self.copies: dict[str, str] = {}
        self.originals: dict[str, str] = {}
        self.pairs: list[Pair] = []
        self.paths: dict[str, dict[str, str]] = {}
        self.kinds: Kinds = kinds(program, result)
        self.witness = begun(program, self.originals)
        self.whole: set[str] = set()
        self.entries_updated: dict[int, str] = {}
        self.consumed: dict[str, Status | None] = {}
        self.entries = program.once(Entries)
        self.overwrites = Overwrites(program)
        self.origins = Origins(
            [],
            self.namer.is_adjoint,
            lambda name: name in EXPORTED or name in externals.derived,
        )

    @property
    def of_generated(self) -> bool:
        """Say whether the program is a derivative that was generated before."""
        return self.program.of_generated

    @property
    def containers(self) -> frozenset[str]:
        """The names that are bound to dicts, lists or tuples."""
        return self.kinds.containers

    def is_active(self, node: Any) -> bool:
        return any(name in self.facts.activity.active for name in direct_names(node))

    def operands(self, statement: Any) -> tuple[list[str], list[str]]:
        """Return the targets and the active operands of an assignment."""
        active = self.facts.activity.active
        change = change_of(statement)
        if change is not None:
            sources = [change.name, *direct_names(change.value)]
            targets = [change.target] if change.target is not None else []
            held = change.name in active
            return targets, [n for n in sources if n in active] if held else []
        targets = names_bound(statement.targets[0])
        operation = self.program.operation(statement)
        names = operand_names(operation, self.program.reader.vocabulary)
        if operation.primal is self.getitem and names and names[0] in self.paths:
            return targets, [self.paths[names[0]][operation.args[1].value]]
        return targets, [name for name in names if name in active]

    def is_range(self, node: Any) -> bool:
        return isinstance(node, gast.Call) and self.program.reader.scope.resolve(node.func) is range

    def selects_once(self, index: Any) -> bool:
        """Say whether an index surely selects no element twice."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        whole, masks = self.facts.integers.of, self.program.once(compared)
        plain = (gast.Slice, gast.Constant)
        return all(isinstance(p, plain) or whole(p) or getattr(p, "id", "") in masks for p in parts)

    def pass_on(self, statement: Any, targets: list[str], rule: LocalRule) -> list[Any]:
        """Consume the adjoints of `targets` and add what `rule` makes of them to the operands."""
        adjoints = self.adjoints
        moved = self.moved_away(statement, targets)
        if len(targets) > 1:
            moved += adjoints.spell_uniform(statement, targets)
        uniform = adjoints.uniform.pop(targets[0], None) if len(targets) == 1 else None
        statuses = [adjoints.consume(target) for target in targets]
        self.consumed = dict(zip(targets, statuses, strict=True))
        if all(status is None for status in statuses):
            return []
        if uniform is not None:
            done = self.pass_number(statement, targets[0], uniform, rule)
            if done is not None:
                return done
        grads = [
            None if status is None else load(adjoints.release(target))
            for target, status in zip(targets, statuses, strict=True)
        ]
        self.whole = {grads[0].id} if len(grads) == 1 and grads[0] is not None else set()
        emitted, contributions = rule(grads)
        contributions = self._spread(contributions, None)
        full = [] if uniform is None else [assign(adjoints.name(targets[0]), uniform, statement)]
        inherits = len(contributions) == 1 and statuses[0] is Status.OWNED and uniform is None
        given = self.contribute(statement, emitted, contributions, inherits=inherits)
        return [*moved, *full, *given]

    def keep_step(self, statement: Any, targets: list[str], rule: LocalRule) -> None:
        """Keep how to reverse a statement by a rule, which the checker is told of."""

        def told(grads: list[Any]) -> tuple[list[Any], Contributions]:
            emitted, contributions = rule(grads)
            silent = self.silent_operands(statement)
            self.witness.note(statement, grads, emitted, contributions, silent=silent)
            return emitted, contributions

        self.steps[id(statement)] = lambda: self.pass_on(statement, targets, told)

    def silent_operands(self, statement: Any) -> list[str]:
        """Return the operands of a statement that no adjoint is passed on to."""
        operation = self.program.operation(statement)
        if operation.kind not in ("primitive", "class"):
            return []
        operands = operand_names(operation, self.program.reader.vocabulary)
        return [name for name in operands if name not in self.facts.activity.active]

    def moved_away(self, statement: Any, targets: list[str]) -> list[Any]:
        """Move borrowed adjoints out of variables that the operands' adjoints will get."""
        own = {self.namer.adjoint(cell) for cell in self.operands(statement)[1]}
        borrowed = self.adjoints.borrowed
        if not borrowed:
            return []
        done = self.adjoints.spell_out(
            statement, [target for target in targets if borrowed.get(target) in own]
        )
        return done + self.adjoints.set_aside(statement, targets, own)

    def contribute(
        self,
        statement: Any,
        emitted: list[Any],
        contributions: Contributions,
        *,
        inherits: bool,
    ) -> list[Any]:
        done = [at(item, statement) for item in emitted]
        for cell, value in merged(contributions):
            if cell not in self.facts.activity.active and cell not in self.adjoints.models:
                continue
            if not self.adjoints.exists(cell) and is_uniform(value):
                if not VECTOR.is_on(value):
                    VECTOR.put(value, self.entry_vector(statement))
                self.adjoints.uniform[cell] = value
                self.adjoints.state[cell] = Status.SHARED
                continue
            there = cell in self.adjoints.state or cell in self.adjoints.parts
            if (cell in self.containers and there) or cell in self.facts.storage.mirror.lists:
                done.extend(self.add_entries(cell, value, statement))
                continue
            entry = isinstance(value, (gast.Name, gast.Subscript)) or IS_ENTRY.is_on(value)
            may_be_none = self.of_generated and entry  # as what a path did not bind
            if (may_be_none or self.may_be_container(cell)) and cell in self.adjoints.state:
                done.extend(self.add_anything(cell, value, statement))
                continue
            owned = IS_ENTRY.of(value) or (inherits and isinstance(value, gast.Name))
            status = Status.OWNED if owned else self.status(value)
            done.extend(self.adjoints.accumulate(cell, twin(value), statement, status))
        return done

    def may_be_container(self, cell: str) -> bool:
        """Say whether nothing shows that a name is bound to a number or an array."""
        if cell in self.kinds.arrays or cell in self.adjoints.models:
            return False
        if self.facts.dimensions.rank(load(cell)):
            return False
        return not self.facts.shapes.is_number(load(cell))

    def add_anything(self, cell: str, value: Any, like: Any) -> list[Any]:
        """Add to the adjoint of what may be an array or a container."""
        done = self.adjoints.spell_uniform(like, [cell])
        function = self.externals.use_runtime("accumulate")
        total = call(function, load(self.adjoints.name(cell)), clone(value))
        del self.adjoints.state[cell]
        return [*done, *self.adjoints.accumulate(cell, total, like, Status.SHARED)]

    def add_entries(self, cell: str, value: Any, like: Any) -> list[Any]:
        """Add the adjoint of a container, entry by entry."""
        if self.adjoints.rebinds and self.adjoints.is_whole(cell):
            return self.add_anything(cell, value, like)
        done = self.adjoints.need(cell, like)
        helper = "add_to_shadows" if cell in self.adjoints.mirrored else "add_entries"
        function = self.externals.use_runtime(helper)
        added = call(function, load(self.adjoints.name(cell)), clone(value))
        return [*done, at(gast.Expr(added), like)]

    def entry_vector(self, statement: Any) -> Any:
        """Return the axes of the gradient that a reduction spreads: those of its result."""
        target = load(names_bound(statement.targets[0])[0])
        facts = self.facts
        return () if facts.shapes.is_number(target) else facts.dimensions.of(target)

    def pass_number(
        self,
        statement: Any,
        target: str,
        uniform: Any,
        rule: LocalRule,
    ) -> list[Any] | None:
        """Try to pass on an adjoint of equal entries as the one number that it is.

        Return None if a result would not have the shape of its operand by itself.
        """
        number = uniform.args[0]
        simple = isinstance(number, (gast.Name, gast.Constant, gast.UnaryOp))
        name, self.whole = self.adjoints.name(target), set()
        emitted, contributions = rule([clone(number) if simple else load(name)])
        vector = VECTOR.of(uniform)
        if vector is not None:
            contributions = self._spread(contributions, vector)
        entries = {name, *names_read(number)} if simple else {name}
        for position, (cell, value) in enumerate(contributions):
            unchanged = value is not None and is_entry(value, entries)
            if unchanged and (cell in self.facts.selection.masks or self._begins(cell)):
                contributions[position] = cell, _spread_over(cell, value, vector)
            elif is_uniform(value) and not self.adjoints.exists(cell):
                VECTOR.put(value, VECTOR.of(value) if VECTOR.is_on(value) else vector)
            elif not self.fills(self._asked(value, emitted), entries, vector, cell, target):
                axes = self._narrower(self._asked(value), entries, vector, cell)
                if axes is None:
                    return None
                contributions[position] = cell, _spread_over(cell, value, axes)
                IS_SCALED.put(contributions[position][1], axes == ())
        bind = [] if simple else [assign(name, clone(number), statement)]
        return [*bind, *self.contribute(statement, emitted, contributions, inherits=False)]

    def _asked(self, value: Any, emitted: Iterable[Any] = ()) -> Any:
        """Return a value of the same shape: of names that the program has, not of copies."""
        return renamed(written_out(value, list(emitted)), self.originals)

    def _spread(self, contributions: Contributions, given: Any) -> Contributions:
        """Return contributions with axes in place of calls that spread them (see `spreading`)."""
        return [(c, spread_by_axes(v, self.facts.dimensions, given)) for c, v in contributions]

    def _begins(self, cell: str) -> bool:
        """Say whether a value with axes has no adjoint yet."""
        return not self.adjoints.exists(cell) and bool(self.facts.dimensions.of(load(cell)))

    def _narrower(self, value: Any, entries: set[str], vector: Any, cell: str) -> Vector | None:
        """Return the axes of a value that is broadcast to the shape of `cell`, or None."""
        if value is None or vector is None:
            return None
        axes = self.facts.dimensions.of_expression(value, dict.fromkeys(entries, vector))
        whole = self.facts.dimensions.of(load(cell))
        if not whole or axes is None or None in whole or None in axes:
            return None
        return axes if summed_axes(whole, axes) is not None else None

    def fills(self, value: Any, entries: set[str], vector: Any, cell: str, target: str) -> bool:
        """Say whether a value has the shape of `cell`, if `entries` have the axes of `vector`.

        What is summed up in it must have the shape of `target`, whose adjoint the entries are.
        """
        if vector == ():
            shape = self.facts.shapes.of_expression(value, entries)
            if shape is not None and shape == self.facts.shapes.of(load(cell)):
                return True
        dimensions = self.facts.dimensions
        whole, result = dimensions.of(load(cell)), dimensions.of(load(target))
        if whole is None or None in whole:
            return False
        given: dict[Any, Any] = dict.fromkeys(entries, vector)
        for item in found_in(value, gast.Call):
            if getattr(item.func, "attr", "") == "sum":
                full = dimensions.of_expression(item.func.value, given) == result
                given[id(item)] = whole if full and result and None not in result else None
        return dimensions.of_expression(value, given) == whole

    def status(self, value: Any) -> Status:
        return Status.SHARED if self.origins.of(value) else Status.OWNED

    def filled(self, grads: list[Any], targets: list[str]) -> list[Any]:
        pairs = zip(grads, targets, strict=True)
        return [self.zeros_like(load(name)) if item is None else item for item, name in pairs]

    def zeros_like(self, value: Any) -> Any:
        """Return the expression of an adjoint of zeros, to which complex numbers may be added."""
        maker = "complex_zeros_like" if self.inliner.keep_complex else "zeros_like"
        return call(self.externals.use_runtime(maker), value)

    def is_written_after(self, name: str, statement: Any) -> bool:
        """Say whether a later write may change what `name` holds when `statement` has run."""
        memory = self.facts.storage
        if name not in memory.mutated and name not in memory.reshaped:
            return False
        if name in self.facts.restored or not memory.written_after(name, statement):
            return False
        return name in memory.axisless or not self.facts.shapes.is_number(load(name))

    def rank(self, node: Any) -> int | None:
        """Return how many axes an operand has; a copy has those of what it was made of."""
        return self.facts.dimensions.rank(renamed(node, self.originals))

    def kept(self, node: Any) -> Any:
        """Return an operand as the backward pass must name it."""
        return renamed(node, self.renamed)

    def adjoint_name(self, cell: str) -> str:
        """Return the variable that holds the adjoint of `cell` at the end."""
        return self.adjoints.name(cell)

    def model(self, cell: str) -> Any:
        """Return an expression of the shape of the adjoint of `cell`."""
        return clone(self.adjoints.models.get(cell, load(cell)))

    @property
    def uniform(self) -> dict[str, Any]:
        """The adjoints at the end that are one number in every entry."""
        return self.adjoints.uniform


def _spread_over(cell: str, value: Any, vector: Any) -> Any:
    spread = call("np.broadcast_to", value, call("np.shape", load(cell)))
    VECTOR.put(spread, vector)
    return spread


def renamed(node: Any, names: dict[str, str]) -> Any:
    """Return an operand with some of its names replaced."""
    if not names:
        return node
    node = clone(node)
    for item in found_in(node, gast.Name):
        item.id = names.get(item.id, item.id)
    return node


def _unpacked(program: Program) -> frozenset[str]:
    """Return the names that a call of a primitive binds several at a time."""
    made = [item for item in statements(program.body) if isinstance(item, gast.Assign)]
    made = [item for item in made if isinstance(item.targets[0], gast.Tuple)]
    found = [item for item in made if program.operation(item).kind == "primitive"]
    return frozenset(name for item in found for name in names_bound(item.targets[0]))
