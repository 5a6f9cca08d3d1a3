"""Reads an element or a part once where it is multiplied by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.program import count_reads
from srcgrad.ir.walk import blocks_of, spelled, statements
from srcgrad.optimizations.purity import Purity


def square_reads(body: list[Any], is_temporary: Callable[[str], bool], purity: Purity) -> list[Any]:
    """Return a body in normal form in which both factors of a square have one name.

    So the derivative is that of a square, and needs one value. Both are read one after the other,
    with nothing in between that may write.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> program = program_of("def f(x, i): return x[i] * x[i]")
    >>> purity = Purity(program.reader, frozenset())
    >>> print(text(square_reads(program.body, lambda name: True, purity)))
    x_i = x[i]
    out = x_i * x_i
    return out
    """
    squares = {id(item[2]): item[:2] for item in _triples(body) if _is_square(*item)}
    if not squares:
        return body
    reads = count_reads(body)
    gone: set[int] = set()
    for item in statements(body):
        first, second = squares.get(id(item), (None, None))
        names = [_name(first), _name(second)]
        alone = all(is_temporary(name) and reads[name] == 1 for name in names)
        if second is not None and alone and purity.of(second.value):
            item.value.left, item.value.right = load(names[0]), load(names[0])
            gone.add(id(second))
    return _without(body, gone)


def _triples(body: list[Any]) -> list[tuple[Any, Any, Any]]:
    """Return what stands in a row of three in one block."""
    blocks = [body, *(part for item in statements(body) for part in blocks_of(item))]
    rows = [zip(block, block[1:], block[2:], strict=False) for block in blocks]
    return [triple for row in rows for triple in row]


def _is_square(first: Any, second: Any, third: Any) -> bool:
    """Say whether two statements read the same, of which a third is the product."""
    value = third.value if isinstance(third, gast.Assign) else None
    if not isinstance(value, gast.BinOp) or not isinstance(value.op, gast.Mult):
        return False
    names = [getattr(side, "id", "") for side in (value.left, value.right)]
    if not all(names) or names[0] == names[1] or names != [_name(first), _name(second)]:
        return False
    parts = (first.value, second.value)
    reads = all(isinstance(part, gast.Subscript) for part in parts)
    return reads and spelled(parts[0]) == spelled(parts[1])


def _name(statement: Any) -> str:
    """Return the name that a plain assignment binds, or an empty string."""
    target = statement.targets[0] if isinstance(statement, gast.Assign) else None
    return getattr(target, "id", "")


def _without(block: list[Any], gone: set[int]) -> list[Any]:
    for statement in block:
        for part in blocks_of(statement):
            part[:] = _without(part, gone)
    return [item for item in block if id(item) not in gone]
