"""Writes additions that count repeated places as often as they are named as ``np.add.at``."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, index_value
from srcgrad.ir.marks import REPEATS
from srcgrad.ir.walk import blocks_of


def spell_repeats(block: list[Any]) -> set[str]:
    """Replace the marked updates of a block in place; return how any were spelled.

    A mark says "ufunc" for NumPy's function, which takes arrays alone, or "add_at" for that of the
    runtime, which also adds to the entries of lists and dicts.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("a[i] += v; b[j] -= w")
    >>> body[0].repeats, body[1].repeats = "ufunc", "add_at"
    >>> sorted(spell_repeats(body))
    ['add_at', 'ufunc']
    >>> print(text(body))
    np.add.at(a, i, v)
    add_at(b, j, -w)
    """
    found: set[str] = set()
    for position, statement in enumerate(block):
        for part in blocks_of(statement):
            found |= spell_repeats(part)
        spelling = REPEATS.of(statement)
        if spelling:
            found.add(spelling)
            target, value = statement.target, statement.value
            adds = isinstance(statement.op, gast.Add)
            name = "np.add.at" if adds else "np.subtract.at"
            if spelling == "add_at":
                name, value = "add_at", value if adds else gast.UnaryOp(gast.USub(), value)
            added = call(name, clone(target.value), index_value(target.slice), value)
            block[position] = at(gast.Expr(added), statement)
    return found
