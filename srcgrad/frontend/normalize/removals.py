"""Writes what takes one entry out of a container, ``del a[i]``, as ``a.pop(i)``.

Lists and dicts, the containers that entries are deleted of, have that method, whose derivative is
known. Of what does not vary nothing is written anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, method
from srcgrad.ir.walk import blocks_of


def without_removals(block: list[Any], varies: Callable[[Any], bool]) -> list[Any]:
    r"""Return a statement list in which `pop` takes entries out of containers that vary.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> from srcgrad.ir.walk import root_name
    >>> body = parse("del a[i], b[0][1]\nif c:\n    del a[1:], d")
    >>> print(text(without_removals(body, lambda owner: root_name(owner) == "a")))
    a.pop(i)
    del b[0][1]
    if c:
        del a[1:]
        del d
    """
    lines = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = without_removals(part, varies)
        if isinstance(statement, gast.Delete):
            lines += [_removed(target, statement, varies) for target in statement.targets]
        else:
            lines.append(statement)
    return lines


def _removed(target: Any, statement: Any, varies: Callable[[Any], bool]) -> Any:
    entry = isinstance(target, gast.Subscript) and not isinstance(target.slice, gast.Slice)
    if not entry or not varies(target.value):
        return at(gast.Delete([target]), statement)
    return at(gast.Expr(method(clone(target.value), "pop", clone(target.slice))), statement)
