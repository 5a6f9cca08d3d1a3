"""Reads a value under its first name for as long as that name keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.program import Counts, bound_by, header_reads
from srcgrad.ir.walk import blocks_of, statements
from srcgrad.optimizations.propagate_copies import copy_in
from srcgrad.optimizations.share_results import Fixed


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


def without_ones(
    body: list[Any],
    fixed: Callable[[], Fixed],
    is_ours: Callable[[str], bool],
    is_float: Callable[[str], bool],
) -> list[Any]:
    """Return `body`, in which ``t = 1.0 * s`` is ``t = s`` where nobody writes into either.

    `is_float(name)` says which names are surely bound to floats, which that makes no other numbers.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.purity import Purity
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> def shown(source):
    ...     body = parse(source)
    ...     fixed = lambda: Fixed(body, purity, lambda _: False, lambda _: True)
    ...     return text(without_ones(body, fixed, lambda name: name < "u", lambda _: True))
    >>> print(shown("a = 1.0 * x; b = 1.0 * y; b += 1; c = 1.0 * z; d = a * b; return c, d"))
    a = x
    b = 1.0 * y
    b += 1
    c = 1.0 * z
    d = a * b
    return c, d
    """
    scaled = [item for item in statements(body) if _is_scaled_by_one(item)]
    known = [fixed()] if scaled else []
    for statement in scaled:
        target, source = statement.targets[0].id, statement.value.right.id
        stay = all(i.is_left_alone(target) and i.is_left_alone(source) for i in known)
        handed_out = any(item.is_handed_out(target) for item in known)
        if stay and not handed_out and is_ours(target) and is_float(source):
            statement.value = statement.value.right
    return body


def _is_scaled_by_one(statement: Any) -> bool:
    value: Any = statement.value if isinstance(statement, gast.Assign) else None
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, gast.Mult):
        return False
    is_one = isinstance(value.left, gast.Constant) and value.left.value == 1.0
    names = (value.right, statement.targets[0])
    return is_one and all(isinstance(name, gast.Name) for name in names)


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
