"""Says which names are bound to containers, and which to arrays, by how they are used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

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


def kinds(program: Program, result: str | None = None) -> Kinds:
    """Sort the names of a program by kind; `result` is known to be bound to a number.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> found = kinds(program_of('''
    ... def f(params, pair):
    ...     a, b = pair
    ...     return np.sum(params["w"] * a)
    ... ''', "params", "pair"))
    >>> sorted(found.containers), sorted(found.arrays)
    (['pair', 'params'], ['a', 'out', 'w', 'w_times_a'])
    """
    found: set[str] = set()
    arrays: set[str] = set()
    same: list[tuple[str, str]] = []
    parts: list[tuple[str, str]] = []
    displays: dict[str, list[Any]] = {}
    getitem = program.reader.vocabulary.getitem
    for statement in statements(program.body):
        if not isinstance(statement, gast.Assign):
            continue
        operation = program.operation(statement)
        targets = [name for target in statement.targets for name in names_bound(target)]
        sources = [name for arg in operation.args for name in direct_names(arg)]
        if operation.kind in ("tuple", "list", "dict"):
            found.update(targets)
            displays.update((target, list(operation.args)) for target in targets[:1])
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
            same += _read_back(targets[0], operation, displays) if targets else []
        elif operation.kind == "primitive":
            several = len(targets) == 1 and _returns_several(operation, program)
            (found if several else arrays).update(targets)
            arrays.update(n.id for n in operation.args if isinstance(n, gast.Name))
    copies = same + [(t, s) for s, t in same]
    containers = _spread(found, parts + copies)
    if result is not None:
        arrays.add(result)
    return Kinds(frozenset(containers), frozenset(_spread(arrays, copies) - containers))


_ONE_WITHOUT: Final = {"numpy.average": ("returned", 3), "numpy.linspace": ("retstep", 4)}
"""Functions that return one value without an option, and the place of that option."""


def _returns_several(operation: Operation, program: Program) -> bool:
    """Say whether a primitive such as `np.linalg.eigh` or `np.split` returns several arrays."""
    vocabulary = program.reader.vocabulary
    option, place = _ONE_WITHOUT.get(vocabulary.canonical_name(operation.primal), ("", 0))
    if option and option not in operation.keywords and len(operation.args) <= place:
        return False
    return bool(vocabulary.results(operation.primal, 1) != 1)


def _shown_by_callee(operation: Operation, program: Program) -> list[str]:
    callee = operation.primal
    inner = program.reader.vocabulary.container_parameters(callee)
    order = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    pairs = [*zip(order, operation.args, strict=False), *operation.keywords.items()]
    return [value.id for name, value in pairs if name in inner and isinstance(value, gast.Name)]


def _read_back(
    target: str, operation: Operation, displays: dict[str, list[Any]]
) -> list[tuple[str, str]]:
    """Link an element that is read from a display to what was put there."""
    base, index = operation.args[:2]
    items = displays.get(getattr(base, "id", ""), [])
    position = getattr(index, "value", None)
    if type(position) is int and position < len(items) and isinstance(items[position], gast.Name):
        return [(items[position].id, target)]
    return []


def _is_key(index: Any) -> bool:
    return isinstance(index, gast.Constant) and isinstance(index.value, str)


def _spread(found: set[str], links: list[tuple[str, str]]) -> set[str]:
    found = set(found)
    size = -1
    while len(found) != size:
        size = len(found)
        found |= {target for source, target in links if source in found}
    return found
