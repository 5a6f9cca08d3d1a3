"""Puts blocks of ``grad_of`` into the backward pass."""

from __future__ import annotations

import ast
from typing import Any, Final

from srcgrad.errors import SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend.source import find_source
from srcgrad.frontend.surgery import Edit
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import EDIT
from srcgrad.ir.program import direct_names
from srcgrad.ir.walk import names_bound, root_name, statements
from srcgrad.primitives import named
from srcgrad.transforms.adjoints import Status
from srcgrad.transforms.sweep import Sweep, renamed

_READERS: Final = frozenset("print breakpoint float abs len max min".split())
_KEEPERS: Final = ("append", "insert", "extend", "update", "setdefault")
_METHODS: Final = frozenset("sum mean max min std var any all copy item tolist round dot".split())


def prepare_edit(sweep: Sweep, statement: Any, target: str, names: dict[str, str]) -> None:
    """Note how a copy is reversed whose adjoint a block of the user's edits.

    `names` are the variables under which the backward pass finds what has been overwritten.
    """
    problem = _problem(sweep, statement, target)
    if problem is not None:
        sweep.refused.append((statement, *problem, UnsupportedSyntaxError))
    edit: Edit = EDIT.of(statement)
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


def check_idle_edit(sweep: Sweep, statement: Any) -> None:
    """Refuse an edit of a value that is not read by this name afterwards, but by another.

    Without another name nothing comes back through the edit, and its block is left out.
    """
    if not EDIT.is_on(statement) or statement.value.id not in sweep.facts.activity.varied:
        return
    problem = _shared_later(sweep, statement)
    if problem is not None:
        sweep.refused.append((statement, *problem, UnsupportedSyntaxError))


def _problem(sweep: Sweep, statement: Any, target: str) -> tuple[str, str] | None:
    """Say why the adjoint of a value cannot be edited, and what to do; None if it can."""
    source = statement.value.id
    memory, base = sweep.facts.storage, sweep.namer.base(source)
    changed = memory.mutated | memory.reshaped | sweep.adjoints.mirrored
    if {source, target} & changed:
        return f"`grad_of` of `{base}`, whose memory is written into,", "work on a copy of it"
    if {source, target} & sweep.containers:
        return f"`grad_of` of `{base}`, which is a container,", "use it on what is in it"
    return _shared_later(sweep, statement)


def _shared_later(sweep: Sweep, statement: Any) -> tuple[str, str] | None:
    """Say that an edited value has another name later; None if it has none."""
    source = statement.value.id
    other = _other_name(sweep, statement, source)
    if other is None:
        return None
    base = sweep.namer.base(source)
    return (
        f"`grad_of` of `{base}`, which is also reached as `{other}` later,",
        "use one name for it",
    )


def _other_name(sweep: Sweep, edit: Any, source: str) -> str | None:
    """Return another name of the value that is read after the edit, to which that would apply."""
    before, after = _around(sweep.program.body, edit)
    same, size = {source}, 0
    while len(same) != size:
        size = len(same)
        for item in before:
            if EDIT.is_on(item):
                continue
            bound, held = _passed_on(sweep, item)
            if held & same or (bound & same and len(held) == 1):
                same |= bound | held
    own = sweep.namer.base(source)
    others = {name for name in same if sweep.namer.base(name) != own}
    later = {id(part) for item in after for part in ast.walk(item)}
    read = {
        node.id
        for item in sweep.program.body
        for node in ast.walk(item)
        if isinstance(node, gast.Name) and id(node) in later and isinstance(node.ctx, gast.Load)
    }
    return min(map(sweep.namer.base, others & read), default=None)


def _around(body: list[Any], edit: Any) -> tuple[list[Any], list[Any]]:
    """Return what may run before and after a statement: both, of the loop around it."""
    order = list(statements(body))
    place = next(i for i, item in enumerate(order) if item is edit)
    again: list[Any] = []
    for item in body:
        inside = list(statements([item]))
        loops = [part for part in inside if isinstance(part, (gast.For, gast.While))]
        around = [loop for loop in loops if any(part is edit for part in statements([loop]))]
        again += list(statements(around[:1]))
    return [*order[:place], *again], [*order[place + 1 :], *again]


