"""Writes updates of variables as the user did, where their kind is not to be decided beforehand."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, store
from srcgrad.ir.marks import IN_PLACE, UPDATES_ENTRY
from srcgrad.ir.walk import blocks_of, names_read


def restore_updates(block: list[Any]) -> None:
    """Turn each ``x = x + v`` that stems from ``x += v`` into that again, in place.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse("x = x * v")
    >>> IN_PLACE.put(body[0], True)
    >>> restore_updates(body)
    >>> print(text(body))
    x *= v
    """
    for position, statement in enumerate(block):
        for part in blocks_of(statement):
            restore_updates(part)
        if IN_PLACE.of(statement) and isinstance(statement.value, gast.BinOp):
            value, name = statement.value, statement.targets[0].id
            block[position] = at(gast.AugAssign(store(name), value.op, value.right), statement)


def settle_updates(block: list[Any], varied: Collection[str]) -> None:
    """Update the elements of constants in place again, where a name had held what varies before.

    NumPy refuses to multiply integers by fractions in place, and would store the whole part.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... y_i = y[i]
    ... product = y_i * v
    ... y[i] = product
    ... ''')
    >>> UPDATES_ENTRY.put(body[2], True)
    >>> settle_updates(body, {"v"})
    >>> len(body)
    3
    >>> settle_updates(body, {"x"})
    >>> print(text(body))
    y[i] *= v
    """
    for statement in block:
        for part in blocks_of(statement):
            settle_updates(part, varied)
    position = len(block) - 1
    while position >= 2:
        first, position = position - 2, position - 1
        old, new, stored = block[first : first + 3]
        if UPDATES_ENTRY.of(stored) and _is_update(old, new, stored):
            target = stored.targets[0]
            used = {*names_read(target), *names_read(old), *names_read(new)}
            if used.isdisjoint(varied):
                update = gast.AugAssign(clone(target), new.value.op, new.value.right)
                block[first : first + 3] = [at(update, stored)]
                position = first - 1


def _is_update(old: Any, new: Any, stored: Any) -> bool:
    """Say whether three statements read an element, calculate with it, and store the result."""
    if not isinstance(old, gast.Assign) or not isinstance(new, gast.Assign):
        return False
    if not isinstance(new.value, gast.BinOp) or not isinstance(old.value, gast.Subscript):
        return False
    (read,), (made,) = old.targets, new.targets
    names = [getattr(item, "id", None) for item in (read, new.value.left, made, stored.value)]
    return None not in names and names[0] == names[1] and names[2] == names[3]


def as_bindings(block: list[Any]) -> list[Any]:
    """Return a block with each ``x += v`` written as ``x = x + v``, for analyses of values.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> print(text(as_bindings(parse("x += v"))))
    x = x + v
    """
    done: list[Any] = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = as_bindings(part)
        if isinstance(statement, gast.AugAssign) and isinstance(statement.target, gast.Name):
            name = statement.target.id
            left = gast.Name(name, gast.Load(), None, None)
            value = gast.BinOp(left, statement.op, statement.value)
            done.append(at(gast.Assign([store(name)], value, None), statement))
        else:
            done.append(statement)
    return done
