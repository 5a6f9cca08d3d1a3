"""Refuses ``x.tolist()`` where `x` may be anything but a vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.errors import MissingRuleError, UnsupportedError
from srcgrad.frontend.normalize.unwritten import why_not
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.build import load
from srcgrad.ir.program import Program, elements_read

_WHAT, _HINT = why_not("tolist") or ("", "")


def refuse_inner_lists(
    program: Program, rank: Callable[[Any], int | None], refusals: Refusals
) -> None:
    """Refuse a list of elements of what has not surely one axis: it would be a list of lists."""
    for statement, name in elements_read(program):
        if rank(load(name)) != 0:
            refusals.add(statement, _WHAT, _HINT, MissingRuleError)


def asks_for_axes(problem: UnsupportedError) -> bool:
    """Say whether a function was refused for such a list: to know the arguments may help."""
    return any(item.message == _WHAT for item in problem.diagnostics)
