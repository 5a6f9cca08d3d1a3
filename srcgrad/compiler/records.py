"""Reads off generated functions what they keep for their backward pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from srcgrad.codegen.precedence import TUPLE
from srcgrad.codegen.printer import Printer
from srcgrad.compiler.findings import Record
from srcgrad.ir import gast
from srcgrad.ir.liveness import first_reads
from srcgrad.ir.marks import ADJOINT
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import Program, bound_names, targets_of
from srcgrad.ir.walk import blocks_of, found_with, names_bound, names_read, statements


def records_of(definition: Any, program: Program, *, is_half: bool) -> list[Record]:
    """Return what one generated function keeps: in variables for a call, in lists for iterations.

    A forward half (`is_half`) keeps what it returns beside the value; a backward half and a tangent
    function keep nothing.
    """
    split = _split(definition, program, is_half=is_half)
    if split is None:
        return []
    forward, wanted = split
    user = program.reader.scope.local
    lists = {name: item for name, item in _lists(forward) if name in wanted and name not in user}
    names = [name for name in wanted if name not in lists]
    bound = bound_names(forward)
    kept = [name for name in names if name in bound]
    kept += [name for name in names if name in program.parameters and name not in kept]
    records = list(lists.values())
    if kept:
        records.insert(0, Record(tuple(kept), _lines_of(kept, forward), "call"))
    return records


def _split(
    definition: Any, program: Program, *, is_half: bool
) -> tuple[list[Any], list[str]] | None:
    """Return the forward statements, and the names that the backward ones read, in order."""
    body = definition.body
    for place, statement in enumerate(body):
        if isinstance(statement, Comment) and statement.text == "backward":
            backward = body[place + 1 :]
            read = first_reads(backward)
            known = bound_names(body[:place]) | set(program.parameters)
            order = [n for s in statements(body[:place]) for n in _mentioned(s)]
            return body[:place], [n for n in dict.fromkeys(order) if n in read & known]
    if not is_half:
        return None
    _, kept = body[-1].value.elts
    return body, list(dict.fromkeys(names_read(kept)))


def layout_of(
    definitions: Sequence[tuple[Any, Any]], halves: Sequence[tuple[Any, str, str]]
) -> dict[str, int]:
    """Return how many statements of each generated function come before its backward pass."""
    forward, backward = {item[1] for item in halves}, {item[2] for item in halves}
    found: dict[str, int] = {}
    for _, definition in definitions:
        body = definition.body
        if definition.name in backward:
            found[definition.name] = 0
            continue
        marked = (i for i, s in enumerate(body) if getattr(s, "text", "") == "backward")
        place = len(body) if definition.name in forward else next(marked, None)
        if place is not None:
            found[definition.name] = sum(
                not isinstance(item, (Blank, Comment)) for item in body[:place]
            )
    return found


def inlined_in(definitions: Sequence[tuple[Any, Any]]) -> dict[str, dict[str, str]]:
    """Return for each generated function the adjoints that stand where they are read.

    They are given by the texts of their expressions.
    """
    found: dict[str, dict[str, str]] = {}
    printer = Printer()
    for _, definition in definitions:
        texts = {
            printer.text(node, TUPLE): ADJOINT.of(node)
            for statement in definition.body
            for node in found_with(statement, ADJOINT.name)
            if ADJOINT.of(node) and not isinstance(node, (gast.Name, gast.Constant))
        }
        if texts:
            found[definition.name] = texts
    return found


def _mentioned(statement: Any) -> list[str]:
    bound = [name for target in targets_of(statement) for name in names_bound(target)]
    if any(True for _ in blocks_of(statement)):
        return bound
    return [*names_read(statement), *bound]


def _lists(block: list[Any], loop: Any = None) -> Iterator[tuple[str, Record]]:
    """Yield the lists to which loops append, with what they append."""
    for place, statement in enumerate(block):
        inside = statement if isinstance(statement, (gast.For, gast.While)) else loop
        for part in blocks_of(statement):
            yield from _lists(part, inside)
        call: Any = getattr(statement, "value", None)
        func: Any = getattr(call, "func", None)
        named = isinstance(getattr(func, "value", None), gast.Name)
        if loop is not None and named and func.attr == "append":
            names = tuple(names_read(call.args))
            lines = _lines_of(names, [*loop.body, *block[:place]])
            where = getattr(loop, "lineno", 0) or 0
            yield func.value.id, Record(names, lines, "iteration", where, func.value.id)


def _lines_of(names: Iterable[str], block: list[Any]) -> tuple[int, ...]:
    """Return for each name the line of the last statement that makes a value for it, or 0."""
    lines: dict[str, int] = {}
    for statement in statements(block):
        copied: Any = getattr(statement, "value", None)
        line = getattr(statement, "lineno", 0) or 0
        if isinstance(copied, gast.Name) and copied.id in lines:
            line = lines[copied.id]
        for target in targets_of(statement):
            lines.update(dict.fromkeys(names_bound(target), line))
    return tuple(lines.get(name, 0) for name in names)
