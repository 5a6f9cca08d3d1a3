"""Puts blocks of ``grad_of`` into the backward pass."""

from __future__ import annotations

import ast
from typing import Any, Final

import gast

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.surgery import Edit
from srcgrad.ir.build import at, clone
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import direct_names
from srcgrad.ir.walk import names_bound, root_name, statements
from srcgrad.transforms.adjoints import Status
from srcgrad.transforms.sweep import Sweep, renamed

_READERS: Final = frozenset("print breakpoint float abs len max min".split())
_WRITERS: Final = frozenset("copyto put place putmask fill_diagonal at shuffle".split())
_METHODS: Final = frozenset("sum mean max min std var any all copy item tolist round dot".split())


def prepare_edit(sweep: Sweep, statement: Any, target: str, names: dict[str, str]) -> None:
    """Note how a copy is reversed whose adjoint a block of the user's edits.

    `names` are the variables under which the backward pass finds what has been overwritten.
    """
    problem = _problem(sweep, statement, target)
    if problem is not None:
        sweep.refused.append((statement, *problem, UnsupportedSyntaxError))
    edit: Edit = statement.edit
    source, own, body = statement.value.id, edit.name, edit.body
    found = {old: renamed(item, names) for old, item in edit.reads.items()}
    written, shown = _writes_into(body, own), _hands_out(body, own)

    def step() -> list[Any]:
        adjoints = sweep.adjoints
        if not adjoints.exists(target):
            return []
        lead = adjoints.need(target, statement) if written else []
        lead += adjoints.spell_out(statement, [target])
        if shown or not written:
            adjoints.state[target] = Status.SHARED

        def rule(grads: list[Any]) -> Any:
            names = {**found, own: grads[0]}
            block = [_placed(_with_names(part, names), statement) for part in body]
            return block, [(source, grads[0])]

        return lead + sweep.pass_on(statement, [target], rule)

    sweep.steps[id(statement)] = step


def _problem(sweep: Sweep, statement: Any, target: str) -> tuple[str, str] | None:
    """Say why the adjoint of a value cannot be edited, and what to do; None if it can."""
    source = statement.value.id
    memory, base = sweep.facts.storage, sweep.namer.base(source)
    changed = memory.mutated | memory.reshaped | sweep.adjoints.mirrored
    if {source, target} & changed:
        return f"`grad_of` of `{base}`, whose memory is written into,", "work on a copy of it"
    if {source, target} & sweep.containers:
        return f"`grad_of` of `{base}`, which is a container,", "use it on what is in it"
    other = _other_name(sweep, statement, source)
    if other is not None:
        return (
            f"`grad_of` of `{base}`, which is also reached as `{other}` later,",
            "use one name for it",
        )
    return None


def _other_name(sweep: Sweep, edit: Any, source: str) -> str | None:
    """Return another name of the value that is read after the edit, to which that would apply."""
    order = list(statements(sweep.program.body))
    place = next(i for i, item in enumerate(order) if item is edit)
    same, size = {source}, 0
    while len(same) != size:
        size = len(same)
        for item in order[:place]:
            if hasattr(item, "edit"):
                continue
            bound, held = _passed_on(sweep, item)
            if held & same or (bound & same and len(held) == 1):
                same |= bound | held
    own = sweep.namer.base(source)
    others = {name for name in same if sweep.namer.base(name) != own}
    later = {id(part) for item in order[place + 1 :] for part in ast.walk(item)}
    read = {
        node.id
        for item in sweep.program.body
        for node in ast.walk(item)
        if isinstance(node, gast.Name) and id(node) in later and isinstance(node.ctx, gast.Load)
    }
    return min(map(sweep.namer.base, others & read), default=None)


def _passed_on(sweep: Sweep, statement: Any) -> tuple[set[str], set[str]]:
    """Return the names to which a statement gives a value, and those whose very value it may be."""
    change = change_of(statement)
    if change is not None and change.value is not None:
        return {change.name}, set(direct_names(change.value))
    if not isinstance(statement, gast.Assign):
        return set(), set()
    if isinstance(statement.targets[0], gast.Subscript):  # an array copies what it is given
        holder = root_name(statement.targets[0])
        if holder is None or holder not in sweep.containers:
            return set(), set()
        return {holder}, set(direct_names(statement.value))
    bound = {name for part in statement.targets for name in names_bound(part)}
    return bound, set(_shared(sweep, statement))


def _shared(sweep: Sweep, statement: Any) -> list[str]:
    """Return the names whose very value an assignment may bind or hold."""
    operation = sweep.program.operation(statement)
    if operation.kind in ("copy", "unpack", "tuple", "list", "dict"):
        return [name for item in operation.args for name in direct_names(item)]
    if operation.kind == "user" and isinstance(statement.value, gast.Call):
        returned = sweep.program.reader.vocabulary.returned_operands
        items = returned(operation.primal, statement.value)
        return [name for item in items for name in direct_names(item)]
    return []


def _with_names(node: Any, found: dict[str, Any]) -> Any:
    """Return a tree with what the backward pass has in the place of the user's names."""
    if isinstance(node, list):
        return [_with_names(item, found) for item in node]
    if not isinstance(node, gast.AST):
        return node
    if isinstance(node, gast.Name) and node.id in found:
        if isinstance(node.ctx, gast.Load):
            return clone(found[node.id])
        return gast.Name(found[node.id].id, node.ctx, None, None)
    return type(node)(*[_with_names(getattr(node, field), found) for field in node._fields])


def _placed(part: Any, statement: Any) -> Any:
    for inner in statements([part]):
        at(inner, statement)
    return part


def _writes_into(body: list[Any], name: str) -> bool:
    """Say whether a block may write into the adjoint that it is given."""
    for node in [item for part in body for item in ast.walk(part)]:
        if isinstance(node, gast.AugAssign) and _root(node.target) == name:
            return True
        stored = isinstance(node, gast.Subscript) and not isinstance(node.ctx, gast.Load)
        if stored and _root(node) == name:
            return True
        if isinstance(node, gast.Call) and not _only_reads(node, name):
            return True
    return False


def _hands_out(body: list[Any], name: str) -> bool:
    """Say whether a block may keep the adjoint itself."""
    nodes = [item for part in body for item in ast.walk(part)]
    return any(isinstance(n, gast.Call) and not _only_reads(n, name) for n in nodes) or any(
        isinstance(n, gast.Assign) and isinstance(n.value, (gast.Name, gast.Subscript))
        for n in nodes
    )


def _only_reads(call: Any, name: str) -> bool:
    """Say whether a call surely leaves the adjoint as it is, and keeps no reference to it."""
    if any(item.arg == "out" for item in call.keywords):
        return False
    func = call.func
    if isinstance(func, gast.Attribute):
        if _root(func.value) == name:
            return func.attr in _METHODS
        return _root(func) == "np" and func.attr not in _WRITERS
    if isinstance(func, gast.Name) and func.id in _READERS:
        return True
    arguments = [*call.args, *[item.value for item in call.keywords]]
    return not any(
        isinstance(node, gast.Name) and node.id == name
        for item in arguments
        for node in ast.walk(item)
    )


def _root(node: Any) -> str | None:
    while isinstance(node, (gast.Subscript, gast.Attribute)):
        node = node.value
    return getattr(node, "id", None)
