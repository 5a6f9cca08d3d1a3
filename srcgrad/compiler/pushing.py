"""Derives tangent functions: from a function to the text that runs values and tangents along."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from srcgrad import runtime
from srcgrad.analyses.call_writes import CallWrites
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.lent import lent
from srcgrad.analyses.mirroring import Mirroring, mirroring
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.unfit_arrays import uses_of_unfit_arrays
from srcgrad.checker.tangent_witness import begun_forwards
from srcgrad.compiler.calls import Call
from srcgrad.compiler.derivation import Derivation
from srcgrad.compiler.field_reads import all_fields_read
from srcgrad.compiler.generated import Generated, Request
from srcgrad.compiler.generating import collect_numpy, empty_module, generate
from srcgrad.compiler.list_depths import refuse_inner_lists
from srcgrad.compiler.lost_slopes import refuse_lost_slopes
from srcgrad.compiler.module import Module
from srcgrad.compiler.module_text import wrapped
from srcgrad.compiler.normal_form import parameter_names
from srcgrad.compiler.reserved import own_names
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.subjects import add_tangents
from srcgrad.errors import MissingRuleError, MutationError
from srcgrad.frontend.expand.scoping import without_collisions
from srcgrad.frontend.normalize.updates import as_bindings
from srcgrad.frontend.refusals import merging, shown_in
from srcgrad.frontend.source import FunctionSource, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, clone, store
from srcgrad.ir.changes import change_of
from srcgrad.ir.operations import Operation
from srcgrad.ir.origins import spread_origins
from srcgrad.ir.program import Program, bound_names, header_reads, is_store
from srcgrad.ir.walk import found_in, names_bound, names_read, statements
from srcgrad.optimizations.idle_guards import drop_idle_guards
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.share_calls import our_names, share_calls
from srcgrad.runtime import complex_shadow_of, shadow_of, shadow_of_view
from srcgrad.runtime.stacks import CannotStackError
from srcgrad.transforms.float_checks import check_floats
from srcgrad.transforms.forward import Forwarder, PushedCall
from srcgrad.transforms.mirrored import renamed_root
from srcgrad.transforms.stacking import take_stacks
from srcgrad.transforms.templates import Inliner

_MEMORY: Final = (np.ndarray, list, dict)


@dataclass(slots=True)
class Pusher:
    """The tangent functions of one generated module."""

    module: Module
    _names: dict[Any, str] = field(default_factory=dict)

    def entry(self, function: Any, wrt: Sequence[str], given: Mapping[str, Any]) -> str:
        """Compile the function that the user calls; return the name of its tangent function.

        It takes the arguments and one tangent for each of `wrt`, and returns the value and its
        tangent.
        """
        source, refusal = self.module.expanded(function, given, wrt)
        with merging(refusal):
            return self._function(source, tuple(wrt), self.module.stages)

    def _function(self, source: FunctionSource, wrt: tuple[str, ...], stages: Stages) -> str:
        key = (source.function, wrt)
        if key in self._names:
            return self._names[key]
        is_entry = not self._names
        name = self._names[key] = self.module.name_function(f"{source.name}_jvp", source)
        source, renamed = without_collisions(source, own_names())
        if is_entry:
            self.module.renamed = renamed
        self.module.tangent_functions.add(name)
        wrt = tuple(renamed.get(item, item) for item in wrt)
        derivation = self.module.begin(source, wrt, stages, updates=True)
        namer = derivation.program.namer
        body = self._body(derivation, keeps=is_entry)
        body = derivation.with_fields([*_fields_of_tangents(derivation, body), *body])
        if is_entry:
            self.module.note_written(derivation, renamed)
        parameters = parameter_names(source.tree)
        seeds = [namer.tangent(item) for item in wrt]
        if self.module.stacks:
            if source.leaves:
                raise CannotStackError("an argument that is read field by field")
            defined = (), self.module.tangent_functions
            take_stacks(body, [*parameters, *seeds], seeds, defined, self.module.externals)
        arguments = _with_tangents(parameters, seeds)
        shown = ", ".join(f"`{item}`" for item in wrt)
        doc = wrapped(f"Return `{source.name}` and its tangent", f"from tangents of {shown}.", ", ")
        self.module.end(derivation, name, arguments, body, doc)
        add_tangents(self.module.proofs, derivation, name, wrt, keeps=is_entry)
        return name

    def _body(self, derivation: Derivation, *, keeps: bool) -> list[Any]:
        derivation.refusals.raise_if_any()
        program = derivation.program
        values = _values_of(program)
        integers = Integers(values)
        shapes = Shapes(values, integers)
        found = mirroring(program, program.outputs, integers.names, is_entry=keeps)
        if derivation.stages.account is not None:
            derivation.stages.account.note_activity(program, found.active, ())
        derivation.note_written(_written_arguments(derivation, found.written))
        _refuse_writing_calls(derivation, found.varied)
        _refuse_kept_outside(derivation, found.outside)
        refuse_inner_lists(program, lambda _: None, derivation.refusals)  # no axes are known here
        refuse_lost_slopes(program, found.varied, program.outputs, derivation.refusals)
        derivation.refusals.raise_if_any()
        _refuse_kept_shadows(derivation)
        check_floats(program, derivation.externals, found.active, found.varied)
        inliner = Inliner(program.namer, derivation.externals, derivation.keep_complex)

        def push_call(
            statement: Any, operation: Operation, varies: Callable[[Any], bool]
        ) -> PushedCall | None:
            with shown_in(derivation.source, statement):
                return self._push_call(derivation.source, statement, operation, varies)

        witness = begun_forwards(program)
        forwarder = Forwarder(program, found, shapes, inliner, push_call, witness)
        body = [*_held(program, found, forwarder), *forwarder.run(keeps=keeps)]
        for statement, name in forwarder.unknown:
            derivation.refusals.add(
                statement,
                f"the tangent of `{name}` is not known",
                "write a `Function` with `forward` and `jvp` and call `apply`",
                MissingRuleError,
            )
        derivation.refusals.raise_if_any()
        derivation.stages.note("forward", body)
        spread_origins(body)
        tangents = tuple(program.namer.tangent(name) for name in program.inputs)
        ours = our_names(derivation.source.function)
        share_calls(body, (*program.parameters, *tangents), ours)
        purity = Purity(program.reader, frozenset(runtime.__all__), lambda _: False)
        body = derivation.polished(
            body,
            purity,
            set(found.written),
            derivation.is_float(found.varied),
            (*program.parameters, *tangents),
        )
        return drop_idle_guards(body)

    def _push_call(
        self,
        caller: FunctionSource,
        statement: Any,
        operation: Operation,
        varies: Callable[[Any], bool],
    ) -> PushedCall | None:
        expander = self.module.expander
        source = find_source(expander.expand(operation.primal))
        cause = expander.refused.get(caller.function)
        passed = Call(caller, statement, source, operation).operands(self.module.externals, cause)
        names = parameter_names(source.tree)
        pairs = list(zip(names, passed, strict=True))
        wrt = tuple(name for name, item in pairs if varies(item))
        seeds = [item for name, item in pairs if name in wrt]
        with merging(expander.refused.get(operation.primal)):
            function = self._function(source, wrt, self.module.stages.inner())
        return PushedCall(function, passed, seeds)


def _refuse_writing_calls(derivation: Derivation, varied: frozenset[str]) -> None:
    """Refuse calls that write what varies into their arguments, whose tangents stay as they are."""

    def report(statement: Any, message: str, hint: str) -> None:
        derivation.refusals.add(statement, message, hint, MutationError)

    writes = CallWrites(derivation.program, varied.__contains__, report)
    for statement in statements(derivation.program.body):
        writes.of(statement)
    for statement, message, hint in uses_of_unfit_arrays(derivation.program, lambda: varied):
        report(statement, message, hint)
    derivation.refusals.raise_if_any()


def _refuse_kept_outside(derivation: Derivation, outside: frozenset[str]) -> None:
    """Refuse what varies in memory outside the function, which has no tangent, and is read there.

    A list that is only added to, such as a log, is read by nobody here.
    """
    program = derivation.program
    if not outside:
        return
    logs = lent(program).logs
    for statement in statements(program.body):
        if logs and not logs.isdisjoint(bound_names([statement])):
            continue
        operation = program.operation(statement) if isinstance(statement, gast.Assign) else None
        inner = map(program.reader.read, found_in(statement, gast.Call))  # as in a comprehension
        calls = operation is not None and any(
            item.kind in ("user", "unknown", "class", "taped") for item in (operation, *inner)
        )
        read = sorted(outside.intersection(map(program.namer.base, _names_taken(statement))))
        if read or calls:
            name = read[0] if read else program.namer.base(min(outside))
            shown, copy = f"`{name}`", f"`own_{name.lower()} = {name}.copy()`"
            if callable(program.reader.scope.lookup(name)):
                shown, copy = f"what `{name}` returns", "`own = found.copy()`"
            derivation.refusals.add(
                statement,
                f"what is written into {shown}, which lives outside the function, has no tangent",
                f"work on a copy: {copy}",
                MutationError,
            )
            derivation.refusals.raise_if_any()


def _names_taken(statement: Any) -> list[str]:
    """Return the names that a statement reads for more than to write into them."""
    if isinstance(statement, gast.Expr):
        return []
    if is_store(statement):
        return names_read(statement.value)
    return header_reads(statement)


def _refuse_kept_shadows(derivation: Derivation) -> None:
    """Refuse adjoints written in place that are kept from trip to trip with other values.

    What is added to one that was kept may reach another name for its memory, which the tangents of
    what is taken back do not follow.
    """
    program = derivation.program
    every = list(statements(program.body))
    assigned = [item for item in every if isinstance(item, gast.Assign)]
    makers = (shadow_of, complex_shadow_of, shadow_of_view)
    if not any(program.operation(item).primal in makers for item in assigned):
        return
    for statement in assigned:
        change = change_of(statement)
        names = [name for target in statement.targets for name in names_bound(target)]
        kept = len(names) > 1 or (change is not None and change.name.endswith("_saved"))
        if kept and any(program.namer.base(name).startswith("grad_") for name in names):
            derivation.refusals.add(
                statement,
                "an adjoint that is written in place and kept from trip to trip has no tangent",
                "take sg.jvp of the function itself, and the gradient or tangent of that",
            )
            derivation.refusals.raise_if_any()


def _held(program: Program, found: Mirroring, forwarder: Forwarder) -> list[Any]:
    """Start the tangents of parameters that none was given for, but that are kept with others."""
    names = [n for n in program.parameters if n in found.active and n not in program.inputs]
    return [forwarder.start(name) for name in names]


def _values_of(program: Program) -> Program:
    """Return the program as analyses of values read it, with updates as bindings."""
    return replace(program, body=as_bindings(clone(program.body)), _operations={})


def _written_arguments(derivation: Derivation, written: Collection[str]) -> frozenset[str]:
    """Return the arguments whose memory is written: they must not share it, nor must tangents.

    So must not what is written outside of the function, which an argument may be, too.
    """
    program = derivation.program
    given = {name for name in program.parameters if name in written}
    free = set(written).difference(program.parameters, bound_names(program.body))
    lookup = program.reader.scope.lookup
    return frozenset(given | {name for name in free if isinstance(lookup(name), _MEMORY)})


def _fields_of_tangents(derivation: Derivation, body: list[Any]) -> list[Any]:
    """Return the statements that read the fields of tangents, where a body needs them."""
    tangent = derivation.program.namer.tangent
    read = {name for statement in statements(body) for name in names_read(statement)}
    leaves = [(item, name) for item in derivation.source.leaves for name in item.names.values()]
    return [
        assign(tangent(name), renamed_root(field.value, tangent(item.parameter)), field)
        for (item, name), field in zip(leaves, all_fields_read(derivation.source), strict=True)
        if tangent(name) in read and not item.is_held
    ]


def _with_tangents(parameters: list[str], tangents: list[str]) -> Any:
    """Return the parameters of a tangent function, all by position."""
    args = []
    for name in [*parameters, *tangents]:
        node = store(name)
        node.ctx = gast.Param()
        args.append(node)
    return gast.arguments(args, [], None, [], [], None, [])


def tangents_text(request: Request, stages: Stages | None) -> Generated:
    """Return the source of a pushforward, as `compile_tangents` says."""

    def make(request: Request) -> tuple[Module, str, str]:
        module = empty_module(request, stages)
        entry = Pusher(module).entry(request.function, request.wrt, request.given)
        collect_numpy(module)
        return module, entry, ""

    return generate(request, make)
