"""Finds names that are a dict on one path and a number or an array on another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

import gast

from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import names_bound, statements

_HINT: Final = "give the number a name of its own, or return in each branch"


def uses_of_mixed_kinds(
    program: Program, find_varied: Callable[[], Collection[str]]
) -> Iterator[tuple[Any, str, str]]:
    """Yield where a name of what varies is first not what it is elsewhere, and a hint.

    Such a name has one adjoint, which is a dict or an array. That of a list serves for an array of
    the same length, too.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x, y):
    ...     p = {"a": x}
    ...     if y > 0.0:
    ...         p = x * y
    ...     return p["a"] if isinstance(p, dict) else p
    ... ''', "x")
    >>> [message for _, message, _ in uses_of_mixed_kinds(program, lambda: {"p_3"})]
    ['`p` is a dict on one path and a number or an array on another']
    """
    dicts, computed, copies = _bindings(program)
    mixed = _reached(dicts, copies) & _reached(computed, copies) if dicts and computed else set()
    varied = find_varied() if mixed else ()
    for statement in statements(program.body) if mixed else ():
        targets = statement.targets if isinstance(statement, gast.Assign) else ()
        for name in (name for target in targets for name in names_bound(target)):
            if name in mixed and name in varied:
                shown = program.namer.base(name)
                message = f"`{shown}` is a dict on one path and a number or an array on another"
                yield statement, message, _HINT
                return


def _bindings(program: Program) -> tuple[set[str], set[str], list[tuple[str, str]]]:
    """Return names of displays of dicts, names of numbers, and pairs that are copied."""
    dicts, computed, copies = set[str](), set[str](), list[tuple[str, str]]()
    for statement in statements(program.body):
        if not isinstance(statement, gast.Assign):
            continue
        operation = program.operation(statement)
        targets = [target.id for target in statement.targets if isinstance(target, gast.Name)]
        if operation.kind == "dict":
            dicts.update(targets)
        elif operation.kind == "copy":
            sources = [name for arg in operation.args for name in direct_names(arg)]
            copies += [(source, target) for source in sources for target in targets]
        if _is_number(operation, statement, program):
            computed.update(targets)
    return dicts, computed, copies


def _is_number(operation: Operation, statement: Any, program: Program) -> bool:
    """Say whether the result is surely no container: that of arithmetic or of an array library."""
    if operation.kind != "primitive":
        value = statement.value
        return isinstance(value, gast.Constant) and type(value.value) in (int, float, complex)
    vocabulary = program.reader.vocabulary
    name = vocabulary.canonical_name(operation.primal)
    is_arithmetic = name.startswith("numpy.") and operation.primal is not vocabulary.getitem
    return is_arithmetic and vocabulary.results(operation.primal, 1) == 1


def _reached(start: set[str], copies: list[tuple[str, str]]) -> set[str]:
    """Return the names that a value reaches by being copied."""
    found, size = set(start), -1
    while len(found) != size:
        size = len(found)
        found |= {target for source, target in copies if source in found}
    return found
