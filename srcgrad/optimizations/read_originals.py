"""Reads a value under its first name for as long as that name keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.ir.program import Counts, bound_by, header_reads
from srcgrad.ir.walk import blocks_of, statements
from srcgrad.optimizations.propagate_copies import copy_in


def read_originals(body: list[Any], is_ours: Callable[[str], bool]) -> list[Any]:
    """Return `body` without copies ``t = s`` that are read only until `s` gets another value.

    `is_ours(name)` says which names the compiler made; adjoints are among them.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... grad_b = grad_a
    ... grad_x += grad_b * x
    ... grad_a = grad_b * k
    ... grad_c = grad_a
    ... grad_a = 0.0
    ... grad_x += grad_c
    ... ''')
    >>> print(text(read_originals(body, lambda name: name.startswith("grad_"))))
    grad_x += grad_a * x
    grad_a = grad_a * k
    grad_c = grad_a
    grad_a = 0.0
    grad_x += grad_c
    """
    counts = Counts(body)
    return _block(body, lambda n: is_ours(n) and counts.binds[n] == 1, counts)


def _block(block: list[Any], is_copy: Callable[[str], bool], counts: Counts) -> list[Any]:
    kept: list[Any] = []
    for place, statement in enumerate(block):
        for part in blocks_of(statement):
            part[:] = _block(part, is_copy, counts)
        name, source = copy_in(statement)
        readers = _readers(block[place + 1 :], name, source) if name and is_copy(name) else []
        reads = counts.reads if readers else {}
        if not readers or sum(_count(item, name) for item in readers) != reads[name]:
            kept.append(statement)
            continue
        for item in readers:
            for node in gast.walk(item):
                if isinstance(node, gast.Name) and node.id == name:
                    node.id = source
        reads[source] += reads.pop(name, 0) - 1  # a copy may be read by nobody
    return kept


def _readers(rest: list[Any], name: str, source: str) -> list[Any]:
    """Return the statements that may read `source` for `name`."""
    found: list[Any] = []
    for statement in rest:
        bound = {other for item in statements([statement]) for other in bound_by(item)}
        rebinds = not bound.isdisjoint((name, source))
        if rebinds and (any(True for _ in blocks_of(statement)) or _updates(statement)):
            return found
        found.append(statement)
        if rebinds:
            return found
    return found


def _updates(statement: Any) -> bool:
    return isinstance(statement, gast.AugAssign)


def _count(statement: Any, name: str) -> int:
    return sum(header_reads(item).count(name) for item in statements([statement]))
