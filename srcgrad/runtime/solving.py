"""Adjoints and tangents of solvers that are differentiated by what they solve."""

from __future__ import annotations

from typing import Any


def solution_back(solver: Any, x: Any, args: Any, grad: Any) -> tuple[Any, ...]:
    """Return the adjoint of each argument of an implicit solver, given that of its solution x."""
    return tuple(solver.pulled(x, args, grad))


def solution_push(solver: Any, x: Any, args: Any, tangents: Any) -> Any:
    """Return the tangent of the solution x of an implicit solver, given those of its arguments."""
    return solver.pushed(x, args, tangents)
