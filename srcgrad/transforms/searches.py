"""Finds loops that search: only the trip that ends such a loop is run backwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of


def ending_branch(loop: Any, mirror: Any, mates: Mapping[int, Any]) -> Any:
    """Return the branch of a loop that holds all that is run backwards, if that ends the loop.

    `mates` maps the identity of a branch or loop to the one that mirrors it.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> loop, mirror = parse('''
    ... for i in range(n):
    ...     if x[i] > a:
    ...         y = x[i] ** 2
    ...         break
    ... for _ in None:
    ...     if x[i] > a:
    ...         grad_x[i] += 2 * x[i]
    ... ''')
    >>> print(text([ending_branch(loop, mirror, {id(loop.body[0]): mirror.body[0]})]))
    if x[i] > a:
        y = x[i] ** 2
        break
    """
    if not isinstance(loop, gast.For) or loop.orelse or len(mirror.body) != 1:
        return None
    adjoint = mirror.body[0]
    found = next((item for item in loop.body if mates.get(id(item)) is adjoint), None)
    if not isinstance(found, gast.If):
        return None
    sides = zip(blocks_of(found), blocks_of(adjoint), strict=True)
    ends = all(_ends(primal) for primal, side in sides if side)
    return found if ends else None


def take_end(block: list[Any]) -> list[Any]:
    """Take the `break` off the end of a block, and return it alone."""
    return [block.pop()] if _ends(block) else []


def _ends(block: list[Any]) -> bool:
    return bool(block) and isinstance(block[-1], gast.Break)
