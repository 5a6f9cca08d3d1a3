"""Writes additions that count repeated places as often as they are named as ``np.add.at``."""

from __future__ import annotations

from typing import Any

import gast

from srcgrad.ir.build import at, call, clone
from srcgrad.ir.walk import blocks_of
from srcgrad.transforms.sweep import index_value


def spell_repeats(block: list[Any]) -> bool:
    """Replace the marked updates of a block in place; return whether there were any.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("a[i] += v")
    >>> body[0].repeats = True
    >>> spell_repeats(body)
    True
    >>> print(text(body))
    np.add.at(a, i, v)
    """
    found = False
    for position, statement in enumerate(block):
        for part in blocks_of(statement):
            found |= spell_repeats(part)
        if getattr(statement, "repeats", False):
            found = True
            target = statement.target
            name = "np.add.at" if isinstance(statement.op, gast.Add) else "np.subtract.at"
            array = clone(target.value)
            added = call(name, array, index_value(target.slice), statement.value)
            block[position] = at(gast.Expr(added), statement)
    return found
