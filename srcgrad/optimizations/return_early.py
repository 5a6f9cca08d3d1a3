"""Returns a result in the branch that computes it, where nothing is left to do after it."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, name_adjoint
from srcgrad.ir.lines import take_lines
from srcgrad.ir.marks import IS_PRIMAL


def return_early(body: list[Any]) -> list[Any]:
    """Return `body` with the `return` at its end put into the branches that bind what it returns.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... if n == 0:
    ...     grad_x = 0.0
    ... elif n > 1:
    ...     m = n - 1
    ...     grad_x = m * x
    ... else:
    ...     grad_x = n
    ... return grad_x
    ... ''')
    >>> print(text(return_early(body)))
    if n == 0:
        return 0.0
    if n > 1:
        m = n - 1
        return m * x
    return n
    """
    if len(body) < 2 or not isinstance(body[-1], gast.Return):
        return body
    branch, name = body[-2], getattr(body[-1].value, "id", "")
    if not isinstance(branch, gast.If) or not _binds_last([branch], name):
        return body
    return [*body[:-2], *_returning([branch], name)]


def _binds_last(block: list[Any], name: str) -> bool:
    """Say whether the last thing that a block does, on every path, is to bind a name."""
    last = block[-1] if block else None
    if isinstance(last, gast.If):
        return _binds_last(last.body, name) and _binds_last(last.orelse, name)
    if not isinstance(last, gast.Assign) or len(last.targets) != 1:
        return False
    return bool(name) and getattr(last.targets[0], "id", "") == name


def _returning(block: list[Any], name: str) -> list[Any]:
    """Return a block that returns what it would bind to a name."""
    *first, last = block
    if isinstance(last, gast.If):
        last.body = _returning(last.body, name)
        rest, last.orelse = last.orelse, []
        return [*first, last, *_returning(rest, name)]
    name_adjoint(last.value, name)
    result = at(gast.Return(last.value), last)
    take_lines(result, last)
    IS_PRIMAL.put(result, IS_PRIMAL.of(last))
    return [*first, result]
