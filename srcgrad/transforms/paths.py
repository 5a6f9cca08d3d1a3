"""Follows parts of containers: which input is read key by key, which container lies in which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import load, subscript
from srcgrad.ir.program import bound_by, direct_names, header_reads, is_store, store_target
from srcgrad.ir.walk import names_bound, statements
from srcgrad.transforms.sweep import Sweep


def find_parts(sweep: Sweep) -> None:
    """Note which containers are parts of others."""
    followed = _followed(sweep)
    bound = Counter(name for item in statements(sweep.program.body) for name in bound_by(item))
    for statement in statements(sweep.program.body):
        if not isinstance(statement, gast.Assign) or is_store(statement):
            continue
        target, operation = statement.targets[0], sweep.program.operation(statement)
        if isinstance(target, gast.Name) and target.id in sweep.containers:
            if operation.primal is sweep.getitem and isinstance(operation.args[0], gast.Name):
                source, index = operation.args[0].id, operation.args[1]
                if not _stays_part(sweep, source, index, statement):
                    continue
                if source in followed(target.id) or bound[target.id] > 1:
                    continue
                if source in sweep.paths:
                    sweep.adjoints.parts[target.id] = (sweep.paths[source][index.value], None)
                else:
                    sweep.adjoints.parts[target.id] = (source, index)
        elif operation.kind == "unpack":
            for position, name in enumerate(names_bound(target)):
                if name in sweep.containers and operation.args[0].id not in followed(name):
                    index = gast.Constant(position, None)
                    sweep.adjoints.parts[name] = (operation.args[0].id, index)


def _stays_part(sweep: Sweep, source: str, index: Any, statement: Any) -> bool:
    """Say whether what was read is at its place in the other container to the end."""
    memory = sweep.facts.storage
    moves = source in memory.reshaped and memory.written_after(source, statement)
    return not moves and not isinstance(index, gast.Slice)


def _followed(sweep: Sweep) -> Callable[[str], set[str]]:
    """Return what tells which names a name is handed on to, itself or a part of it.

    A part that takes the place of its whole, as ``node = node[1]`` in a loop, has an adjoint of
    its own: that of the whole starts anew where the part's is still to be read.
    """
    edges: dict[str, set[str]] = {}
    for statement in statements(sweep.program.body):
        if isinstance(statement, gast.Assign) and not is_store(statement):
            operation = sweep.program.operation(statement)
            if operation.kind in ("copy", "unpack") or operation.primal is sweep.getitem:
                for source in direct_names(operation.args[0]):
                    edges.setdefault(source, set()).update(names_bound(statement.targets[0]))

    def followed(name: str) -> set[str]:
        found, todo = set[str](), [name]
        while todo:
            new = edges.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found

    return followed


def find_paths(sweep: Sweep) -> dict[str, dict[str, str]]:
    """Return the inputs that are read by literal string keys only, with a cell for each key.

    Such a dictionary is differentiated as so many variables: nothing is made that is not read. One
    whose arrays are written into has shadows of all that it holds.
    """
    active = sweep.facts.activity.active - sweep.facts.storage.mirror.names
    wanted = [name for name in sweep.program.inputs if name in active]
    paths: dict[str, dict[str, str]] = {name: {} for name in wanted}
    sure = {id(statement) for statement in _always_run(sweep.program.body)}
    certain: set[tuple[str, str]] = set()
    for statement in statements(sweep.program.body):
        reads = header_reads(statement)
        if is_store(statement):
            for name in names_bound(store_target(statement).value):
                paths.pop(name, None)
        for name in [n for n in reads if n in paths]:
            key = _path_key(statement, name)
            if key is None or reads.count(name) > 1 or not _is_sure(sweep, statement):
                paths.pop(name, None)
            else:
                paths[name].setdefault(key, _path_cell(sweep, name, key, statement))
                if id(statement) in sure:
                    certain.add((name, key))
    return {
        name: keys
        for name, keys in paths.items()
        if keys and all((name, key) in certain for key in keys)
    }


def _always_run(block: list[Any]) -> Iterator[Any]:
    """Yield the statements that run unless a loop has no trips: the others' keys may be absent."""
    for statement in block:
        yield statement
        if isinstance(statement, (gast.For, gast.While, gast.With)):
            yield from _always_run(statement.body)


def _is_sure(sweep: Sweep, statement: Any) -> bool:
    """Say whether it is known what is read: an array, a number or a container."""
    target = statement.targets[0].id
    sure = target in sweep.kinds.arrays or target in sweep.containers
    return sure or sweep.facts.shapes.is_number(load(target))


def _path_cell(sweep: Sweep, name: str, key: str, statement: Any) -> str:
    cell = f"{name}[{key!r}]"
    read = sweep.namer.adjoint(statement.targets[0].id)
    base = sweep.namer.base(read)
    known = sweep.adjoints.models.get(cell)
    if known is None:
        sweep.adjoints.models[cell] = subscript(load(name), gast.Constant(key, None))
        sweep.namer.set_adjoint(cell, sweep.namer.version(read))
    else:
        sweep.namer.set_base(read, base)
    return cell


def _path_key(statement: Any, name: str) -> str | None:
    """Return the key if a statement is ``y = name["key"]``."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Subscript):
        return None
    base, key = value.value, value.slice
    plain = isinstance(base, gast.Name) and base.id == name and isinstance(key, gast.Constant)
    single = isinstance(statement.targets[0], gast.Name)
    return key.value if plain and single and isinstance(key.value, str) else None
