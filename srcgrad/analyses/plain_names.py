"""Says what the names of a program are bound to, as far as single statements tell."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.program import Program, is_store
from srcgrad.ir.walk import names_bound, statements


def target_names(statement: Any) -> list[str]:
    """Return the names that an assignment binds."""
    return [name for target in getattr(statement, "targets", []) for name in names_bound(target)]


def read_names(program: Program) -> set[str]:
    """Return the names that are bound to what was read by an index or from a loop."""
    getitem = program.reader.vocabulary.getitem
    found: set[str] = set()
    for statement in statements(program.body):
        if isinstance(statement, gast.For):
            found.update(names_bound(statement.target))
        reads = isinstance(statement, gast.Assign) and not is_store(statement)
        if reads and program.operation(statement).primal is getitem:
            found.update(target_names(statement))
    return found


def copies_of(program: Program, parameters: set[str]) -> set[str]:
    """Return the names that are bound to nothing but these parameters."""
    sources: dict[str, list[Any]] = defaultdict(list)
    for statement in statements(program.body):
        if isinstance(statement, gast.Assign):
            plain = program.operation(statement).kind == "copy"
            source = statement.value.id if plain else None
            for name in target_names(statement):
                sources[name].append(source)
    copies = set(parameters)
    size = -1
    while len(copies) != size:
        size = len(copies)
        copies |= {n for n, found in sources.items() if all(s in copies for s in found)}
    return copies
