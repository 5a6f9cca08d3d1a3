"""Says which statements between nests do no more than to bind a name, so that they may be moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.entries import is_view
from srcgrad.targets.loops.kind import Kind, is_number


def is_movable(statement: Any, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether a statement binds a number, or a part of an array, and does nothing else."""
    is_plain = isinstance(statement, gast.Assign) and len(statement.targets) == 1
    if is_plain and isinstance(statement.targets[0], gast.Name) and is_view(statement.value):
        return True
    return _is_of_numbers(statement, kind_of)


def _is_of_numbers(statement: Any, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether a statement binds a number to a name, and calls nothing but functions of it."""
    if isinstance(statement, gast.Assign):
        target: Any = statement.targets[0]
    elif isinstance(statement, gast.AugAssign):
        target = statement.target
    else:
        return False
    if not isinstance(target, gast.Name) or not is_number(kind_of(target)):
        return False
    return all(_is_pure(node) for node in found_in(statement, gast.Call))


def _is_pure(node: Any) -> bool:
    """Say whether a call is one of a function of NumPy or Python that calculates."""
    function = node.func
    if isinstance(function, gast.Name):
        return function.id in ("len", "float", "int", "abs", "min", "max")
    owner = getattr(getattr(function, "value", None), "id", "")
    return owner == "math" or (owner == "np" and function.attr != "random")
