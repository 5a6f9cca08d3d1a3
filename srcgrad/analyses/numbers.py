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
    branch or loop says something of names made there only, since it may not have been run. What a
    loop binds to a part of itself may have been larger before.
    """
    steps: list[tuple[Any, Region]] = []
    made: dict[str, list[Region]] = defaultdict(list)
    _collect(program.body, (), steps, made)
    found = {result}
    size = -1
    shrinking = _shrinking(steps, program)
    while len(found) != size:
        size = len(found)
        for statement, region in reversed(steps):
            if found.isdisjoint(names_bound(statement.targets[0])):
                continue
            for name in _operands(program.operation(statement), program):
                regions = made.get(name, [()])
                same = all(there[: len(region)] == region for there in regions)
                if same and name not in shrinking:
                    found.add(name)
    return frozenset(found)


def _shrinking(steps: list[tuple[Any, Region]], program: Program) -> set[str]:
    r"""Return the names that are bound to a part of what they are already, as ``t = t[k]`` does.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> text = "def f(x):\n  t = x\n  while t.ndim: t = t[0]\n  return t"
    >>> sorted(numbers(program_of(text), "out"))
    ['out']
    """
    parts: dict[str, set[str]] = defaultdict(set)
    copies: list[tuple[str, str]] = []
    for statement, _ in steps:
        (target,) = names_bound(statement.targets[0])
        operation = program.operation(statement)
        if operation.primal is program.reader.vocabulary.getitem:
            parts[target].update(direct_names(operation.args[0]))
        elif operation.kind == "copy":
            copies += [(target, source) for source in direct_names(statement.value)]
        else:  # of what is calculated with parts, in order
            parts[target].update(*[parts[name] for name in _operands(operation, program)])
    return {target for target, source in copies if target in parts[source]}


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
