"""Compiles a function for one example, and all that it calls, into a module over a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import FunctionType
from typing import Any

from srcgrad.codegen.attribution import parts_of, user_lines
from srcgrad.codegen.printer import print_module
from srcgrad.codegen.tracebacks import LineMap, Part, UserLine
from srcgrad.compiler.free_names import FreeNames
from srcgrad.compiler.generated import FunctionState, Generated
from srcgrad.compiler.module_text import import_lines, wrapped
from srcgrad.compiler.normal_form import parameter_names
from srcgrad.compiler.parameters import as_generated, positional
from srcgrad.compiler.plain_forms import plain_form
from srcgrad.compiler.reserved import own_names
from srcgrad.compiler.stages import Stages
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.errors import NotBatchedError, NotDifferentiableError, UnsupportedError
from srcgrad.frontend.expand.entry import Expander
from srcgrad.frontend.expand.scoping import without_collisions
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.source import FunctionSource, find_source, has_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, constant, load
from srcgrad.ir.names import Namer
from srcgrad.ir.packages import is_generated
from srcgrad.ir.scopes import Binding
from srcgrad.ir.walk import found_in
from srcgrad.transforms.batching.arguments import chosen_from
from srcgrad.transforms.batching.facts import Fact, is_batched
from srcgrad.transforms.batching.function import Wanted, Written, write_function
from srcgrad.transforms.batching.state import Helper, WantsError
from srcgrad.transforms.batching.terms import Term, copy_of
from srcgrad.transforms.batching.writer import Writer
from srcgrad.transforms.externals import Externals

_OUTSIDE = ("given", "outside")
_HELD = ("definitions", "bindings", "functions", "helpers", "texts")


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """What to write for a batch.

    Attributes:
        function: A plain Python function for one example.
        facts: What is known of each argument, by name.
        axes: The axis of the examples in each: a number, or containers of such (None if shared).
        out_axes: Where that axis is to be in the result.
        given: The arguments themselves, for functions and objects among them.
        name: What the function is called, if not by its own name.
        stages: Where the text after each pass is kept.
        conditions: What the text takes for granted of its arguments, as Python expressions.
    """

    function: FunctionType
    facts: Mapping[str, Fact]
    axes: Mapping[str, Any]
    out_axes: Any = 0
    given: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    stages: Stages = field(default_factory=Stages)
    conditions: Sequence[str] = ()


@dataclass(slots=True)
class _Module:
    """A module in the making."""

    namer: Namer
    externals: Externals
    expander: Expander
    definitions: list[tuple[FunctionSource, Any]] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    functions: dict[FunctionType, FunctionState] = field(default_factory=dict)
    helpers: dict[Any, Helper | None] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    # -- what functions ask of it

    def use_runtime(self, name: str) -> str:
        self.externals.imports[name] = f"from srcgrad.runtime.batches import {name}"
        return name

    def use_numpy(self) -> None:
        self.externals.use_numpy()

    def helper(self, function: Any, facts: tuple[Fact, ...], batch: str) -> Helper | None:
        if not isinstance(function, FunctionType) or not has_source(function):
            return None
        key = (function, facts)
        if key in self.helpers:
            found = self.helpers[key]
            if found is None:
                raise NotBatchedError(
                    f"`{function.__name__}`, which calls itself, is not written for a batch",
                    hint="write it as a loop",
                )
            return found
        self.helpers[key] = None
        try:
            found = self.helpers[key] = self._written_helper(function, facts, batch)
        except BaseException:
            del self.helpers[key]
            raise
        return found

    def _written_helper(
        self, function: FunctionType, facts: tuple[Fact, ...], batch: str
    ) -> Helper:
        try:
            source = find_source(self.expander.expand(function))
        except NotDifferentiableError as refusal:
            raise NotBatchedError(diagnostics=refusal.diagnostics) from refusal
        source, _ = without_collisions(source, _own_names())
        names = parameter_names(source.tree)
        if len(names) != len(facts) or source.tree.args.vararg or source.tree.args.kwarg:
            raise NotBatchedError(
                f"a call of `{function.__name__}` is not written for a batch",
                span=source.span(source.tree),
                hint="give it plain parameters",
            )
        given = dict(zip(names, facts, strict=True))
        taken = tuple(_own_names())
        try:
            written = self.written(source, Wanted(given, batch, taken, is_helper=True))
        except WantsError as wants:
            return Helper(None, Fact("unknown"), wants=frozenset(wants.positions))
        sites = written.known.written
        places = frozenset(s[1] for s in sites if isinstance(s, tuple) and s[0] == "given")
        if not any(map(is_batched, facts)):
            return Helper(None, written.result, places)
        parameters = [*names, *([batch] if written.uses_batch else [])]
        text = f"{source.name}({', '.join(parameters)}): {print_module(_as_module(written)).text}"
        name = self.texts.get(text, "")
        if not name:  # one whose text is not new has the name of the first
            name = self.texts[text] = self.namer.fresh(f"{source.name}_batch")
            doc = f"Run `{source.name}` for a batch of examples."
            self.end(source, name, positional(parameters), written, doc)
        chosen = chosen_from(written.result, written.known.chosen)
        return Helper(
            *(name, written.result, places, chosen),
            takes_batch=written.uses_batch,
            risks=written.risks,
        )

    def written(self, source: FunctionSource, wanted: Wanted) -> Written:
        """Return a function written for a batch: as it stands, or else in plain statements.

        Raises:
            NotBatchedError: Neither can be.
            WantsError: It writes values of the batch into an argument that all examples share.
        """
        before = _Snapshot(self)
        try:
            return write_function(source, self, wanted)
        except NotBatchedError as refusal:
            before.restore()
            inputs = [name for name, fact in wanted.given.items() if is_batched(fact)]
            plain = plain_form(source, inputs, (*wanted.taken, wanted.batch))
            if plain is None:
                raise
            try:
                return write_function(plain[0], self, replace(wanted, imported=plain[1]))
            except (NotBatchedError, WantsError) as other:
                before.restore()
                raise (other if isinstance(other, WantsError) else refusal) from None

    def end(
        self, source: FunctionSource, name: str, arguments: Any, written: Written, doc: str
    ) -> None:
        """Add a function to the module."""
        as_generated(arguments)
        local = [item.id for item in found_in(arguments, gast.Name)]
        refusals = Refusals(source)
        FreeNames(source, written.scope, self.externals, refusals).replace(written.body, local)
        refusals.raise_if_any()
        first = [gast.Expr(gast.Constant(doc, None))]
        definition = gast.FunctionDef(name, arguments, [*first, *written.body], [], None, None)
        self.definitions.append((source, definition))
        self.bindings.extend([*written.scope.used.values(), *written.scope.dotted.values()])
        function = written.scope.function
        self.functions.setdefault(function, FunctionState.of(function))

    # -- text

    def render(self) -> tuple[str, LineMap]:
        """Return the text of the module, its entry first, and its line map."""
        used = {n.id for _, tree in self.definitions for n in found_in(tree, gast.Name)}
        self.externals.runtime &= used
        imports = {k: v for k, v in self.externals.imports.items() if k in used}
        text = import_lines(imports.values(), self.externals.runtime, self.externals.bound)
        entries: dict[int, UserLine] = {}
        parts: list[Part] = []
        for source, definition in reversed(self.definitions):
            printed = print_module(gast.Module([definition], []))
            start = text.count("\n") + 1
            entries.update(user_lines(printed, start, source))
            parts += parts_of(printed, start, source)
            text += printed.text + "\n\n"
        return text.rstrip("\n") + "\n", LineMap(entries, tuple(parts))


def _as_module(written: Written) -> Any:
    return gast.Module(clone(written.body), [])


class _Snapshot:
    """What a module holds before a function is written, which may have to be written otherwise."""

    def __init__(self, module: _Module) -> None:
        self._module = module
        self._held = {name: copy(getattr(module, name)) for name in _HELD}
        self._externals = _copied(module.externals)

    def restore(self) -> None:
        """Take back what was added since."""
        for name, value in self._held.items():
            setattr(self._module, name, copy(value))
        self._module.externals = externals = _copied(self._externals)
        self._module.namer = externals.namer


def _copied(externals: Externals) -> Externals:
    """Return the same externals for another try."""
    held = {item.name: copy(getattr(externals, item.name)) for item in fields(externals)}
    return Externals(**{**held, "namer": externals.namer.copied()})


def _own_names() -> tuple[str, ...]:
    """Return the names that text over a batch uses for itself."""
    return (*own_names(), "chosen_for_each", "one_for_each", "max_for_each", "min_for_each")


def compile_batched(request: BatchRequest) -> Generated:
    """Return the source of a program over a batch of examples.

    Raises:
        NotBatchedError: Something in the function is not written for a batch.
    """
    namer = Namer()
    namer.reserve(_own_names())
    session = Session(VOCABULARY)
    module = _Module(namer, Externals(namer), Expander(session))
    source = _expanded(module, request)
    source, renamed = without_collisions(source, _own_names())
    name = namer.fresh(request.name or f"{source.name}_batch")
    _write_entry(module, source, name, request, renamed)
    text, lines = module.render()
    data = module.externals.data
    bindings = {(id(b.holder), b.name): b for b in [*module.bindings, *session.used]}
    known = {(id(b.holder), b.name) for b in data.values()}
    fixed = [binding for key, binding in bindings.items() if key not in known]
    return Generated(
        text,
        name,
        lines,
        dict(module.externals.bound),
        dict(data),
        fixed,
        frozenset(),
        keep_complex=False,
        conditions=tuple(request.conditions),
        functions=(*module.functions.values(), *map(FunctionState.of, session.functions)),
        assumptions=tuple(session.assumptions.values()),
        renamed=renamed,
        nested=tuple(session.nested),
    )


def _expanded(module: _Module, request: BatchRequest) -> FunctionSource:
    """Return a function without function values; the function itself if that is refused."""
    inputs = tuple(name for name, fact in request.facts.items() if is_batched(fact))
    try:
        return find_source(module.expander.entry(request.function, request.given, inputs))
    except UnsupportedError:
        return find_source(request.function)


def _write_entry(
    module: _Module,
    source: FunctionSource,
    name: str,
    request: BatchRequest,
    renamed: Mapping[str, str],
) -> None:
    facts = {renamed.get(key, key): fact for key, fact in request.facts.items()}
    axes = {renamed.get(key, key): item for key, item in request.axes.items()}
    names = Namer([*facts, *(n.id for n in found_in(source.tree, gast.Name))])
    batch = names.fresh("batch")
    ending = _Ending(module, request.out_axes)
    wanted = Wanted(facts, batch, tuple(_own_names()), is_helper=False, ending=ending)
    request.stages.note("parse", source.tree)
    written = module.written(source, wanted)
    request.stages.note("one exit", written.tree)
    head = [
        assign(key, _moved(module, load(key), facts[key], axis))
        for key, axis in axes.items()
        if key in facts and _is_elsewhere(axis)
    ]
    if written.uses_batch:
        head.append(assign(batch, call("len", _first(facts))))
    written.body[:0] = head
    place = f" ({Path(source.file).name}:{source.tree.lineno})"
    if is_generated(source.function.__module__):
        place = ""  # a file of ours, which says nothing to anybody
    shared = [f"`{key}`" for key, fact in facts.items() if not is_batched(fact)]
    tail = "for each example of a batch."
    if shared:
        tail = f"for each example of a batch; {', '.join(shared)} shared by all."
    doc = wrapped(f"Run `{source.name}`{place}", tail)
    module.end(source, name, clone(source.tree.args), written, doc)


def _is_elsewhere(axis: Any) -> bool:
    if isinstance(axis, (tuple, list)):
        return any(map(_is_elsewhere, axis))
    if isinstance(axis, dict):
        return any(map(_is_elsewhere, axis.values()))
    return bool(axis)


def _moved(module: _Module, node: Any, fact: Fact, axis: Any) -> Any:
    """Return an argument with the axis of the examples first."""
    if not _is_elsewhere(axis):
        return node
    if fact.is_numeric:
        module.use_numpy()
        return call("np.moveaxis", node, constant(axis), constant(0))
    items = fact.items or ()
    if fact.kind == "dict":
        keys = [gast.Constant(key, None) for key in fact.keys or ()]
        parts = [axis[key] if isinstance(axis, dict) else axis for key in fact.keys or ()]
    else:
        keys = [gast.Constant(i, None) for i in range(len(items))]
        parts = list(axis) if isinstance(axis, (tuple, list)) else [axis] * len(items)
    values = [
        _moved(module, gast.Subscript(clone(node), key, gast.Load()), item, part)
        for key, item, part in zip(keys, items, parts, strict=True)
    ]
    if fact.kind == "dict":
        return gast.Dict([clone(key) for key in keys], values)
    return (gast.List if fact.kind == "list" else gast.Tuple)(values, gast.Load())


def _first(facts: Mapping[str, Fact]) -> Any:
    """Return the expression of the first array that has the examples along its first axis."""
    for name, fact in facts.items():
        found = _first_in(load(name), fact)
        if found is not None:
            return found
    raise NotBatchedError("no argument has examples", hint="give in_axes=0 for one")


def _first_in(node: Any, fact: Fact) -> Any:
    if fact.batched:
        return node
    keys = fact.keys if fact.keys is not None else range(len(fact.items or ()))
    for key, item in zip(keys, fact.items or (), strict=True):
        if is_batched(item):
            index = gast.Constant(key, None)
            return _first_in(gast.Subscript(clone(node), index, gast.Load()), item)
    return None


class _Ending:
    """Says what becomes of what the function for one example returns."""

    def __init__(self, module: _Module, axes: Any) -> None:
        self.module = module
        self.axes = axes

    def __call__(self, writer: Writer, term: Term, statement: Any) -> Any:
        """Return the expression of the result, with the examples along the axes asked for."""
        return self._result(writer, term, self.axes, statement)

    def _result(self, writer: Writer, term: Term, axis: Any, statement: Any) -> Any:
        fact = writer.closed(term.fact)
        if fact.is_numeric:
            return self._array(writer, Term(term.node, fact), axis, statement)
        if fact.kind == "none":
            return term.node
        if fact.kind in ("tuple", "list", "dict") and fact.items is not None:
            return self._container(writer, term.node, fact, axis, statement)
        return writer.refuse(
            statement, "a result of which only the run tells what it is", "return arrays"
        )

    def _array(self, writer: Writer, term: Term, axis: Any, statement: Any) -> Any:
        if isinstance(axis, bool) or not isinstance(axis, int):
            if axis is None and not term.batched:
                return term.node
            writer.refuse(statement, f"a result with out_axes={axis!r}", "give a number")
        sites = term.fact.sites | term.fact.read_from
        lent = any(isinstance(site, tuple) and site[0] in _OUTSIDE for site in sites)
        term = writer.as_batched(term) if not term.batched else term
        node = copy_of(term.node) if lent and term.node is not None and term.batched else term.node
        if not axis:
            return node
        writer.helpers.use_numpy()
        return call("np.moveaxis", node, constant(0), constant(axis))

    def _container(self, writer: Writer, node: Any, fact: Fact, axis: Any, statement: Any) -> Any:
        items, keys = fact.items or (), fact.keys
        if keys == ("*",):
            if axis != 0 or not all(item.batched for item in items):
                writer.refuse(statement, "a list of such results", "return an array")
            return node
        count = len(items)
        if isinstance(axis, dict):
            parts = [axis.get(key, 0) for key in keys or range(count)]
        else:
            parts = list(axis) if isinstance(axis, (tuple, list)) else [axis] * count
        if len(parts) != count:
            writer.refuse(statement, f"a result with out_axes={axis!r}", "give one for each")
        shown = getattr(node, "elts", None) or (
            node.values if isinstance(node, gast.Dict) else None
        )
        if shown is None or len(shown) != count:
            if all(_is_plain(item, part) for item, part in zip(items, parts, strict=True)):
                return node
            name = writer.namer.fresh("result")
            writer.emit(assign(name, node), statement)
            shown = [
                gast.Subscript(load(name), gast.Constant(key, None), gast.Load())
                for key in (keys if keys is not None else range(count))
            ]
        terms = [Term(inner, item) for inner, item in zip(shown, items, strict=True)]
        values = [
            self._result(writer, term, part, statement)
            for term, part in zip(terms, parts, strict=True)
        ]
        if fact.kind == "dict":
            return gast.Dict([gast.Constant(key, None) for key in keys or ()], values)
        return (gast.List if fact.kind == "list" else gast.Tuple)(values, gast.Load())


def _is_plain(fact: Fact, axis: Any) -> bool:
    """Say whether a result is as it has to be."""
    if fact.kind == "none":
        return True
    if fact.is_numeric:
        lent = any(isinstance(s, tuple) and s[0] in _OUTSIDE for s in fact.sites)
        return fact.batched and axis == 0 and not lent
    inner = fact.items is not None and not isinstance(axis, (dict, tuple, list))
    return inner and all(_is_plain(item, axis) for item in fact.items or ())
