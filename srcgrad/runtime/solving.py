"""Adjoints and tangents of solvers that are differentiated by what they solve."""

from __future__ import annotations

from typing import Any


def solution_back(solver: Any, x: Any, args: Any, grad: Any) -> tuple[Any, ...]:
    """Return the adjoint of each argument of an implicit solver, given that of its solution x."""
    return tuple(solver.pulled(x, args, grad))


def solution_push(solver: Any, x: Any, args: Any, tangents: Any) -> Any:
    """Return the tangent of the solution x of an implicit solver, given those of its arguments."""
    return solver.pushed(x, args, tangents)


def differences_back(function: Any, args: Any, grads: Any) -> tuple[Any, ...]:
    """Return the adjoint of each argument of a function, by differences of its values."""
    return tuple(function.pulled(args, grads[0] if len(grads) == 1 else grads))


def differences_push(function: Any, args: Any, tangents: Any) -> Any:
    """Return the tangent of a function's value, by a difference along those of its arguments."""
    return function.pushed(args, tangents)
