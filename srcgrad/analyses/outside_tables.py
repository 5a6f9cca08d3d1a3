"""Knows the tables of numbers that a program reads from outside, as its module's coefficients."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CodeType
from typing import Final

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, bound_names, is_store, store_target
from srcgrad.ir.reach import reached_functions
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, root_name, statements
from srcgrad.runtime.tables import depth_of_table

_STORING: Final = ("STORE_SUBSCR", "STORE_SLICE", "DELETE_SUBSCR")
_CHANGING: Final = frozenset({"append", "extend", "insert", "pop", "remove", "clear"})
_READING: Final = ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME")


def outside_tables(program: Program) -> dict[str, str]:
    """Return the texts for entries of outside tables, all of which are numbers, as facts.

    Each call checks that they still are. The functions that the program calls change none of them.

    >>> import numpy as np
    >>> from srcgrad.compiler.doctesting import program_of
    >>> outside_tables(program_of("def f(x): return x * np.pi"))
    {}
    """
    scope = program.reader.scope
    own = {*program.parameters, *bound_names(program.body), *_changed(program)}
    read = {item.id for part in program.body for item in found_in(part, gast.Name)} - own
    values = {name: scope.lookup(name) for name in sorted(read)}
    depths = {n: depth_of_table(v) for n, v in values.items() if v is not MISSING}
    found = {name: depth for name, depth in depths.items() if depth}
    if found:
        reached = reached_functions(scope.function)
        others = (item for item in reached.functions if item is not scope.function)
        changed = frozenset[str]().union(*(_may_change(item.__code__) for item in others))
        found = {n: depth for n, depth in found.items() if reached.are_all and n not in changed}
    return {name + "[*]" * depth: "number" for name, depth in found.items()}


def _changed(program: Program) -> Iterator[str]:
    """Yield the names of lists that a program stores into, or changes by their methods."""
    for statement in statements(program.body):
        change = change_of(statement)
        if change is not None:
            yield change.name
        elif is_store(statement):
            yield root_name(store_target(statement)) or ""
        for call in found_in(statement, gast.Call):
            if isinstance(call.func, gast.Attribute) and call.func.attr in _CHANGING:
                yield root_name(call.func) or ""


@functools.lru_cache(maxsize=4096)
def _may_change(code: CodeType) -> frozenset[str]:
    """Return the names of outside that stand in a line which stores into a list, or changes one.

    >>> def count():
    ...     COUNTS[0] = 1
    ...     SEEN.append(NAMES)
    ...     return OTHERS[0]
    >>> sorted(_may_change(count.__code__))
    ['COUNTS', 'NAMES', 'SEEN']
    """
    read, changes = dict[int | None, set[str]](), set[int | None]()
    for item in _instructions(code):
        line = None if item.positions is None else item.positions.lineno
        if item.opname in _READING:
            read.setdefault(line, set()).add(str(item.argval))
        elif item.opname in _STORING or item.argval in _CHANGING:
            changes.add(line)
    return frozenset(name for line in changes for name in read.get(line, ()))


def _instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of a function, and those of the functions in it."""
    yield from dis.get_instructions(code)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _instructions(inner)
