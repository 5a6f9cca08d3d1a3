"""Says which names are bound to containers, and which to arrays, by how they are used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import names_bound, statements


@dataclass(frozen=True, slots=True)
class Kinds:
    """Names by what they are bound to; a name in neither set may be either.

    Attributes:
        containers: Names that are unpacked, read with a string key or bound to a display, whose
            parts are, or that are passed to a function that uses them so.
        arrays: Names that are computed, or computed with: numbers and arrays.
    """

    containers: frozenset[str]
    arrays: frozenset[str]


def kinds(program: Program) -> Kinds:
    """Sort the names of a program by kind."""
    found: set[str] = set()
    arrays: set[str] = set()
    same: list[tuple[str, str]] = []
    parts: list[tuple[str, str]] = []
    getitem = program.reader.vocabulary.getitem
    for statement in statements(program.body):
        if not isinstance(statement, gast.Assign):
            continue
        operation = program.operation(statement)
        targets = [name for target in statement.targets for name in names_bound(target)]
        sources = [name for arg in operation.args for name in direct_names(arg)]
        if operation.kind in ("tuple", "list", "dict"):
            found.update(targets)
        elif operation.kind == "unpack":
            found.update(sources)
        elif operation.kind == "user":
            found.update(_shown_by_callee(operation, program))
        elif operation.kind == "copy":
            same += [(s, t) for s in sources for t in targets]
        elif operation.primal is getitem:
            parts += [(target, source) for target in targets for source in sources[:1]]
            if sources and _is_key(operation.args[1]):
                found.add(sources[0])
        elif operation.kind == "primitive":
            arrays.update(targets)
            arrays.update(n.id for n in operation.args if isinstance(n, gast.Name))
    links = parts + same + [(t, s) for s, t in same]
    containers = _spread(found, links)
    return Kinds(frozenset(containers), frozenset(arrays - containers))


def _shown_by_callee(operation: Operation, program: Program) -> list[str]:
    callee = operation.primal
    inner = program.reader.vocabulary.container_parameters(callee)
    order = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    pairs = [*zip(order, operation.args, strict=False), *operation.keywords.items()]
    return [value.id for name, value in pairs if name in inner and isinstance(value, gast.Name)]


def _is_key(index: Any) -> bool:
    return isinstance(index, gast.Constant) and isinstance(index.value, str)


def _spread(found: set[str], links: list[tuple[str, str]]) -> set[str]:
    found = set(found)
    size = -1
    while len(found) != size:
        size = len(found)
        found |= {target for source, target in links if source in found}
    return found