def _passed_on(sweep: Sweep, statement: Any) -> tuple[set[str], set[str]]:
    """Return the names to which a statement gives a value, and those whose very value it may be."""
    change = change_of(statement)
    if change is not None and change.value is not None:
        return {change.name}, set(direct_names(change.value))
    if change is not None and change.target is not None:
        return {change.target}, {change.name}
    if not isinstance(statement, gast.Assign):
        return set(), set()
    if isinstance(statement.targets[0], gast.Subscript):  # an array copies what it is given
        holder = root_name(statement.targets[0])
        if holder is None or holder not in sweep.containers:
            return set(), set()
        return {holder}, set(direct_names(statement.value))
    bound = {name for part in statement.targets for name in names_bound(part)}
    held = set(_shared(sweep, statement))
    operation = sweep.program.operation(statement)
    if operation.kind == "user" and len(bound) > 1 and _returns_twice(operation.primal):
        held |= bound
    return bound, held


def _returns_twice(function: Any) -> bool:
    """Say whether a function may return one value at two places of its tuple."""
    try:
        tree = find_source(function).tree
    except SrcgradError:
        return True
    bare: list[str] = []  # what values that have a name are also part of
    for node in ast.walk(tree):
        if isinstance(node, gast.Return) and isinstance(node.value, gast.Tuple):
            parts = [gast.dump(item) for item in node.value.elts]
            if len(set(parts)) < len(parts):
                return True
            bare += [name for item in node.value.elts for name in _named(item)]
        elif isinstance(node, gast.Assign) and not isinstance(node.value, gast.Tuple):
            bare += _named(node.value)
        elif isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
            bare += [name for item in node.args for name in direct_names(item)] * (
                node.func.attr in _KEEPERS
            )
    return len(set(bare)) < len(bare)


def _named(item: Any) -> list[str]:
    """Return the names whose values an expression is or holds."""
    if isinstance(item, gast.IfExp):
        return [*_named(item.body), *_named(item.orelse)]
    if isinstance(item, gast.Dict):
        return [name for value in item.values for name in _named(value)]
    return direct_names(item)


def _shared(sweep: Sweep, statement: Any) -> list[str]:
    """Return the names whose very value an assignment may bind or hold."""
    operation = sweep.program.operation(statement)
    vocabulary = sweep.program.reader.vocabulary
    handed = vocabulary.primitive(operation.primal).same
    if handed or operation.kind in ("copy", "unpack", "tuple", "list", "dict"):
        return [name for item in operation.args for name in direct_names(item)]
    if operation.primal is vocabulary.getitem:
        return [name for name in direct_names(operation.args[0]) if name in sweep.containers]
    if operation.kind == "user" and isinstance(statement.value, gast.Call):
        items = vocabulary.returned_operands(operation.primal, statement.value)
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
    """Say whether a block may write into the adjoint that it is given, or into a part of it.

    What the block binds itself may be such a part: ``h = g.T`` is one as ``for h in g`` is.
    """
    nodes = [item for part in body for item in ast.walk(part)]
    updated = [n.target for n in nodes if isinstance(n, gast.AugAssign)]
    stores = [n for n in nodes if not isinstance(getattr(n, "ctx", gast.Load()), gast.Load)]
    bound = [n for n in stores if n not in updated]
    own = {name, *(n.id for n in bound if isinstance(n, gast.Name))}
    for node in nodes:
        if isinstance(node, gast.Assign) and _may_be_held(node.value):
            own.update(filter(None, map(_root, node.targets)))
    written = [*updated, *(n for n in stores if isinstance(n, gast.Subscript))]
    return any(_root(target) in own for target in written) or any(
        isinstance(n, gast.Call) and not _only_reads(n, name) for n in nodes
    )


def _hands_out(body: list[Any], name: str) -> bool:
    """Say whether a block may keep the adjoint itself."""
    nodes = [item for part in body for item in ast.walk(part)]
    return any(isinstance(n, gast.Call) and not _only_reads(n, name) for n in nodes) or any(
        isinstance(n, gast.Assign) and _may_be_held(n.value) for n in nodes
    )


def _may_be_held(value: Any) -> bool:
    """Say whether a value may be, or hold, something that has been there before."""
    return not isinstance(value, (gast.Constant, gast.Call, gast.BinOp, gast.UnaryOp, gast.Compare))


def _only_reads(call: Any, name: str) -> bool:
    """Say whether a call surely leaves the adjoint as it is, and keeps no reference to it."""
    if any(item.arg == "out" for item in call.keywords):
        return False
    func = call.func
    if isinstance(func, gast.Attribute):
        if _root(func.value) == name:
            return func.attr in _METHODS
        return _root(func) == "np" and not any(known.writes for known in named(func.attr))
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
