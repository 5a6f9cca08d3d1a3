"""Differentiates a program in normal form backwards: one adjoint for each statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from srcgrad import runtime
from srcgrad.errors import InternalError, MutationError
from srcgrad.frontend.long_loops import loop_of
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, load
from srcgrad.ir.changes import Change, change_of
from srcgrad.ir.displays import makes_table
from srcgrad.ir.marks import ATTEMPT, EDIT, OF_ERRORS
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import bound_names, direct_names, header_reads, is_store, store_target
from srcgrad.ir.walk import names_bound, names_read
from srcgrad.transforms.adjoints import Status
from srcgrad.transforms.draws import check_generator
from srcgrad.transforms.flow import (
    Asked,
    fed_in,
    other_branch,
    raises,
    run_here,
    touched,
    touched_in_branches,
)
from srcgrad.transforms.masking import Masking
from srcgrad.transforms.mirrored_loops import mirrored
from srcgrad.transforms.paths import find_parts, find_paths
from srcgrad.transforms.putting_back import PuttingBack
from srcgrad.transforms.renewed import may_change_shape, note_renewed, renewed_by
from srcgrad.transforms.reverse_calls import CallSteps
from srcgrad.transforms.reverse_containers import ContainerSteps
from srcgrad.transforms.reverse_elements import ElementSteps
from srcgrad.transforms.reverse_rules import RuleSteps
from srcgrad.transforms.reverse_surgery import check_idle_edit, prepare_edit
from srcgrad.transforms.shadows import ShadowSteps
from srcgrad.transforms.sweep import Pair, Reversed, Sweep, renamed

_WRITERS: Final = ("add_at", "add_entries", "add_to_shadows")
_COMPREHENSIONS: Final = (gast.ListComp, gast.DictComp)
Handler = Callable[[Any, Operation, list[str]], list[Any]]


class Reverser:
    """Reverses one program."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._started_unbound: set[str] = set()
        self._first_copied: dict[str, str] = {}
        self._rules = RuleSteps(sweep)
        self._masking = Masking(sweep)
        self._elements = ElementSteps(sweep)
        self._calls = CallSteps(sweep)
        self._shadows = ShadowSteps(sweep)
        self._containers = ContainerSteps(sweep)
        self._undoing = PuttingBack(sweep.facts.restored, sweep.namer)
        self._handlers: dict[str, Handler] = {
            "copy": weakly(self._prepare_copy),
            "unpack": weakly(self._prepare_unpack),
            "primitive": weakly(self._prepare_primitive),
            "class": weakly(self._prepare_class),
            "user": self._calls.prepare_user,
            "taped": self._calls.prepare_taped,
            "tuple": self._containers.prepare_display,
            "list": self._containers.prepare_display,
            "dict": self._containers.prepare_display,
        }
        self._asked: Asked = {}
        self._known_operands: dict[int, tuple[Any, tuple[list[str], list[str]]]] = {}
        note_renewed(sweep.program)
        sweep.paths = find_paths(sweep)
        find_parts(sweep)

    def run(
        self,
        seeds: Sequence[tuple[str, Any]],
        given: Sequence[str] = (),
        added: Sequence[str] = (),
    ) -> Reversed:
        """Reverse the body, starting from the adjoints of the outputs.

        The adjoints of `given` are bound already, to arrays of somebody else's, and those of the
        inputs `added` to arrays of their own.
        """
        program = self._sweep.program
        program.body = self._shadows.with_updates(program.body)
        body = program.body[:-1]
        forward = self._shadows.at_entry() + self._forward(body)
        backward: list[Any] = []
        end = self._sweep.program.body[-1]
        for name in self._sweep.adjoints.mirrored.intersection(given):
            variable = self._sweep.namer.base(name)  # its shadow would take the place of what comes
            what = f"`{variable}`, which is returned and may lie in memory that is written into,"
            what = f"{what} is not differentiated by source"
            self._sweep.refused.append((end, what, "return a copy of it", MutationError))
        self._sweep.adjoints.state.update(dict.fromkeys(given, Status.SHARED))
        self._sweep.adjoints.state.update(dict.fromkeys(added, Status.OWNED))
        for cell, seed in seeds:
            backward.extend(self._sweep.adjoints.accumulate(cell, seed, end, Status.SHARED))
        backward.extend(self._backward(body))
        self._sweep.steps.clear()  # each of them holds on to all of them
        self._shadows.fit(backward)
        self._undoing.settle(forward, backward)
        nothing = gast.Constant(None, None)  # what a path does not bind has an adjoint of zero
        started = self._started_unbound
        if started:  # what is read raises where it is unbound
            read = {name for item in body for name in header_reads(item)}
            started = started - (read - program.guarded)
        forward[:0] = [assign(name, nothing) for name in sorted(started)]
        return Reversed(forward, backward, self._sweep.adjoints.state, self._sweep.pairs)

    def _forward(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            if isinstance(statement, gast.If):
                statement.body = self._forward(statement.body)
                statement.orelse = self._forward(statement.orelse)
            elif isinstance(statement, (gast.For, gast.While, gast.With)):
                statement.body = self._forward(statement.body)
            elif isinstance(statement, gast.Try):
                statement.body = self._forward(statement.body)
                statement.finalbody = self._forward(statement.finalbody)
            elif (change := change_of(statement)) is not None:
                done.extend(self._change(statement, change))
                continue
            elif id(statement) in self._sweep.facts.storage.own:
                mirrored = self._shadows.put_by(statement, store_target(statement).value.id)
                done.extend(self._containers.put(statement, mirrored, done))
                continue
            elif is_store(statement):
                done.extend(self._freeze(store_target(statement), "slice", statement))
                done.extend(self._undoing.before(statement))
                done.extend([statement, *self._shadows.cell_put_by(statement)])
                done.extend(self._shadows.entry_updated_by(statement))
                continue
            elif isinstance(statement, gast.AugAssign):
                done.extend(self._shadows.prepare_update(statement))
                continue
            elif isinstance(statement, gast.Assign):
                shadows = self._shadows.made_by(statement)
                done.extend(self._prepare(statement))
                done.extend(shadows)
                continue
            elif isinstance(statement, gast.Expr):
                self._note_effect(statement)
            done.append(statement)
        return done

    def _change(self, statement: Any, change: Change) -> list[Any]:
        """Return the forward statements of a change of a list or dict, and of its shadows."""
        mirrored = self._shadows.put_by(statement, change.name)
        if mirrored and self._shadows.moves_whole(change):
            return [statement, *mirrored]
        return [*self._containers.prepare_change(statement), *mirrored]

    def _note_effect(self, statement: Any) -> None:
        """Note calls that write derivatives where no adjoint statement would read them."""
        call = statement.value
        name = getattr(getattr(call, "func", None), "id", "")
        if name not in _WRITERS or self._sweep.program.reader.scope.lookup(name) is not getattr(
            runtime, name
        ):
            return
        varied = [item for item in names_read(call) if item in self._sweep.facts.activity.varied]
        if varied:
            self._sweep.missing.append((statement, name, self._sweep.namer.base(varied[0])))

    def _prepare(self, statement: Any) -> list[Any]:
        """Return the forward statements of an assignment and keep how to reverse it."""
        targets = names_bound(statement.targets[0])
        if not any(target in self._sweep.facts.activity.active for target in targets):
            check_idle_edit(self._sweep, statement)
            return [statement]
        operation = self._sweep.program.operation(statement)
        handler = self._handlers.get(operation.kind)
        if handler is None:
            return self._no_step(statement, operation)
        before = self._snapshots(statement, operation)
        done: list[Any] = handler(statement, operation, targets)
        return before + done

    def _snapshots(self, statement: Any, operation: Operation) -> list[Any]:
        """Copy operands whose memory is written before the backward pass reads it."""
        if operation.kind not in ("primitive", "class", "user"):
            return []
        if operation.primal is self._sweep.getitem:
            return self._freeze(statement.value, "slice", statement)
        operands = [*operation.args, *operation.keywords.values()]
        loop = loop_of(operation.primal)
        if loop is not None:
            operands = operands[len(loop.states) + 1 :]  # of states it keeps copies by itself
        copies, renamed = self._copy_written(
            [name for arg in operands for name in direct_names(arg)], statement
        )
        self._sweep.renamed = {**self._sweep.copies, **renamed}
        self._sweep.witness.rename(self._sweep.renamed)
        return copies

    def _freeze(self, holder: Any, field: str, statement: Any) -> list[Any]:
        """Copy index arrays that are written before the backward pass uses them again."""
        index = getattr(holder, field)
        copies, names = self._copy_written(names_read(index), statement)
        setattr(holder, field, renamed(index, names))
        return copies

    def _copy_written(self, names: list[str], statement: Any) -> tuple[list[Any], dict[str, str]]:
        """Return copies of the names whose memory is written after a statement, and their names."""
        sweep = self._sweep
        copies: list[Any] = []
        found: dict[str, str] = {}
        for name in names:
            if name not in found and sweep.is_written_after(name, statement):
                found[name] = sweep.namer.fresh(f"{sweep.namer.base(name)}_now")
                copy = call(sweep.externals.use_runtime("copied"), load(name))
                copies.append(assign(found[name], copy, statement))
        return copies, found

    def _no_step(self, statement: Any, operation: Operation) -> list[Any]:
        """Only what is constant may go without an adjoint: silence would be a zero gradient."""
        if self._is_of_constants(statement.value):
            return [statement]  # what is in it is replaced later
        if operation.kind == "unknown":
            made = getattr(statement.value, "func", None)
            what = getattr(operation.primal, "__name__", getattr(made, "attr", "this expression"))
            name = self._sweep.namer.base(names_bound(statement.targets[0])[0])
            self._sweep.missing.append((statement, what, name))
        elif operation.kind != "constant":
            raise InternalError(f"an active statement of kind {operation.kind!r} has no adjoint")
        return [statement]

    def _is_of_constants(self, value: Any) -> bool:
        """Say whether an expression is a table of constants, or one of two constants."""
        varied = self._sweep.facts.activity.varied
        if isinstance(value, gast.IfExp):  # what it tests chooses alone
            return varied.isdisjoint([*names_read(value.body), *names_read(value.orelse)])
        if makes_table(value, self._sweep.program.reader.scope):
            return True
        return isinstance(value, _COMPREHENSIONS) and varied.isdisjoint(names_read(value))

    def _prepare_copy(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        if EDIT.is_on(statement):
            given = EDIT.of(statement).reads.values()
            reads = [name for item in given for name in names_read(item)]
            copies, names = self._copy_written(reads, statement)
            prepare_edit(self._sweep, statement, targets[0], names)
            return [*copies, statement]
        (source,) = direct_names(operation.args[0]) or [""]
        self._first_copied.setdefault(targets[0], source)

        def step() -> list[Any]:
            return self._sweep.pass_on(statement, targets, lambda grads: ([], [(source, grads[0])]))

        self._sweep.steps[id(statement)] = step
        return [statement]

    def _prepare_primitive(
        self, statement: Any, operation: Operation, targets: list[str]
    ) -> list[Any]:
        if operation.primal is self._sweep.getitem:
            self._sweep.steps[id(statement)] = lambda: self._elements.reverse_getitem(
                statement, targets[0]
            )
            return self._elements.stable_read(statement, targets[0])
        vocabulary = self._sweep.program.reader.vocabulary
        if operation.primal in vocabulary.methods.values():
            check_generator(self._sweep, statement.value)
        rule = vocabulary.rule_for(operation.primal)
        return self._rules.prepare_rule(statement, operation, targets, rule, own_forward=False)

    def _prepare_class(self, statement: Any, operation: Operation, targets: list[str]) -> list[Any]:
        return self._rules.prepare_rule(
            statement, operation, targets, operation.primal, own_forward=True
        )

    def _prepare_unpack(
        self, statement: Any, operation: Operation, targets: list[str]
    ) -> list[Any]:
        source = operation.args[0].id
        self._sweep.steps[id(statement)] = lambda: self._elements.reverse_unpack(
            statement, source, targets
        )
        return [statement]

    def _backward(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in reversed(block):
            done.extend(self._masking.begun(statement))
            if isinstance(statement, gast.If):
                done.extend(self._reverse_if(statement))
            elif isinstance(statement, (gast.For, gast.While)):
                done.extend(self._reverse_loop(statement))
            elif isinstance(statement, gast.With):
                done.extend(self._reverse_with(statement))
            elif isinstance(statement, gast.Try):
                done.extend(self._backward([*run_here(statement), *statement.finalbody]))
            elif is_store(statement) and id(statement) not in self._sweep.facts.storage.own:
                done.extend(self._undoing.after(statement))
                done.extend(self._elements.reverse_store(statement))
            else:
                done.extend(self._reverse_simple(statement))
            done.extend(self._masks_bound(statement))
        return done

    def _masks_bound(self, statement: Any) -> list[Any]:
        """Return the statements that bind masks of what a statement reads, or add to them."""
        bound = self._masking.bound(statement)
        for item in bound:
            self._rules.simplify_sizes(item)
        return bound

    def _reverse_simple(self, statement: Any) -> list[Any]:
        done = self._shadows.reversed_by(statement)
        if done is not None:
            return done
        step = self._sweep.steps.get(id(statement))
        if step is not None:
            return step()
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                for name in names_bound(target):
                    self._sweep.adjoints.state.pop(name, None)
                    self._sweep.adjoints.uniform.pop(name, None)
                    self._sweep.adjoints.borrowed.pop(name, None)
        return []

    def _reverse_if(self, statement: Any) -> list[Any]:
        adjoints = self._sweep.adjoints
        for block, other in (
            (statement.body, other_branch(statement)),
            (other_branch(statement), statement.body),
        ):
            if raises(block):
                return self._backward(other)
        lead = adjoints.spell_out(statement)
        lead += self._start_before_branch(statement)
        before, wide = adjoints.state, set(adjoints.wide)
        adjoints.state = dict(before)
        body = [*self._backward(statement.body), *adjoints.spell_out(statement)]
        then, adjoints.state = adjoints.state, dict(before)
        wide_then, adjoints.wide = adjoints.wide, wide
        orelse = self._backward(other_branch(statement))
        orelse += adjoints.spell_out(statement)
        other, wide_other = adjoints.state, adjoints.wide
        for cell in renewed_by(statement):
            _ = then.pop(cell, None), other.pop(cell, None)
        for cell in sorted(set(then) ^ set(other)):
            lacks = cell not in then
            lacking, block = (then, body) if lacks else (other, orelse)
            adjoints.state, adjoints.wide = lacking, wide_then if lacks else wide_other
            made = self._fill_in(cell, None)  # a fill-in stems from no line
            block.extend(made if lacks else self._as_before(cell, made, statement))
        adjoints.state = {cell: _weaker(then[cell], other[cell]) for cell in then}
        adjoints.wide = wide_then & wide_other
        if not body and not orelse:
            return lead
        node = at(gast.If(clone(statement.test), body, orelse), statement)
        self._sweep.pairs.append(Pair(statement, node, "if"))
        return [*lead, node]

    def _as_before(self, cell: str, made: list[Any], branch: Any) -> list[Any]:
        """Shape an adjoint that starts before a `try`, which binds its name anew, as that was."""
        attempt = ATTEMPT.of(branch)
        if attempt is None or cell not in bound_names(attempt.body) & self._first_copied.keys():
            return made
        return [renamed(item, {cell: self._first_copied[cell]}) for item in made]

    def _reverse_with(self, statement: Any) -> list[Any]:
        """A block runs backwards as it stands, and what it says of floating-point errors holds."""
        body = self._backward(statement.body)
        if body and OF_ERRORS.of(statement):
            return [at(gast.With(clone(statement.items), body, None), statement)]
        return body

    def _fill_in(self, cell: str, like: Any) -> list[Any]:
        """Start an adjoint at zero; that of a result is read only where it was given."""
        if self._sweep.adjoints.is_result(cell):
            self._sweep.adjoints.state[cell] = Status.SHARED
            return []
        if cell in self._sweep.program.unbound and not self._sweep.adjoints.exists(cell):
            self._started_unbound.add(cell)
        return self._sweep.adjoints.need(cell, like)

    def _start_before_branch(self, statement: Any) -> list[Any]:
        """Where one branch does nothing, start the adjoints of the other before the branch."""
        state = self._sweep.adjoints.state
        there = set(state)
        always = self._sweep.adjoints.mirrored
        found = touched_in_branches(statement, there | always, self._operands, always, self._asked)
        then, other = (cells - always for cells in found)
        if there not in (then, other):
            return []
        missing = sorted((then | other) - there)
        return [made for cell in missing for made in self._fill_in(cell, statement)]

    def _touched(self, block: list[Any], cells: set[str]) -> set[str]:
        always = self._sweep.adjoints.mirrored
        return touched(block, cells | always, self._operands, always, self._asked) - always

    def _operands(self, statement: Any) -> tuple[list[str], list[str]]:
        """Return operands as the sweep does; each branch asks for those of all branches in it."""
        known = self._known_operands.get(id(statement))
        if known is None:  # the statement is kept, so that no other gets its identity
            known = self._known_operands[id(statement)] = (
                statement,
                self._sweep.operands(statement),
            )
        return known[1]

    def _reverse_loop(self, loop: Any) -> list[Any]:
        adjoints = self._sweep.adjoints
        around = self._touched([loop], set(adjoints.state)) | set(adjoints.state)
        inner = set(around)
        size = -1
        while len(inner) != size:
            size = len(inner)
            inner |= self._touched(loop.body, inner)
        made_inside = bound_names(loop.body)
        lead: list[Any] = []
        for cell in sorted((inner & fed_in(loop.body, self._sweep.operands)) - made_inside):
            lead.extend(adjoints.need(cell, loop))
        lead.extend(adjoints.spell_out(loop))
        for cell in sorted(inner - set(adjoints.state)):
            lead.extend(self._fill_in(cell, loop))
        adjoints.state.update(dict.fromkeys(inner & made_inside, Status.SHARED))
        at_head = dict(adjoints.state)
        body = self._backward(loop.body)
        body += adjoints.spell_out(loop)
        for cell in sorted(at_head):
            if cell in adjoints.state:
                continue
            if adjoints.is_result(cell):
                adjoints.state[cell] = Status.SHARED
            else:
                body.append(self._zeros_before(cell, loop, made_inside))
        for cell in sorted(set(adjoints.state) - set(at_head)):
            raise InternalError(f"the adjoint of {cell} appears inside a loop only")
        adjoints.state = {
            cell: status if at_head[cell] is status else Status.SHARED
            for cell, status in adjoints.state.items()
        }
        if not body:
            return lead
        node = mirrored(self._sweep, loop, body)
        self._sweep.pairs.append(Pair(loop, node, "loop"))
        return [*lead, node]

    def _zeros_before(self, cell: str, loop: Any, made_inside: set[str]) -> Any:
        """Start the adjoint of what a trip binds anew, for the trip before it.

        That may have bound something of another shape.
        """
        adjoints = self._sweep.adjoints
        if cell not in made_inside or not may_change_shape(self._sweep, cell, loop):
            return adjoints.zeros(cell, loop, model=adjoints.name(cell))
        if cell in self._sweep.program.unbound:
            self._started_unbound.add(cell)
        return adjoints.zeros(cell, loop)


def _weaker(first: Status, second: Status) -> Status:
    return Status.OWNED if first is second is Status.OWNED else Status.SHARED
