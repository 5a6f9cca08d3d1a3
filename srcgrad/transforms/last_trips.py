"""Leaves the trip that ends a loop out of the backward pass where there is nothing to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.marks import CLOSING, LEAVES
from srcgrad.transforms.sweep import Pair


def leave_out_last_trips(pairs: Sequence[Pair]) -> list[Pair]:
    """Take what decides on the way out of loops out of their mirrors; return the pairs left.

    A trip that ends its loop is then not recorded, and the others need not say that they did not.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> loop, mirror = parse('''
    ... for i in range(n):
    ...     if x[i] > a:
    ...         break
    ...     else:
    ...         y = x[i] * y
    ... for _ in None:
    ...     if x[i] > a:
    ...         pass
    ...     else:
    ...         grad_y = x[i] * grad_y
    ... ''')
    >>> mirror.body[0].body = []
    >>> branches = Pair(loop.body[0], mirror.body[0], "if")
    >>> [pair.kind for pair in leave_out_last_trips([branches, Pair(loop, mirror, "loop")])]
    ['loop']
    >>> print(text([loop, mirror]))
    for i in range(n):
        if x[i] > a:
            break
        y = x[i] * y
    for _ in None:
        grad_y = x[i] * grad_y
    """
    mates = {id(pair.adjoint): pair.primal for pair in pairs if pair.kind == "if"}
    gone: set[int] = set()
    for pair in pairs:
        closing: list[Any] = []
        while pair.kind == "loop" and _ends_first(pair, mates):
            closing += _taken_out(pair.primal.body)
            branch = pair.primal.body[-1]
            (mirror,) = pair.adjoint.body
            gone.add(id(mirror))
            LEAVES.put(branch, True)
            branch.body[-1:-1] = map(_again, closing)
            pair.primal.body.extend(branch.orelse)
            branch.orelse = []
            pair.adjoint.body = mirror.orelse
        pair.primal.body.extend(closing)
    return [pair for pair in pairs if id(pair.adjoint) not in gone]


def _taken_out(block: list[Any]) -> list[Any]:
    """Take the copies that close a trip from where they stand before it is left or goes on."""
    found = [item for item in block if CLOSING.of(item)]
    block[:] = [item for item in block if not CLOSING.of(item)]
    return found


def _again(copy: Any) -> Any:
    twin = clone(copy)
    CLOSING.put(twin, True)
    return twin


def _ends_first(pair: Pair, mates: dict[int, Any]) -> bool:
    """Say whether a branch that ends the loop, or all the rest, is all that a trip decides on."""
    if len(pair.adjoint.body) != 1 or not pair.primal.body:
        return False
    mirror: Any = pair.adjoint.body[0]
    branch: Any = pair.primal.body[-1]
    if branch is not mates.get(id(mirror)) or mirror.body or not mirror.orelse:
        return False
    ends = branch.body[-1:] if isinstance(branch, gast.If) else []
    return any(isinstance(item, gast.Break) for item in ends)
