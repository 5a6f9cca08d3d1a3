"""Says which values are single numbers because the result that is made of them is one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import blocks_of, names_bound

Region = tuple[int, ...]


def numbers(program: Program, result: str) -> frozenset[str]:
    """Return the names that are numbers, given that `result` is.

    An elementwise step whose result is a number has numbers for operands. What is known inside of a
    branch or loop says something of names made there only, since it may not have been run.
    """
    steps: list[tuple[Any, Region]] = []
    made: dict[str, list[Region]] = defaultdict(list)
    _collect(program.body, (), steps, made)
    found = {result}
    size = -1
    while len(found) != size:
        size = len(found)
        for statement, region in reversed(steps):
            if found.isdisjoint(names_bound(statement.targets[0])):
                continue
            for name in _operands(program.operation(statement), program):
                regions = made.get(name, [()])
                if all(there[: len(region)] == region for there in regions):
                    found.add(name)
    return frozenset(found)


def _collect(
    block: list[Any],
    region: Region,
    steps: list[tuple[Any, Region]],
    made: dict[str, list[Region]],
) -> None:
    for position, statement in enumerate(block):
        if isinstance(statement, gast.Assign):
            for target in statement.targets:
                for name in names_bound(target):
                    made[name].append(region)
            if isinstance(statement.targets[0], gast.Name):
                steps.append((statement, region))
        elif isinstance(statement, gast.For):
            for name in names_bound(statement.target):
                made[name].append((*region, position))
        for number, part in enumerate(blocks_of(statement)):
            _collect(part, (*region, position, number), steps, made)


def _operands(operation: Operation, program: Program) -> list[str]:
    if operation.kind == "copy" or _is_elementwise(operation, program):
        return [name for arg in operation.args for name in direct_names(arg)]
    return []


def _is_elementwise(operation: Operation, program: Program) -> bool:
    if operation.kind != "primitive" or operation.keywords:
        return False
    if any(isinstance(item, gast.Starred) for item in operation.args):
        return False  # its elements are the operands
    return program.reader.vocabulary.primitive(operation.primal).shape in ("broadcast", "each")
