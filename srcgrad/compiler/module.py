"""Compiles a function and all that it calls into the text of one module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any
from weakref import proxy

from srcgrad.analyses.containers import kinds
from srcgrad.analyses.knowledge import Follow
from srcgrad.analyses.lengths import Seen
from srcgrad.analyses.outside_tables import outside_tables
from srcgrad.codegen.attribution import parts_of, user_lines
from srcgrad.codegen.printer import print_module
from srcgrad.codegen.tracebacks import LineMap, Part, UserLine
from srcgrad.compiler.calls import Call
from srcgrad.compiler.complex_signs import refuse_complex_signs
from srcgrad.compiler.conditions import settled
from srcgrad.compiler.delegating import Half, delegating_body, keys_returned, own_half, reached_from
from srcgrad.compiler.derivation import Derivation
from srcgrad.compiler.field_reads import names_written
from srcgrad.compiler.following import Following, Passed, seen_knowledge
from srcgrad.compiler.generated import ComplexMetError, FunctionState
from srcgrad.compiler.last_spelling import spell_out
from srcgrad.compiler.module_text import (
    docstring,
    forward_docstring,
    import_lines,
    wrapped,
)
from srcgrad.compiler.normal_form import Manner, arity, normal_form, parameter_names
from srcgrad.compiler.one_program import note_handing_back
from srcgrad.compiler.parameters import as_generated, positional, renamed_root
from srcgrad.compiler.proving import Proofs
from srcgrad.compiler.pure import with_copies
from srcgrad.compiler.repeats import Repeats
from srcgrad.compiler.reserved import own_names
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import Diagnostic, MutationError, UnsupportedError
from srcgrad.frontend.complexity import meets_complex
from srcgrad.frontend.expand.entry import Expander, taken
from srcgrad.frontend.expand.scoping import in_users_words, without_collisions
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.rebinding import Variable, refuse_rebound
from srcgrad.frontend.refusals import merging, shown_in
from srcgrad.frontend.remembered import source_to_read
from srcgrad.frontend.source import FunctionSource, Path, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.scopes import Binding, has_meaning
from srcgrad.ir.walk import found_in, nodes_in, statements
from srcgrad.runtime.stacks import CannotStackError
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.stacking import take_stacks
from srcgrad.transforms.sweep import CallPair, DerivedCall, Facts, RepeatedCall, SteppedLoop


@dataclass(slots=True, weakref_slot=True)
class Module:
    """A generated module in the making."""

    keep_complex: bool
    assume: bool
    stages: Stages
    externals: Externals
    namer: Namer
    definitions: list[tuple[FunctionSource, Any]] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    scalars: set[str] = field(default_factory=set)
    conditions: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    taped: list[Diagnostic] = field(default_factory=list)
    functions: dict[FunctionType, FunctionState] = field(default_factory=dict)
    arrays: frozenset[tuple[str, str]] = frozenset()
    seen: Seen = field(default_factory=dict)
    written: frozenset[str] = frozenset()
    stored: frozenset[tuple[str, Path, Any]] = frozenset()
    expander: Expander = field(default_factory=lambda: Expander(Session(VOCABULARY)))
    rebound: frozenset[Variable] = frozenset()
    catches: bool = False
    in_place: bool = False
    plain: bool = False
    stacks: bool = False
    copied: frozenset[str] = frozenset()
    tangent_functions: set[str] = field(default_factory=set)
    repeats: Repeats = field(init=False)
    proofs: Proofs = field(default_factory=Proofs)
    _derived: dict[Any, Half] = field(default_factory=dict)
    _begun: list[FunctionType] = field(default_factory=list)
    _followed: dict[bool, dict[FunctionType, Program | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repeats = Repeats(proxy(self))

    def entry(
        self,
        function: FunctionType,
        wrt: Sequence[str],
        given: Mapping[str, Any],
        *,
        value: bool,
        aux: bool,
    ) -> str:
        """Compile the function that the user calls; return its name."""
        source, refusal = self.expanded(function, given, wrt)
        name = self.namer.fresh(f"{source.name}_{'value_and_grad' if value else 'grad'}")
        source, self.renamed = without_collisions(source, own_names())
        inner = [self.renamed.get(item, item) for item in wrt]
        arrays = {renamed_root(text, self.renamed): fact for text, fact in self.arrays}
        held = [n for n, fact in arrays.items() if self.assume and fact in ("list", "dict")]
        derivation = self.begin(source, inner, self.stages, held=held)
        derivation.assume = self.assume
        if self.seen:
            derivation.knowledge = seen_knowledge(self.seen, self.renamed, self.follow(source))
        derivation.program.given.update(arrays)
        with merging(refusal):
            body = derivation.joint(self.call_pair(source), inner, value=value, aux=aux)
        half = (
            None
            if self.renamed or aux or self.copied
            else own_half(self._derived, derivation, seen=bool(self.seen))
        )
        if half is not None:
            body = delegating_body(half, derivation, derivation.seed, value=value)
        self.scalars |= in_users_words(derivation.scalars, self.renamed)
        self.note_written(derivation, self.renamed)
        spelled, self.conditions = settled(derivation.conditions, source, self.expander.session)
        derivation.copied = self.copied
        self.proofs.add(derivation, name, inner, value=value, aux=aux)
        self.end(
            derivation,
            name,
            clone(source.tree.args),
            body,
            docstring(source, wrt, value, (*taken(given, source.tree), *spelled)),
        )
        if half is not None:
            called = reached_from(name, [item for _, item in self.definitions])
            self.definitions[:] = [pair for pair in self.definitions if pair[1].name in called]
        return name

    def note_written(self, derivation: Derivation, renamed: dict[str, str]) -> None:
        """Note what the function of the user's that it begins with writes, in the user's words."""
        users = {new: old for old, new in renamed.items()}
        self.written = in_users_words(derivation.written, renamed)
        self.stored = frozenset((users.get(n, n), p, f) for n, p, f in derivation.stored)

    def expanded(
        self, function: FunctionType, given: Mapping[str, Any], wrt: Sequence[str]
    ) -> tuple[FunctionSource, UnsupportedError | None]:
        """Return a function without function values; the function itself and why if it has some."""
        try:
            source = source_to_read(self.expander.entry(function, given, tuple(wrt)))
            return with_copies(source, self.copied), None
        except UnsupportedError as refusal:
            return with_copies(find_source(function), self.copied), refusal

    def halves(self, function: FunctionType, wrt: Sequence[str], given: Mapping[str, Any]) -> Half:
        """Compile a function's two halves as the module's entry."""
        session = self.expander.session
        session.halved = function
        source = with_copies(find_source(self.expander.expand(function)), self.copied)
        refusal = self.expander.refused.get(function)
        if given or session.holding.by_entries or function in session.factories:
            source, refusal = self.expanded(function, given, wrt)
        known = tuple(sorted(self.arrays))
        with merging(refusal):
            return self._half(source, tuple(wrt), known, stages=self.stages, entry=True)

    def begin(
        self,
        source: FunctionSource,
        wrt: Sequence[str],
        stages: Stages,
        *,
        updates: bool = False,
        held: Sequence[str] = (),
    ) -> Derivation:
        """Return a function in normal form, ready to be derived."""
        self._begun.append(source.function)
        own = [item for item in source.leaves if not item.is_held]
        fields = {item.parameter: item.names.values() for item in own}
        inputs = [leaf for name in wrt for leaf in fields.get(name, [name])]
        caught = self.catches
        manner = Manner(updates, caught, self.plain, frozenset(held), self.in_place)
        program, refusals = normal_form(source, inputs, own_names(), stages, manner)
        if program.hands_back:
            note_handing_back()
        program.tables = outside_tables(program)
        self.expander.session.note_tables(program)
        for item in source.leaves:
            program.given.update(item.kinds)
            program.floats |= item.floats
        if self.keep_complex:
            refuse_complex_signs(program, refusals)
        elif meets_complex(source) or any(map(meets_complex, map(find_source, program.inlined))):
            raise ComplexMetError
        anew = self.rebound - names_written(source)
        refuse_rebound(program.reader.scope, source.tree, anew, refusals)
        self.catches |= any(getattr(item, "handlers", ()) for item in statements(program.body))
        parts = (source, program, refusals, self.externals, stages, self.keep_complex)
        return Derivation(*parts, caught=caught, rebinds=self.plain)

    def end(
        self, derivation: Derivation, name: str, arguments: Any, body: list[Any], doc: str
    ) -> None:
        """Add a generated function to the module."""
        as_generated(arguments)
        first = [gast.Expr(gast.Constant(doc, None))] if doc else []
        definition = gast.FunctionDef(name, arguments, [*first, *body], [], None, None)
        self.externals.name_left_out(definition)
        self.definitions.append((derivation.source, definition))
        if self.stages.account is not None:
            self.stages.account.note_definition(derivation.program, definition)
        self.taped.extend(item for item in derivation.taped if item not in self.taped)
        scope = derivation.program.reader.scope
        self.bindings.extend([*scope.used.values(), *scope.dotted.values()])
        for function in (scope.function, *derivation.program.inlined):
            self.functions.setdefault(function, FunctionState.of(function))
        derivation.program.forget()

    def name_function(self, wish: str, source: FunctionSource) -> str:
        """Return a name for a function of the text, made of that of a source.

        The texts of the user that call it are read with it: so it means nothing in them.
        """
        readers = [*self._begun, source.function]
        names = iter(lambda: self.namer.fresh(wish), "")
        name = next(n for n in names if not any(has_meaning(n, reader) for reader in readers))
        self.externals.functions.add(name)
        return name

    # -- calls of the user's functions

    def follow(self, caller: FunctionSource) -> Follow:
        """Return how to find the axes of what calls in a function return."""
        manner = Manner(caught=self.catches, plain=self.plain)
        programs = self._followed.setdefault(self.catches, {})
        return Following(caller, self.expander, self.externals, manner, programs).results

    def call_pair(self, source: FunctionSource) -> CallPair:
        def derived(
            statement: Any, operation: Operation, facts: Facts
        ) -> DerivedCall | RepeatedCall | SteppedLoop:
            with shown_in(source, statement):
                return self._derive_call(source, statement, operation, facts)

        return derived

    def _derive_call(
        self, caller: FunctionSource, statement: Any, operation: Operation, facts: Facts
    ) -> DerivedCall | RepeatedCall | SteppedLoop:
        source = find_source(self.expander.expand(operation.primal))
        call = Call(caller, statement, source, operation)
        passed = call.operands(self.externals, self.expander.refused.get(caller.function))
        repeated = self.repeats.derive(caller, statement, (source, passed), facts)
        if repeated is not None:
            return repeated
        names = parameter_names(source.tree)
        active = facts.activity.active
        wrt = [
            name
            for name, item in zip(names, passed, strict=True)
            if not active.isdisjoint(direct_names(item))
        ]
        known = {
            name: fact
            for name, item in zip(names, passed, strict=True)
            if (fact := facts.shapes.fact(item)) is not None
        }
        lists = zip(names, map(facts.dimensions.numbers_in, passed), strict=True)
        known.update({name + ends: "number" for name, ends in lists if ends})
        if facts.shapes.is_number(statement.targets[0]):
            known["return"] = "number"
        given = dict(zip(names, passed, strict=True)) if self.seen else {}
        told = Passed.of(facts.dimensions, given, source.function)
        with merging(self.expander.refused.get(operation.primal)):
            half = self._half(source, tuple(wrt), tuple(known.items()), told)
        wanted = [item for name, item in zip(names, passed, strict=True) if name in wrt]
        made = DerivedCall(half.forward, half.backward, half.outputs, wanted, passed)
        made.gives_array, made.keys = half.gives_array, half.keys
        return made

    def _half(
        self,
        source: FunctionSource,
        wrt: tuple[str, ...],
        known: tuple[tuple[str, str], ...],
        told: Passed = Passed(),  # noqa: B008 - nothing changes it
        stages: Stages | None = None,
        *,
        entry: bool = False,
    ) -> Half:
        """Return the halves for one pattern of calls, derived at its first."""
        pure = bool(entry and self.copied)  # which its calls of itself are not
        key = (source.function, wrt, known, told, (self.catches, pure))
        if key in self._derived:
            return self._derived[key]
        half = Half(
            self.name_function(f"{source.name}_forward", source),
            self.name_function(f"{source.name}_backward", source),
            arity(source.tree),
        )
        self._derived[key] = half
        self.externals.derived.add(half.backward)
        source, renamed = without_collisions(source, own_names())
        inner = [renamed.get(item, item) for item in wrt]
        derivation = self.begin(source, inner, stages or self.stages.inner())
        derivation.program.given.update((renamed_root(item, renamed), fact) for item, fact in known)
        if told.axes or known or derivation.program.tables:
            derivation.knowledge = told.knowledge(renamed, self.follow(source))
        if source.leaves and self.stacks:
            raise CannotStackError("an argument that is read field by field")
        result = next(iter(derivation.program.outputs), "")  # none where it is refused
        half.gives_array = result in kinds(derivation.program).arrays
        forward, backward, parameters = derivation.halves(self.call_pair(source), inner)
        half.gives_array = half.gives_array or result in derivation.kinds.arrays
        half.keys = keys_returned(backward)
        if entry:
            self.scalars |= in_users_words(derivation.scalars, renamed)
            self.note_written(derivation, renamed)
        else:
            self._refuse_updates(derivation)
        if self.stacks:
            defined = self.externals.derived, self.tangent_functions
            take_stacks(backward, parameters, parameters[1:], defined, self.externals)
        arguments = positional(parameter_names(source.tree))
        doc = forward_docstring(source.name, half.backward)
        self.end(derivation, half.forward, arguments, derivation.with_fields(forward), doc)
        shown = ", ".join(f"`{name}`" for name in wrt)
        doc = wrapped(f"Return the gradients of `{source.name}`", f"with respect to {shown}.")
        self.end(derivation, half.backward, positional(parameters), backward, doc)
        derivation.copied = self.copied if entry else frozenset()
        self.proofs.add(derivation, half.forward, inner, backward=half.backward)
        return half

    def _refuse_updates(self, derivation: Derivation) -> None:
        """A function that does ``x += v`` to a parameter is understood for numbers only."""
        known = derivation.program.given
        for name in sorted(derivation.scalars):
            if known.get(name) not in ("int", "number"):
                derivation.refusals.add(
                    derivation.source.tree,
                    f"a function that updates its parameter `{name}` in place",
                    f"write `{name} = {name} + ...`",
                    MutationError,
                )
        derivation.refusals.raise_if_any()

    def halves_made(self) -> list[tuple[Any, str, str]]:
        """Return the functions that were derived as halves, each with the names of those."""
        return [(key[0], half.forward, half.backward) for key, half in self._derived.items()]

    # -- text

    def render(self) -> tuple[str, LineMap]:
        """Return the text of the module and its line map."""
        for _, definition in self.definitions:
            spell_out(definition.body)
        self.proofs.imports = list(self.externals.imports.values())
        self._drop_unused_imports()
        found = self.externals
        text = import_lines(found.imports.values(), found.runtime, found.bound)
        entries: dict[int, UserLine] = {}
        parts: list[Part] = []
        for source, definition in self.definitions:
            printed = print_module(gast.Module([definition], []))
            start = text.count("\n") + 1
            entries.update(user_lines(printed, start, source))
            parts += parts_of(printed, start, source)
            text += printed.text + "\n\n"
        return text.rstrip("\n") + "\n", LineMap(entries, tuple(parts))

    def _drop_unused_imports(self) -> None:
        unused = {*self.externals.runtime, *self.externals.imports}
        parts = (part for _, definition in self.definitions for part in nodes_in(definition))
        for part in parts:
            if not unused:
                return
            unused.difference_update([node.id for node in found_in(part, gast.Name)])
        self.externals.runtime -= unused
        for name in unused.intersection(self.externals.imports):
            del self.externals.imports[name]
