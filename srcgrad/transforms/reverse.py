"""Differentiates a program in normal form backwards: one adjoint for each statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import gast

import srcgrad.runtime as runtime
from srcgrad.analyses.activity import Activity
from srcgrad.analyses.containers import kinds
from srcgrad.analyses.dimensions import Dimensions, summed_axes
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.ownership import origins
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.storage import Storage
from srcgrad.errors import InternalError
from srcgrad.ir.build import add_assign, assign, at, call, clone, load, method, store, subscript
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import (
    Program,
    bound_names,
    direct_names,
    header_reads,
    is_store,
    operand_names,
    store_target,
)
from srcgrad.ir.walk import names_bound, names_read, statements
from srcgrad.rules.base import Context
from srcgrad.transforms.adjoints import Adjoints, State, Status
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.flow import touched
from srcgrad.transforms.overwrites import overwrites_earlier
from srcgrad.transforms.templates import (
    Inlined,
    Inliner,
    NotInlinableError,
    bind,
    is_sequence_call,
    rule_source,
)


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


CallPair = Callable[[Any, Operation, "Facts"], "DerivedCall | None"]


@dataclass(slots=True)
class DerivedCall:
    """A user function that is differentiated too: the names of its generated halves."""

    forward: str
    backward: str
    outputs: int | None
    parameters: list[Any]
    passed: list[Any]


@dataclass(slots=True)
class Facts:
    """What the analyses found."""

    activity: Activity
    shapes: Shapes
    dimensions: Dimensions
    integers: Integers
    storage: Storage


class Reverser:
    """Reverses one program."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        inliner: Inliner,
        externals: Externals,
        derive_call: CallPair,
    ) -> None:
        self._program = program
        self._facts = facts
        self._inliner = inliner
        self._externals = externals
        self._derive_call = derive_call
        self._namer = program.namer
        self._getitem = program.reader.vocabulary.getitem
        self._adjoints = Adjoints(program.namer, externals)
        self.missing: list[tuple[Any, str, str]] = []
        self._steps: dict[int, Callable[[], list[Any]]] = {}
        self._renamed: dict[str, str] = {}
        self._copies: dict[str, str] = {}
        self.pairs: list[Pair] = []
        self.paths = self._find_paths()
        self._kinds = kinds(program)
        self.containers = self._kinds.containers
        self._passed_whole = self._find_passed()
        self._find_parts()
        self._origins = origins(
            [],
            lambda name: name.startswith("grad_"),
            lambda name: _is_runtime(name) or name in externals.derived,
        )

    def _find_passed(self) -> set[str]:
        """Return the names that are passed to functions of the user's."""
        return {
            name
            for statement in statements(self._program.body)
            if isinstance(statement, gast.Assign)
            and self._program.operation(statement).kind == "user"
            for arg in self._program.operation(statement).args
            for name in direct_names(arg)
        }

    def _find_parts(self) -> None:
        """Note which containers are parts of others."""
        for statement in statements(self._program.body):
            if not isinstance(statement, gast.Assign) or is_store(statement):
                continue
            target, operation = statement.targets[0], self._program.operation(statement)
            if isinstance(target, gast.Name) and target.id in self.containers:
                if operation.primal is self._getitem and isinstance(operation.args[0], gast.Name):
                    source, index = operation.args[0].id, operation.args[1]
                    if source in self.paths:
                        self._adjoints.parts[target.id] = (self.paths[source][index.value], None)
                    else:
                        self._adjoints.parts[target.id] = (source, index)
            elif operation.kind == "unpack":
                for position, name in enumerate(names_bound(target)):
                    if name in self.containers:
                        index = gast.Constant(position, None)
                        self._adjoints.parts[name] = (operation.args[0].id, index)

    def _find_paths(self) -> dict[str, dict[str, str]]:
        """Return the inputs that are read by literal string keys only, with a cell for each key.

        Such a dictionary is differentiated as so many variables: nothing is made that is not read.
        """
        wanted = [n for n in self._program.inputs if n in self._facts.activity.active]
        paths: dict[str, dict[str, str]] = {name: {} for name in wanted}
        for statement in statements(self._program.body):
            reads = header_reads(statement)
            if is_store(statement):
                for name in names_bound(store_target(statement).value):
                    paths.pop(name, None)
            for name in [n for n in reads if n in paths]:
                key = _path_key(statement, name)
                if key is None or reads.count(name) > 1:
                    paths.pop(name, None)
                else:
                    paths[name].setdefault(key, self._path_cell(name, key, statement))
        return {name: keys for name, keys in paths.items() if keys}

    @property
    def uniform(self) -> dict[str, Any]:
        """The adjoints at the end that are one number in every entry."""
        return self._adjoints.uniform

    def adjoint_name(self, cell: str) -> str:
        """Return the variable that holds the adjoint of `cell` at the end."""
        return self._adjoints.name(cell)

    def model(self, cell: str) -> Any:
        """Return an expression of the shape of the adjoint of `cell`."""
        return clone(self._adjoints.models.get(cell, load(cell)))

    def _path_cell(self, name: str, key: str, statement: Any) -> str:
        cell = f"{name}[{key!r}]"
        read = self._namer.adjoint(statement.targets[0].id)
        base = self._namer.base(read)
        known = self._adjoints.models.get(cell)
        if known is None:
            self._adjoints.models[cell] = subscript(load(name), gast.Constant(key, None))
            self._namer.set_adjoint(cell, self._namer.version(read))
        else:
            self._namer.set_base(read, base)
        return cell

    def run(self, seeds: Sequence[tuple[str, Any]], given: Sequence[str] = ()) -> Reversed:
        """Reverse the body, starting from the adjoints of the outputs.

        The adjoints of `given` are bound already, to arrays of somebody else's.
        """
        body = self._program.body[:-1]
        forward = self._forward(body)
        backward: list[Any] = []
        end = self._program.body[-1]
        self._adjoints.state.update(dict.fromkeys(given, Status.SHARED))
        for cell, seed in seeds:
            backward.extend(self._adjoints.accumulate(cell, seed, end, Status.SHARED))
        backward.extend(self._backward(body))
        return Reversed(forward, backward, self._adjoints.state, self.pairs)

    # -- the forward half: what every statement becomes, and its adjoint step

    def _forward(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            if isinstance(statement, gast.If):
                statement.body = self._forward(statement.body)
                statement.orelse = self._forward(statement.orelse)
            elif isinstance(statement, (gast.For, gast.While)):
                statement.body = self._forward(statement.body)
            elif isinstance(statement, gast.Assign) and not is_store(statement):
                done.extend(self._prepare(statement))
                continue
            done.append(statement)
        return done

    def _prepare(self, statement: Any) -> list[Any]:
        """Return the forward statements of an assignment and keep how to reverse it."""
        targets = names_bound(statement.targets[0])
        if not any(target in self._facts.activity.active for target in targets):
            return [statement]
        operation = self._program.operation(statement)
        handler = getattr(self, f"_prepare_{operation.kind}", None)
        if handler is None:
            return [statement]
        before = self._snapshots(statement, operation)
        done: list[Any] = handler(statement, operation, targets)
        return before + done

    def _snapshots(self, statement: Any, operation: Operation) -> list[Any]:
        """Copy operands whose memory is written before the backward pass reads it."""
        if operation.kind not in ("primitive", "class") or operation.primal is self._getitem:
            return []
        copies: list[Any] = []
        renamed: dict[str, str] = {}
        for arg in [*operation.args, *operation.keywords.values()]:
            for name in direct_names(arg):
                if name in renamed or name not in self._facts.storage.mutated:
                    continue
                if self._facts.shapes.is_number(load(name)):
                    continue
                if self._facts.storage.written_after(name, statement):
                    renamed[name] = self._namer.fresh(f"{self._namer.base(name)}_now")
                    copy = call(self._externals.use_runtime("copied"), load(name))
                    copies.append(assign(renamed[name], copy, statement))
        self._renamed = {**self._copies, **renamed}
        return copies

    def _kept(self, node: Any) -> Any:
        """Return an operand as the backward pass must name it."""
        return _renamed(node, self._renamed)

    def _prepare_copy(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        (source,) = direct_names(operation.args[0]) or [""]

        def step() -> list[Any]:
            return self._pass_on(statement, targets, lambda grads: ([], [(source, grads[0])]))

        self._steps[id(statement)] = step
        return [statement]

    def _prepare_primitive(
        self, statement: Any, operation: Operation, targets: list[str]
    ) -> list[Any]:
        if operation.primal is self._getitem:
            self._steps[id(statement)] = lambda: self._reverse_getitem(statement, targets[0])
            return self._stable_read(statement, targets[0])
        rule = self._program.reader.vocabulary.rule_for(operation.primal)
        return self._prepare_rule(statement, operation, targets, rule, own_forward=False)

    def _prepare_class(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        return self._prepare_rule(statement, operation, targets, operation.primal, own_forward=True)

    def _prepare_rule(
        self,
        statement: Any,
        operation: Operation,
        targets: list[str],
        rule: Any,
        *,
        own_forward: bool,
    ) -> list[Any]:
        original = {kept: name for name, kept in self._renamed.items()}
        args = [self._kept(item) for item in operation.args]
        keywords = {key: self._kept(item) for key, item in operation.keywords.items()}
        results = [load(target) for target in targets]
        try:
            placed = self._inliner.place(
                rule,
                args,
                keywords,
                lambda item: self._is_active(_renamed(item, original)),
                results,
                own_forward=own_forward,
            )
        except NotInlinableError:
            placed = self._called_rule(
                rule, args, keywords, targets, original, own_forward=own_forward
            )
        placed.parameters = [_renamed(item, original) for item in placed.parameters]
        self._steps[id(statement)] = lambda: self._reverse_rule(statement, placed, targets)
        if placed.value is not None:
            statement.value = placed.value
        for extra in placed.before:
            at(extra, statement)
        return [*placed.before, statement]

    def _called_rule(
        self,
        rule: Any,
        args: list[Any],
        keywords: dict[str, Any],
        targets: list[str],
        original: dict[str, str],
        *,
        own_forward: bool,
    ) -> Inlined:
        """Call a rule's own `forward` and `backward` where its body cannot be put in place."""
        try:
            operands, _ = bind(rule_source(rule).forward, args, keywords)
        except NotInlinableError:
            operands = args
        active = [self._is_active(_renamed(item, original)) for item in operands]
        gathers = not own_forward  # a rule of ours may return one gradient an item
        context = self._namer.fresh("ctx")
        name = self._externals.name_of(rule, rule.__name__, lambda: rule.__module__)
        maker = self._externals.name_of(Context, "Context", lambda: Context.__module__)
        needs = gast.Tuple([gast.Constant(flag, None) for flag in active], gast.Load())
        value = call(f"{name}.forward", load(context), *args)
        value.keywords = [gast.keyword(key, item) for key, item in keywords.items()]

        def adjoint(grads: list[Any]) -> tuple[list[Any], list[Any]]:
            whole = self._namer.fresh("grad_inputs")
            emitted = [assign(whole, call(f"{name}.backward", load(context), *grads))]
            parts: list[Any] = []
            for position, is_active in enumerate(active):
                part: Any = subscript(load(whole), gast.Constant(position, None))
                if position == 0:  # a rule may return the first gradient alone, without a tuple
                    several = call("isinstance", load(whole), load("tuple"))
                    part = gast.IfExp(several, part, load(whole))
                if is_active and isinstance(operands[position], gast.Name) and gathers:
                    function = self._externals.use_runtime("gathered")
                    part = call(function, part, clone(operands[position]))
                parts.append(part if is_active else None)
            return emitted, parts

        return Inlined(operands, [assign(context, call(maker, needs))], value, adjoint)

    def _prepare_user(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        derived = self._derive_call(statement, operation, self._facts)
        if derived is None:
            return [statement]
        saved = self._namer.fresh("saved")
        statement.value = at(call(derived.forward, *derived.passed), statement)
        statement.value.keywords = []
        target = statement.targets[0]
        statement.targets = [gast.Tuple([target, store(saved)], gast.Store())]
        single = derived.outputs is None

        def rule(grads: list[Any]) -> tuple[list[Any], list[tuple[str, Any]]]:
            filled = self._filled(grads, targets)
            if not single and len(targets) == 1:
                filled = [gast.Starred(filled[0], gast.Load())]
            elif single and len(targets) > 1:
                filled = [gast.List(filled, gast.Load())]
            value = call(derived.backward, load(saved), *filled)
            cells = [name for item in derived.parameters for name in direct_names(item)]
            if len(cells) == 1:
                return [], [(cells[0], value)]
            parts = [self._namer.version(self._namer.adjoint(cell)) for cell in cells]
            names = gast.Tuple([store(part) for part in parts], gast.Store())
            return [assign(names, value)], [
                (cell, load(part)) for cell, part in zip(cells, parts, strict=True)
            ]

        self._steps[id(statement)] = lambda: self._pass_on(statement, targets, rule)
        return [statement]

    def _prepare_display(
        self, statement: Any, operation: Operation, targets: list[str]
    ) -> list[Any]:
        value = statement.value
        if isinstance(value, gast.Dict):
            keys: list[Any] = [clone(key) for key in value.keys]
        else:
            keys = [gast.Constant(i, None) for i in range(len(value.elts))]

        def rule(grads: list[Any]) -> tuple[list[Any], list[tuple[str, Any]]]:
            return [], [
                (name, subscript(clone(grads[0]), clone(key)))
                for key, item in zip(keys, operation.args, strict=True)
                for name in direct_names(item)
            ]

        self._steps[id(statement)] = lambda: self._pass_on(statement, targets, rule)
        return [statement]

    _prepare_tuple = _prepare_list = _prepare_dict = _prepare_display

    def _prepare_unpack(
        self, statement: Any, operation: Operation, targets: list[str]
    ) -> list[Any]:
        source = operation.args[0].id
        self._steps[id(statement)] = lambda: self._reverse_unpack(statement, source, targets)
        return [statement]

    def _stable_read(self, statement: Any, target: str) -> list[Any]:
        """Copy a slice that is read now and written later, for the backward pass to read."""
        storage = self._facts.storage
        base = names_bound(statement.value.value)
        if not base or base[0] not in storage.mutated or base[0] in storage.lists:
            return [statement]
        if not storage.written_after(base[0], statement):
            return [statement]
        if self._facts.shapes.element_is_number(statement.value):
            return [statement]
        self._copies[target] = self._namer.fresh(f"{self._namer.base(target)}_now")
        copy = call(self._externals.use_runtime("copied"), load(target))
        return [statement, assign(self._copies[target], copy, statement)]

    # -- the backward half

    def _backward(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in reversed(block):
            if isinstance(statement, gast.If):
                done.extend(self._reverse_if(statement))
            elif isinstance(statement, (gast.For, gast.While)):
                done.extend(self._reverse_loop(statement))
            elif is_store(statement):
                done.extend(self._reverse_store(statement))
            else:
                done.extend(self._reverse_simple(statement))
        return done

    def _reverse_simple(self, statement: Any) -> list[Any]:
        step = self._steps.get(id(statement))
        if step is not None:
            return step()
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                for name in names_bound(target):
                    self._adjoints.state.pop(name, None)
                    self._adjoints.uniform.pop(name, None)
                    self._adjoints.borrowed.pop(name, None)
        return []

    def _pass_on(
        self,
        statement: Any,
        targets: list[str],
        rule: Callable[[list[Any]], tuple[list[Any], list[tuple[str, Any]]]],
    ) -> list[Any]:
        """Consume the adjoints of `targets` and add what `rule` makes of them to the operands."""
        adjoints = self._adjoints
        moved = self._moved_away(statement, targets)
        uniform = adjoints.uniform.pop(targets[0], None) if len(targets) == 1 else None
        statuses = [adjoints.state.pop(target, None) for target in targets]
        if all(status is None for status in statuses):
            return []
        if uniform is not None:
            done = self._pass_number(statement, targets[0], uniform, rule)
            if done is not None:
                return done
        grads = [
            None if status is None else load(adjoints.release(target))
            for target, status in zip(targets, statuses, strict=True)
        ]
        emitted, contributions = rule(grads)
        full = [] if uniform is None else [assign(adjoints.name(targets[0]), uniform, statement)]
        inherits = len(contributions) == 1 and statuses[0] is Status.OWNED and uniform is None
        given = self._contribute(statement, emitted, contributions, inherits=inherits)
        return [*moved, *full, *given]

    def _moved_away(self, statement: Any, targets: list[str]) -> list[Any]:
        """Move borrowed adjoints out of variables that the operands' adjoints will be assigned to."""
        own = {self._namer.adjoint(cell) for cell in self._operands(statement)[1]}
        borrowed = self._adjoints.borrowed
        return self._adjoints.spell_out(
            statement, [target for target in targets if borrowed.get(target) in own]
        )

    def _contribute(
        self,
        statement: Any,
        emitted: list[Any],
        contributions: list[tuple[str, Any]],
        *,
        inherits: bool,
    ) -> list[Any]:
        done = [at(item, statement) for item in emitted]
        for cell, value in _merged(contributions):
            if cell not in self._facts.activity.active and cell not in self._adjoints.models:
                continue
            if cell not in self._adjoints.state and _is_uniform(value):
                if not hasattr(value, "vector"):
                    value.vector = self._entry_vector(statement)
                self._adjoints.uniform[cell] = value
                self._adjoints.state[cell] = Status.SHARED
                continue
            if cell in self.containers:
                done.extend(self._add_entries(cell, value, statement))
                continue
            if self._may_be_container(cell) and cell in self._adjoints.state:
                function = self._externals.use_runtime("accumulate")
                value = call(function, load(self._adjoints.name(cell)), clone(value))
                done += self._adjoints.spell_uniform(statement, [cell])
                del self._adjoints.state[cell]
            owned = inherits and isinstance(value, gast.Name)
            status = Status.OWNED if owned else self._status(value)
            done.extend(self._adjoints.accumulate(cell, clone(value), statement, status))
        return done

    def _may_be_container(self, cell: str) -> bool:
        """Say whether nothing shows that a name is bound to a number or an array."""
        return (
            cell not in self._kinds.arrays
            and cell not in self._adjoints.models
            and (cell in self._passed_whole)
        )

    def _add_entries(self, cell: str, value: Any, like: Any) -> list[Any]:
        """Add the adjoint of a container, entry by entry."""
        done = self._adjoints.need(cell, like)
        function = self._externals.use_runtime("add_entries")
        added = call(function, load(self._adjoints.name(cell)), clone(value))
        return [*done, at(gast.Expr(added), like)]

    def _entry_vector(self, statement: Any) -> Any:
        """Return the axes of the gradient that a reduction spreads: those of its result."""
        target = load(names_bound(statement.targets[0])[0])
        if self._facts.shapes.is_number(target):
            return ()
        return self._facts.dimensions.of(target)

    def _pass_number(
        self,
        statement: Any,
        target: str,
        uniform: Any,
        rule: Callable[[list[Any]], tuple[list[Any], list[tuple[str, Any]]]],
    ) -> list[Any] | None:
        """Try to pass on an adjoint of equal entries as the one number that it is.

        Return None if a result would not have the shape of its operand by itself.
        """
        number = uniform.args[0]
        simple = isinstance(number, (gast.Name, gast.Constant, gast.UnaryOp))
        name = self._adjoints.name(target)
        emitted, contributions = rule([clone(number) if simple else load(name)])
        entries = {name, *names_read(number)} if simple else {name}
        vector = uniform.vector
        for cell, value in contributions:
            if _is_uniform(value) and cell not in self._adjoints.state:
                value.vector = vector
            elif not self._fills(value, entries, vector, cell):
                return None
        bind = [] if simple else [assign(name, clone(number), statement)]
        return [*bind, *self._contribute(statement, emitted, contributions, inherits=False)]

    def _fills(self, value: Any, entries: set[str], vector: Any, cell: str) -> bool:
        """Say whether a value has the shape of `cell`, where `entries` have the axes of `vector`."""
        if vector == ():
            shape = self._facts.shapes.of_expression(value, entries)
            if shape is not None and shape == self._facts.shapes.of(load(cell)):
                return True
        dimensions = self._facts.dimensions
        whole = dimensions.of(load(cell))
        if whole is None or None in whole:
            return False
        return dimensions.of_expression(value, dict.fromkeys(entries, vector)) == whole

    def _status(self, value: Any) -> Status:
        return Status.SHARED if self._origins(value) else Status.OWNED

    def _filled(self, grads: list[Any], targets: list[str]) -> list[Any]:
        zeros = self._externals.use_runtime
        return [
            item if item is not None else call(zeros("zeros_like"), load(target))
            for item, target in zip(grads, targets, strict=True)
        ]

    def _reverse_rule(self, statement: Any, placed: Inlined, targets: list[str]) -> list[Any]:
        count = self._results(statement, len(targets))

        def rule(grads: list[Any]) -> tuple[list[Any], list[tuple[str, Any]]]:
            if len(targets) > 1:
                grads = self._filled(grads, targets)
            elif count is None:
                results = call(self._externals.use_runtime("several"), grads[0])
                grads = [gast.Starred(results, gast.Load())]
            elif count > 1:
                grads = [subscript(clone(grads[0]), gast.Constant(i, None)) for i in range(count)]
            emitted, values = placed.adjoint(grads)
            contributions: list[tuple[str, Any]] = []
            for item, value in zip_longest(placed.parameters, values[: len(placed.parameters)]):
                if value is None and self._is_active(item):
                    self._note_missing(statement, item)
                elif self._is_active(item):
                    emitted.extend(self._spread(item, self._short(value, targets), contributions))
            return emitted, contributions

        return self._pass_on(statement, targets, rule)

    def _note_missing(self, statement: Any, item: Any) -> None:
        """A built-in rule without a gradient for an operand does not know it; a user's means zero."""
        operation = self._program.operation(statement)
        if operation.kind == "primitive":
            name = self._program.reader.vocabulary.canonical_name(operation.primal)
            self.missing.append((statement, name, self._namer.base(direct_names(item)[0])))

    def _results(self, statement: Any, wanted: int) -> int | None:
        primal = self._program.operation(statement).primal
        return self._program.reader.vocabulary.results(primal, wanted)

    def _spread(self, item: Any, value: Any, into: list[tuple[str, Any]]) -> list[Any]:
        """Give the gradient of one operand to the names in it; displays get one part each."""
        if isinstance(item, gast.Name):
            if is_sequence_call(value):
                value = call(self._externals.use_runtime("gathered"), value, load(item.id))
            into.append((item.id, value))
            return []
        if isinstance(value, (gast.Tuple, gast.List)):
            for part, inner in zip(item.elts, value.elts, strict=True):
                if self._is_active(part):
                    self._spread(part, inner, into)
            return []
        parts = [self._namer.fresh(f"grad_{_word(part)}_part") for part in item.elts]
        for part, name in zip(item.elts, parts, strict=True):
            if self._is_active(part):
                into.append((part.id, load(name)))
        return [assign(gast.Tuple([store(name) for name in parts], gast.Store()), value)]

    def _short(self, value: Any, targets: list[str]) -> Any:
        """Write `unbroadcast` as the sum that it is, or not at all, where the shapes are known."""
        name = getattr(getattr(value, "func", None), "id", "")
        if name != "unbroadcast" or len(targets) != 1:
            return value
        grad, like = value.args
        result = load(targets[0])
        if self._facts.shapes.same(like, result):
            return grad
        ours, theirs = self._facts.dimensions.of(result), self._facts.dimensions.of(like)
        if ours is not None and theirs is not None:
            axes = summed_axes(ours, theirs)
            if axes is not None and (not axes[0] or not axes[1]):
                return _sum_over(grad, *axes) if theirs or not ours else method(grad, "sum")
        value.args[1] = self._facts.shapes.representative(like)
        return value

    def _reverse_getitem(self, statement: Any, target: str) -> list[Any]:
        """The adjoint of ``y = x[i]`` adds to the same place of the adjoint of x."""
        source = statement.value.value
        if target in self._adjoints.parts:  # it is a part of the other's adjoint already
            self._adjoints.state.pop(target, None)
            return []
        if source.id in self.paths:
            cell = self.paths[source.id][statement.value.slice.value]
            return self._pass_on(statement, [target], lambda grads: ([], [(cell, grads[0])]))
        uniform = self._adjoints.uniform.pop(target, None)
        if target not in self._adjoints.state or not self._is_active(source):
            self._adjoints.state.pop(target, None)
            return []
        self._adjoints.state.pop(target)
        whole = uniform is None or uniform.vector != ()
        grad = load(self._adjoints.release(target)) if whole else uniform.args[0]
        done = [] if uniform is None or not whole else [assign(grad.id, uniform, statement)]
        done += self._adjoints.need(source.id, statement)
        return [*done, self._add_at(source.id, statement.value, grad, statement)]

    def _add_at(self, cell: str, read: Any, grad: Any, like: Any) -> Any:
        place = subscript(load(self._adjoints.name(cell)), clone(read.slice), storing=True)
        target = like.targets[0].id
        plain = target in self._kinds.arrays or target not in self._passed_whole
        if plain and self._selects_once(read.slice):
            return add_assign(place, grad, like)
        function = self._externals.use_runtime("add_at")
        added = call(function, load(self._adjoints.name(cell)), _index_value(read.slice), grad)
        return at(gast.Expr(added), like)

    def _selects_once(self, index: Any) -> bool:
        """Say whether an index surely selects no element twice."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        return all(
            isinstance(part, (gast.Slice, gast.Constant)) or self._facts.integers.of(part)
            for part in parts
        )

    def _reverse_unpack(self, statement: Any, source: str, targets: list[str]) -> list[Any]:
        held = [target in self._adjoints.state for target in targets]
        if not any(held):
            return []
        done = self._adjoints.spell_out(statement, targets)
        done += self._adjoints.need(source, statement)
        for position, target in enumerate(targets):
            is_part = target in self._adjoints.parts
            if self._adjoints.state.pop(target, None) is not None and not is_part:
                place = subscript(
                    load(self._adjoints.name(source)), gast.Constant(position, None), storing=True
                )
                done.append(add_assign(place, load(self._adjoints.release(target)), statement))
        return done

    def _reverse_store(self, statement: Any) -> list[Any]:
        """The adjoint of ``y[i] = v`` moves the adjoint of that place to v."""
        target = store_target(statement)
        cell = target.value.id
        if cell not in self._adjoints.state:
            return []
        adds = isinstance(statement, gast.AugAssign)
        kills = not adds and overwrites_earlier(statement, self._program, self._facts.integers)
        adjoints = self._adjoints
        done = adjoints.need(cell, statement) if kills else adjoints.spell_out(statement, [cell])
        place = subscript(load(adjoints.name(cell)), clone(target.slice))
        if self._is_active(statement.value):
            done.extend(self._give(statement, target, place))
        if not kills:
            return done
        zero = subscript(clone(place.value), clone(place.slice), storing=True)
        return [*done, assign(zero, gast.Constant(0.0, None), statement)]

    def _give(self, statement: Any, target: Any, place: Any) -> list[Any]:
        value: Any = place
        name = statement.value.id
        if isinstance(statement, gast.AugAssign) and isinstance(statement.op, gast.Sub):
            value = gast.UnaryOp(gast.USub(), place)
        if self._facts.shapes.element_is_number(target):
            return self._adjoints.accumulate(name, value, statement, Status.SHARED)
        if not self._selects_once(target.slice):
            place = call(
                self._externals.use_runtime("last_written"), place.value, _index_value(place.slice)
            )
            value = gast.UnaryOp(gast.USub(), place) if isinstance(value, gast.UnaryOp) else place
        value = call(self._externals.use_runtime("unbroadcast"), value, load(name))
        if name not in self._adjoints.state and self._selects_once(target.slice):
            value = call(self._externals.use_runtime("copied"), value)
        return self._adjoints.accumulate(name, value, statement, Status.OWNED)

    def _reverse_if(self, statement: Any) -> list[Any]:
        adjoints = self._adjoints
        lead = adjoints.spell_out(statement)
        lead += self._start_before_branch(statement)
        before = adjoints.state
        adjoints.state = dict(before)
        body = self._backward(statement.body)
        body += adjoints.spell_out(statement)
        then, adjoints.state = adjoints.state, dict(before)
        orelse = self._backward(statement.orelse)
        orelse += adjoints.spell_out(statement)
        other = adjoints.state
        for cell in sorted(set(then) ^ set(other)):
            lacking, block = (then, body) if cell not in then else (other, orelse)
            adjoints.state = lacking
            block.extend(adjoints.need(cell, statement))
        adjoints.state = {cell: _weaker(then[cell], other[cell]) for cell in then}
        if not body and not orelse:
            return lead
        node = at(gast.If(clone(statement.test), body, orelse), statement)
        self.pairs.append(Pair(statement, node, "if"))
        return [*lead, node]

    def _start_before_branch(self, statement: Any) -> list[Any]:
        """Where one branch does nothing, start the adjoints of the other before the branch."""
        state = self._adjoints.state
        there = set(state)
        then = touched(statement.body, set(there), self._operands)
        other = touched(statement.orelse, set(there), self._operands)
        if then != there and other != there:
            return []
        missing = sorted((then | other) - there)
        return [made for cell in missing for made in self._adjoints.need(cell, statement)]

    def _reverse_loop(self, loop: Any) -> list[Any]:
        adjoints = self._adjoints
        around = touched([loop], set(adjoints.state), self._operands) | set(adjoints.state)
        inner = set(around)
        size = -1
        while len(inner) != size:
            size = len(inner)
            inner |= touched(loop.body, set(inner), self._operands)
        made_inside = self._bound_inside(loop)
        lead: list[Any] = []
        for cell in sorted((inner & self._fed_in(loop.body)) - made_inside):
            lead.extend(adjoints.need(cell, loop))
        lead.extend(adjoints.spell_out(loop))
        for cell in sorted(inner - set(adjoints.state)):
            lead.extend(adjoints.need(cell, loop))
        adjoints.state.update(dict.fromkeys(inner & made_inside, Status.SHARED))
        at_head = dict(adjoints.state)
        body = self._backward(loop.body)
        body += adjoints.spell_out(loop)
        for cell in sorted(at_head):
            if cell not in adjoints.state:
                body.append(adjoints.zeros(cell, loop, model=adjoints.name(cell)))
        for cell in sorted(set(adjoints.state) - set(at_head)):
            raise InternalError(f"the adjoint of {cell} appears inside a loop only")
        adjoints.state = {
            cell: status if at_head[cell] is status else Status.SHARED
            for cell, status in adjoints.state.items()
        }
        if not body:
            return lead
        node = self._mirror(loop, body)
        self.pairs.append(Pair(loop, node, "loop"))
        return [*lead, node]

    def _fed_in(self, block: list[Any]) -> set[str]:
        """Return the names whose adjoints the statements of a block add to."""
        fed: set[str] = set()
        for statement in statements(block):
            if is_store(statement):
                fed.update(names_bound(store_target(statement).value))
                fed.update(direct_names(statement.value))
            elif isinstance(statement, gast.Assign):
                fed.update(self._operands(statement)[1])
        return fed

    def _mirror(self, loop: Any, body: list[Any]) -> Any:
        """Return the loop that runs the adjoint body once for every trip, last trip first."""
        if isinstance(loop, gast.For) and self._is_range(loop.iter):
            iterable = call("reversed", clone(loop.iter))
            return at(gast.For(clone(loop.target), iterable, body, [], None), loop)
        return at(gast.For(store("_"), gast.Constant(None, None), body, [], None), loop)

    def _is_range(self, node: Any) -> bool:
        return (
            isinstance(node, gast.Call) and self._program.reader.scope.resolve(node.func) is range
        )

    def _bound_inside(self, loop: Any) -> set[str]:
        return bound_names(loop.body)

    # -- questions

    def _is_active(self, node: Any) -> bool:
        return any(name in self._facts.activity.active for name in direct_names(node))

    def _operands(self, statement: Any) -> tuple[list[str], list[str]]:
        """Return the targets and the active operands of an assignment."""
        active = self._facts.activity.active
        targets = names_bound(statement.targets[0])
        operation = self._program.operation(statement)
        names = operand_names(operation, self._getitem)
        if operation.primal is self._getitem and names and names[0] in self.paths:
            return targets, [self.paths[names[0]][operation.args[1].value]]
        return targets, [name for name in names if name in active]


def _sum_over(grad: Any, added: tuple[int, ...], stretched: tuple[int, ...]) -> Any:
    """Return the sum of a gradient over axes that broadcasting added, or over stretched ones."""
    axes = added or stretched
    if not axes:
        return grad
    constants = [gast.Constant(axis, None) for axis in axes]
    axis = constants[0] if len(axes) == 1 else gast.Tuple(constants, gast.Load())
    total = method(grad, "sum")
    total.keywords = [gast.keyword("axis", axis)]
    if stretched:
        total.keywords.append(gast.keyword("keepdims", gast.Constant(True, None)))
    return total


def _is_runtime(name: str) -> bool:
    return name in runtime.__all__


def _renamed(node: Any, names: dict[str, str]) -> Any:
    if not names:
        return node
    node = clone(node)
    for item in gast.walk(node):
        if isinstance(item, gast.Name):
            item.id = names.get(item.id, item.id)
    return node


def _is_uniform(value: Any) -> bool:
    """Say whether a value is ``np.broadcast_to(number, np.shape(x))``."""
    func = getattr(value, "func", None)
    return isinstance(func, gast.Attribute) and func.attr == "broadcast_to"


def _merged(contributions: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Write twice the same contribution, as of ``x * x``, as one with a factor of two."""
    if len(contributions) != 2 or contributions[0][0] != contributions[1][0]:
        return contributions
    (cell, first), (_, second) = contributions
    if not isinstance(first, gast.BinOp) or gast.dump(first) != gast.dump(second):
        return contributions
    two = gast.Constant(2, None)
    if isinstance(first.op, gast.Mult):
        factor = gast.BinOp(two, gast.Mult(), first.left)
        return [(cell, gast.BinOp(factor, gast.Mult(), first.right))]
    return [(cell, gast.BinOp(two, gast.Mult(), first))]


def _path_key(statement: Any, name: str) -> str | None:
    """Return the key if a statement is ``y = name["key"]``."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Subscript):
        return None
    base, key = value.value, value.slice
    plain = isinstance(base, gast.Name) and base.id == name and isinstance(key, gast.Constant)
    single = isinstance(statement.targets[0], gast.Name)
    return key.value if plain and single and isinstance(key.value, str) else None


def _weaker(first: Status, second: Status) -> Status:
    return Status.OWNED if first is second is Status.OWNED else Status.SHARED


def _index_value(index: Any) -> Any:
    """Return an index as an expression: slices, which only brackets may hold, as `slice(...)`."""
    if isinstance(index, gast.Tuple):
        return gast.Tuple([_index_value(item) for item in index.elts], gast.Load())
    if isinstance(index, gast.Slice):
        parts = (index.lower, index.upper, index.step)
        return call(
            "slice", *[clone(p) if p is not None else gast.Constant(None, None) for p in parts]
        )
    return clone(index)


def _word(node: Any) -> str:
    return str(node.id) if isinstance(node, gast.Name) else "item"
