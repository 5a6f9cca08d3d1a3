"""Runs the front end: from a function to a program in normal form."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.variation import Variation
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.fence import check_statements
from srcgrad.frontend.free_names import leave_names
from srcgrad.frontend.joined_rows import join_rows
from srcgrad.frontend.kept_answers import (
    ASKED,
    HINT,
    asks_what_is_kept,
    lasting_defaults,
    stored_into,
    stored_outside,
)
from srcgrad.frontend.named_targets import with_named_targets
from srcgrad.frontend.nested_lists import refuse_inner_joins
from srcgrad.frontend.normalize.attempts import Attempts
from srcgrad.frontend.normalize.axes import with_axes
from srcgrad.frontend.normalize.copied_lists import without_copies
from srcgrad.frontend.normalize.counting import (
    counted,
    is_checkpointed,
    plainly,
    refuse_elsewhere,
)
from srcgrad.frontend.normalize.declarations import drop_deletions
from srcgrad.frontend.normalize.desugared import desugared
from srcgrad.frontend.normalize.dict_variables import DictVariables
from srcgrad.frontend.normalize.flatten import Flattener
from srcgrad.frontend.normalize.inline import WritingHelpers
from srcgrad.frontend.normalize.missing_entries import with_missing_entries
from srcgrad.frontend.normalize.named_slices import with_written_slices
from srcgrad.frontend.normalize.new_containers import NewContainers
from srcgrad.frontend.normalize.other_names import by_one_name
from srcgrad.frontend.normalize.removals import without_removals
from srcgrad.frontend.normalize.returned_tables import rows_returned
from srcgrad.frontend.normalize.returns import single_exit
from srcgrad.frontend.normalize.separation import constants_apart, lists_apart
from srcgrad.frontend.normalize.spellings import Spellings
from srcgrad.frontend.normalize.stepping import Stepping
from srcgrad.frontend.normalize.unbound_reads import may_be_none, raise_if_unbound
from srcgrad.frontend.normalize.updates import restore_updates, settle_updates
from srcgrad.frontend.normalize.versions import Versions
from srcgrad.frontend.normalize.writes import WriteCalls, refuse_inner_writes
from srcgrad.frontend.own_globals import name_own_globals
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.remembered import steady
from srcgrad.frontend.source import FunctionSource
from srcgrad.frontend.sparse import check_sparse
from srcgrad.frontend.surgery import names_in_edits, settle_edits
from srcgrad.ir import gast
from srcgrad.ir.binding import maybe_unbound, read_untold, unbound_reads
from srcgrad.ir.build import clone
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.origins import note_origins
from srcgrad.ir.packages import is_generated
from srcgrad.ir.program import Program, bound_names
from srcgrad.ir.scopes import Binding, scope_of
from srcgrad.ir.walk import found_in, statements
from srcgrad.optimizations.drop_dead_stores import DeadStores
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.share_values import share_values
from srcgrad.optimizations.square_reads import square_reads
from srcgrad.transforms.unpacked_apart import unpacked_apart

_BIND_IT: Final = "bind it before the loop: the first trip raises an UnboundLocalError"


def parameter_names(tree: Any) -> list[str]:
    """Return the names of all parameters of a function tree, in the order of a full call."""
    args = tree.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    starred = [item for item in (args.vararg, args.kwarg) if item is not None]
    return [item.id for item in [*named, *starred]]


def arity(tree: Any) -> int | None:
    """Return how many values a function returns as a tuple; None if it returns a single one."""
    for statement in statements(tree.body):
        if isinstance(statement, gast.Return) and isinstance(statement.value, gast.Tuple):
            return len(statement.value.elts)
    return None


@dataclass(frozen=True, slots=True)
class Manner:
    """In which of several ways a function is written.

    Attributes:
        updates: ``x += v`` stays as it is, since what it does, binding anew or writing, only the
            run tells.
        caught: A caller may catch what the function raises.
        plain: Checkpointed loops are loops as others are.
        held: The parameters that are taken for lists and dicts of arrays, which are updated as
            what they are.
        in_place: Functions that may hand back their arguments are put in the place of their calls,
            as those that write are.
    """

    updates: bool = False
    caught: bool = False
    plain: bool = False
    held: frozenset[str] = frozenset()
    in_place: bool = False


def normal_form(
    source: FunctionSource,
    inputs: Sequence[str],
    outside: Sequence[str],
    stages: Stages,
    manner: Manner | None = None,
) -> tuple[Program, Refusals]:
    """Return a function in normal form, for derivatives with respect to `inputs`.

    `outside` are names that the generated module needs for itself. What is refused so far is in the
    second result; nothing has been raised.
    """
    with steady():
        return _normal_form(source, inputs, outside, stages, manner or Manner())


def _normal_form(
    source: FunctionSource,
    inputs: Sequence[str],
    outside: Sequence[str],
    stages: Stages,
    manner: Manner,
) -> tuple[Program, Refusals]:
    refusals, tree = Refusals(source), clone(source.tree)
    reads, tree.body = tree.body[: len(source.fields)], tree.body[len(source.fields) :]
    modules = name_own_globals(with_named_targets(tree), source.function)
    check_statements(tree, refusals)
    _check_parameters(tree, inputs, refusals)
    refusals_at_fence = bool(refusals.found)
    tree.body[:0] = reads
    program = _start(source, tree, inputs, outside, modules)
    del tree.body[: len(reads)]  # they are read before all else, as if they were arguments
    program.reads = reads
    reader, namer, scope = program.reader, program.namer, program.reader.scope
    _refuse_misread(tree, source, program, refusals)
    stages.note("parse", tree)
    if refusals_at_fence:
        return program, refusals
    apart, plain = lists_apart(tree.body, namer), manner.plain or manner.updates
    body = rows_returned(_counted(tree.body, program, refusals, plain=plain), scope, namer)
    body = by_one_name(desugared(body, scope, namer, refusals, program.parameters), reader)
    tree.body = with_written_slices(body, scope, namer)
    exits = single_exit(tree, namer, refusals)
    if not plain and not refusals.found:
        tree.body = _with_steps(source, tree.body, program, refusals)
    if refusals.found:
        return program, refusals
    placed, results = _write_by_index(tree, program, manner)
    stages.note("write by index", tree)
    flags, carried = _flatten(tree, program, refusals, manner)
    stages.note("flatten", tree)
    fixed = frozenset(exits.results) | results | flags
    lasting = scope.local | exits.flags | placed | carried | apart
    taken = [*program.parameters, *(name for name in outside if name not in scope.local)]
    versions = Versions(namer, [*program.parameters], lasting, fixed, outside)
    tree.body = without_copies(_settled(versions.function(tree.body), program), reader)
    for loop, variable in versions.unbound:
        refusals.add(loop, f"a loop that reads `{variable}` before anything binds it", _BIND_IT)
    program.unbound = maybe_unbound(tree.body, taken, namer.base)
    tree.body = _with_errors(
        tree.body, program, refusals, versions.started, {*taken, *fixed, *source.results}
    )
    program.results = frozenset(exits.results)
    stages.begin(source, program, tree.body)
    tree.body = _fill(program, tree.body, manner, {*taken, *lasting, *fixed})
    stages.note("name versions", tree)
    return program, refusals


def _constants_apart(tree: Any, program: Program) -> set[str]:
    """Name anew what passes no derivative on, where a function without a rule may be given it.

    Of what has a rule, and of stores, it comes to light when each value has a name of its own.
    """
    calls = [call for part in tree.body for call in found_in(part, gast.Call)]
    if not any(program.reader.read(call).kind == "unknown" for call in calls):
        return set()
    every = Variation([*bound_names(tree.body), *program.parameters], program.reader)
    return constants_apart(tree.body, program.namer, program.parameters, every.of)


def _settled(body: list[Any], program: Program) -> list[Any]:
    """Return a body that updates in place what one version of a name holds that does not vary."""
    if not any(map(UPDATES_ENTRY.of, statements(body))):
        return body  # as most
    varied = Variation(program.inputs, program.reader)
    varied.spread(body)
    settle_updates(body, varied.names)
    return body


def _flatten(
    tree: Any, program: Program, refusals: Refusals, manner: Manner
) -> tuple[set[str], set[str]]:
    """Let each statement do one operation; return the flags of `try`, and what loops carry."""
    reader, namer = program.reader, program.namer
    apart = _constants_apart(tree, program)
    variation = Variation(program.inputs, reader)
    variation.spread(tree.body)
    refuse_inner_writes(tree.body, reader, variation.names, refusals)
    flattener = Flattener(variation, reader, namer, refusals, manner.held)
    tree.body = flattener.function(tree.body)
    if manner.updates:
        restore_updates(tree.body)
    module = str(reader.scope.function.__module__)
    cuts = not is_generated(module)  # there flags say what is read half-way
    attempts = Attempts(namer, variation.names, refusals, reader, flattener.holders, cuts=cuts)
    tree.body = attempts.function(tree.body)
    tree.body = drop_deletions(tree.body, variation.names, refusals)
    return attempts.names, flattener.carried | attempts.carried | apart


def _start(
    source: FunctionSource,
    tree: Any,
    inputs: Sequence[str],
    outside: Sequence[str],
    modules: Mapping[str, Binding],
) -> Program:
    """Return a program without a body."""
    scope = scope_of(source.function, tree, with_imports=True)
    scope.used.update(modules)
    parameters = (*parameter_names(tree), *source.fields)
    namer = Namer([*scope.local, *parameters])
    scope.made = namer.made
    namer.reserve([*outside, *_free_names(tree, scope.local), *names_in_edits(tree)])
    leave_names(tree, scope, {*outside, *vars(builtins)}, namer, [*source.fields])
    reader = Reader(scope, VOCABULARY)
    tree.body = with_missing_entries(tree.body, reader, namer, parameters)
    return Program(source.name, tree.args, parameters, tuple(inputs), [], reader, namer)


def _counted(body: list[Any], program: Program, refusals: Refusals, *, plain: bool) -> list[Any]:
    """Return a body with its checkpointed loops as they are counted, or as others if `plain`."""
    reader = program.reader
    join_rows(body, reader.scope, program.parameters)
    refuse_elsewhere(body, reader, refusals)
    if plain:
        return plainly(body, reader)
    refuse_inner_joins(body, reader.scope, refusals)
    return counted(body, reader)


def _with_steps(
    source: FunctionSource, body: list[Any], program: Program, refusals: Refusals
) -> list[Any]:
    """Write checkpointed loops as calls of functions."""
    loops = (item for item in statements(body) if isinstance(item, gast.For))
    if not any(is_checkpointed(loop.iter, program.reader) for loop in loops):
        return body
    variation = Variation(program.inputs, program.reader)
    variation.spread(body)
    stepping = Stepping(source, program.reader, program.namer, refusals)
    return stepping.block(body, [*program.parameters], variation.names)


def _with_errors(
    body: list[Any],
    program: Program,
    refusals: Refusals,
    started: Collection[str],
    known: Collection[str],
) -> list[Any]:
    """Return a body that raises where it reads what nothing has bound, but for what is `known`."""
    base, local = program.namer.base, program.reader.scope.local
    if not (program.unbound or started or local.difference(known).difference(bound_names(body))):
        return body  # as most: each read was found to be of what is bound
    reads = unbound_reads(body, known, base, started, local)
    if not reads:
        return body
    nothing = may_be_none(body, program.reader, program.inputs, started) & bound_names(body)
    purity = Purity(program.reader, frozenset())
    for read in reads:
        what = f"a loop that may read `{base(read.name)}`"
        if read.name in nothing and read.name in started:
            what += ", which may be None, before it is bound"
        elif read.again or (read.test is not None and not purity.of(read.test)):
            what += " before anything binds it"
        else:
            continue
        refusals.add(read.statement, what, _BIND_IT)
    asked = [read for read in reads if read.name not in nothing]
    program.guarded = frozenset(read.name for read in asked) - read_untold(body)
    return raise_if_unbound(body, asked, base)


def _fill(program: Program, body: list[Any], manner: Manner, known: set[str]) -> list[Any]:
    """Give a program its body, without what nobody reads, and say what it returns.

    Nothing is computed twice, either. Names that are not `known` were made here.
    """
    note_origins(body)
    body = with_axes(body, program.reader, {*program.parameters, *program.unbound})
    purity, base = Purity(program.reader, frozenset()), program.namer.base
    dead = DeadStores(purity, keep_updates=True, unbound=program.unbound)
    body = dead.drop(body, caught=manner.caught)
    if not manner.updates and not manner.caught:
        body = share_values(body, lambda name: base(name) not in known, purity)
        body = square_reads(body, lambda name: base(name) not in known, purity)
    program.body = body
    if not manner.updates:  # else tangents of tuples are unpacked as they are
        program.body = body = unpacked_apart(program)
    program.namer.note_values([*program.parameters, *bound_names(body)])
    settle_edits(body)
    returned = body[-1].value
    program.returns_tuple = isinstance(returned, gast.Tuple)
    values = returned.elts if isinstance(returned, gast.Tuple) else [returned]
    program.outputs = tuple(item.id for item in values)
    return body


def _write_by_index(tree: Any, program: Program, manner: Manner) -> tuple[set[str], set[str]]:
    """Put helpers that write in place, and write their like by index.

    Return the new variables, and those that are results of helpers.
    """
    reader, namer = program.reader, program.namer
    entries = DictVariables(reader.scope, namer, program.parameters)
    tree.body = entries.function(tree.body)
    variation = Variation(program.inputs, reader)
    variation.spread(tree.body)
    helpers = WritingHelpers(reader, namer, variation, hand_back=manner.in_place)
    tree.body = helpers.threaded.settled(helpers.block(tree.body), [*program.parameters])
    if helpers.inlined or helpers.placed:
        tree.body = entries.function(tree.body)  # nothing is given the dicts any more
    tree.body = without_removals(tree.body, variation.of)
    tree.body = NewContainers(tree.body, [*program.parameters], reader).block(tree.body)
    program.hands_back = helpers.hands_back
    program.inlined = tuple(helpers.inlined)
    program.placed = tuple(helpers.placed)
    spellings = Spellings(reader, namer, variation.of, program.parameters)
    tree.body = spellings.function(tree.body)
    program.elements = frozenset(spellings.elements)
    tree.body = WriteCalls(reader, namer).function(tree.body)
    return entries.made | helpers.names | helpers.threaded.names, helpers.results


def _refuse_misread(
    tree: Any, source: FunctionSource, program: Program, refusals: Refusals
) -> None:
    """Refuse what would be taken for another thing than it is."""
    scope = program.reader.scope
    check_sparse(tree, scope, refusals)
    kept = stored_into(tree.body, lasting_defaults(source.function))
    own = {"", *bound_names(tree.body), *program.parameters} - bound_names(program.reads)
    kept |= stored_outside(tree.body, lambda name: name not in own)
    if not kept:
        return  # as most
    varied = Variation(program.inputs, program.reader)
    varied.spread(tree.body)
    found = asks_what_is_kept(tree.body, kept, varied.of, scope.resolve)
    if found is not None:  # of the whole function: without a part of it the answer would stay
        refusals.add(tree, ASKED, HINT)


def _check_parameters(tree: Any, inputs: Sequence[str], refusals: Refusals) -> None:
    for starred in (tree.args.vararg, tree.args.kwarg):
        if starred is not None and starred.id in inputs:
            refusals.add(
                starred,
                "a derivative with respect to starred arguments is not taken by source",
                "name the argument",
                UnsupportedSyntaxError,
            )


def _free_names(tree: Any, local: frozenset[str]) -> set[str]:
    return {node.id for node in found_in(tree, gast.Name) if node.id not in local}
