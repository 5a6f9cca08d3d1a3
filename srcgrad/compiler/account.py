"""Keeps account of what the passes find out, when somebody wants an explanation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.reasons import Links, Reasons, Variable
from srcgrad.codegen.printer import to_source
from srcgrad.compiler.findings import (
    CallFound,
    Checkpoint,
    Findings,
    FunctionFound,
    KinkFound,
)
from srcgrad.compiler.records import records_of
from srcgrad.frontend.expand.entry import Expander
from srcgrad.frontend.expand.session import Placed
from srcgrad.frontend.long_loops import is_repeated, loop_of
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import names_read, root_name, statements, walk
from srcgrad.rules.kinks import kinks_of


@dataclass(slots=True)
class _Function:
    """What is known of one function so far; `body` is its text before anything was dropped."""

    source: FunctionSource
    program: Program
    body: list[Any]
    active: frozenset[str] | None = None
    shared: Links = ()
    definitions: list[Any] = field(default_factory=list)


class Account:
    """The account of one compilation; the passes report to it, and `findings` adds it up."""

    def __init__(self) -> None:
        self._functions: dict[int, _Function] = {}

    def clear(self) -> None:
        """Forget everything: the compilation starts again."""
        self._functions = {}

    def begin(self, source: FunctionSource, program: Program, body: list[Any]) -> None:
        """Note a function in normal form, before what nobody reads is dropped."""
        self._functions[id(program)] = _Function(source, program, clone(body))

    def note_activity(self, program: Program, active: frozenset[str], shared: Links) -> None:
        """Note which names carry derivatives, and which are of the same memory."""
        if id(program) in self._functions:
            self._functions[id(program)].active = active
            self._functions[id(program)].shared = tuple(shared)

    def note_definition(self, program: Program, definition: Any) -> None:
        """Note a function that was generated."""
        if id(program) in self._functions:
            self._functions[id(program)].definitions.append(definition)

    def findings(
        self,
        halves: Sequence[tuple[Any, str, str]],
        called: Collection[str],
        expander: Expander,
    ) -> Findings:
        """Add up.

        Args:
            halves: The forward and backward halves of each of the user's functions.
            called: The names of the rules that generated text calls.
            expander: What has expanded function values, with what it put in place.
        """
        known: dict[Any, list[tuple[str, str]]] = {}
        for function, forward, backward in halves:
            known.setdefault(function, []).append((forward, backward))
        session = expander.session
        for function in list(session.functions):
            expanded = expander.expand(function)
            if expanded in known:
                known[function] = known[expanded]
        done = [item for item in self._functions.values() if item.active is not None]
        context = _Context(known, called, session.placed)
        return Findings(tuple(_found(item, context) for item in done if item.definitions))


@dataclass(slots=True)
class _Context:
    halves: Mapping[Any, Sequence[tuple[str, str]]]
    called: Collection[str]
    placed: Sequence[Placed]


def _found(item: _Function, context: _Context) -> FunctionFound:
    source, program, active = item.source, item.program, item.active or frozenset()
    reasons = Reasons(program, item.body, active, item.shared)
    local = program.reader.scope.local - source.temporaries
    variables = reasons.variables(_in_text(source, local))
    forwards = {forward for pairs in context.halves.values() for forward, _ in pairs}
    records = [
        record
        for one in item.definitions
        for record in records_of(one, program, is_half=one.name in forwards)
    ]
    return FunctionFound(
        source.name,
        source.file,
        source.tree.lineno,
        tuple(one.name for one in item.definitions),
        program.inputs,
        variables,
        {name: reasons.chain([name]) for name in program.inputs},
        tuple(_unique([*_placed(item, context), *_calls(item, active, context)])),
        tuple(_unique(_kinks(item, active))),
        tuple(records),
        tuple(_checkpoints(item)),
        _texts(source, variables),
    )


def _in_text(source: FunctionSource, local: Collection[str]) -> set[str]:
    """Return the variables whose names are the user's."""
    code: Any = source.function.__code__
    known = {node.id for node in walk(source.tree) if isinstance(node, gast.Name)}
    return {name for name in local if name in known or name in code.co_varnames}


def _texts(source: FunctionSource, variables: Sequence[Variable]) -> dict[int, str]:
    last = getattr(source.tree, "end_lineno", None) or source.tree.lineno
    numbers = set(range(source.tree.lineno, last + 1))
    numbers.update(line for item in variables for line in (*item.lines, *item.chain))
    return {number: source.line(number).strip() for number in sorted(numbers)}


# -- calls


def _placed(item: _Function, context: _Context) -> Iterator[CallFound]:
    reason = "short, or bound to the variables of its caller"
    for call in context.placed:
        if (call.file, call.line) in _lines(item.source):
            yield CallFound(call.callee, call.line, "in place", (), reason)
    for function, line in item.program.placed:
        yield CallFound(function, line, "in place", (), "it writes into its arguments")


def _lines(source: FunctionSource) -> set[tuple[str, int]]:
    last = getattr(source.tree, "end_lineno", None) or source.tree.lineno
    return {(source.file, number) for number in range(source.tree.lineno, last + 1)}


def _calls(item: _Function, active: Collection[str], context: _Context) -> Iterator[CallFound]:
    for statement, operation in _operations(item):
        name = getattr(operation.primal, "__name__", None) or type(operation.primal).__name__
        carries = _carries(statement, active)
        if operation.kind == "user" and _again(statement, operation) is None:
            yield _user_call(statement, operation, name, context, carries=carries)
        elif operation.kind == "class":
            how: Any = "rule called" if name in context.called else "rule in place"
            yield CallFound(name, statement.lineno, how, (), "its own `backward`")
        elif operation.kind == "taped" and carries:
            reason = "it has neither a derivative rule nor source"
            yield CallFound(name, statement.lineno, "on the tape", (), reason)


def _checkpoints(item: _Function) -> Iterator[Checkpoint]:
    for statement, operation in _operations(item):
        what = _again(statement, operation) if operation.kind == "user" else None
        if what is not None:
            loop = loop_of(operation.primal)
            yield Checkpoint(statement.lineno, what, loop.step.__name__ if loop else "")


def _again(statement: Any, operation: Operation) -> str | None:
    """Return what is run again, and how much is kept, in words; None for other calls."""
    loop = loop_of(operation.primal)
    if loop is None:
        name = getattr(operation.primal, "__name__", "")
        return (
            f"the call of `{name}`: its arguments are kept"
            if is_repeated(operation.primal)
            else None
        )
    budget = statement.value.args[1 + len(loop.states) + len(loop.constants) :]
    value = getattr(budget[0], "value", None) if budget else None
    many = "about sqrt(2 n) states for n trips"
    if loop.stops:
        many = "some 2 sqrt(n) states for n trips"
    if budget:
        many = f"{value} states at a time" if isinstance(value, int) else "what the budget allows"
    if isinstance(value, str):
        many = f"states of {value} at a time"
    names = ", ".join(f"`{name}`" for name in loop.states)
    return f"the trips of the loop: of {names}, {many} are kept"


def _user_call(
    statement: Any, operation: Operation, name: str, context: _Context, *, carries: bool
) -> CallFound:
    names = tuple(name for pair in context.halves.get(operation.primal, ()) for name in pair)
    if carries and names:
        return CallFound(name, statement.lineno, "as a function", names)
    return CallFound(name, statement.lineno, "forward", (), "it carries no derivative")


def _operations(item: _Function) -> Iterator[tuple[Any, Operation]]:
    for statement in statements(item.body):
        if isinstance(statement, gast.Assign) and not hasattr(statement.targets[0], "slice"):
            yield statement, item.program.operation(statement)


def _carries(statement: Any, active: Collection[str]) -> bool:
    bound = [n for target in statement.targets for n in direct_names(target)]
    return any(name in active for name in bound) and any(
        name in active for name in names_read(statement.value)
    )


# -- kinks


def _kinks(item: _Function, active: Collection[str]) -> Iterator[KinkFound]:
    for statement, operation in _operations(item):
        if operation.kind != "primitive" or not _carries(statement, active):
            continue
        for kink in kinks_of(operation.primal):
            if kink.shown.startswith("`x**y`") and not _varies_there(kink.shown, operation, active):
                continue
            yield KinkFound(_shown(statement), statement.lineno, kink.where, kink.gradient)


def _varies_there(shown: str, operation: Operation, active: Collection[str]) -> bool:
    """Say whether the operand that a convention of powers is about has a derivative."""
    base, exponent = (*operation.args, None)[:2]
    if shown.endswith("in y"):
        return exponent is not None and not active_free(exponent, active)
    return not isinstance(exponent, gast.Constant) and not active_free(base, active)


def active_free(node: Any, active: Collection[str]) -> bool:
    """Say whether an operand has no derivative."""
    return not any(name in active for name in direct_names(node))


def _shown(statement: Any) -> str:
    """Return how the user writes the function of a statement."""
    value = statement.value
    if isinstance(value, gast.BinOp):
        return {"Pow": "**", "Mod": "%"}.get(type(value.op).__name__, type(value.op).__name__)
    func = getattr(value, "func", None)
    if isinstance(func, gast.Attribute) and root_name(func) is None:
        return f".{func.attr}"
    if func is None:
        return type(value).__name__
    return str(to_source(gast.Module([gast.Expr(clone(func))], []))).strip()


def _unique(items: Any) -> list[Any]:
    return list(dict.fromkeys(items))
