"""Adjoints and tangents of solvers that are differentiated by what they solve."""

from __future__ import annotations

from typing import Any


def solution_back(solver: Any, x: Any, args: Any, grad: Any) -> tuple[Any, ...]:
    """Return the adjoint of each argument of an implicit solver, given that of its solution x."""
    return tuple(solver.pulled(x, args, grad))


def solution_push(solver: Any, x: Any, args: Any, tangents: Any) -> Any:
    """Return the tangent of the solution x of an implicit solver, given those of its arguments."""
    return solver.pushed(x, args, tangents)


def solution_back_back(
    solver: Any, x: Any, args: Any, grad: Any, grads: Any
) -> tuple[Any, tuple[Any, ...], Any]:
    """Return the adjoints of `x`, `args` and `grad` of `solution_back`, from its results'."""
    found: tuple[Any, tuple[Any, ...], Any] = solver.pulled_back((x, args, grad), grads)
    return found


def solution_back_push(solver: Any, x: Any, args: Any, grad: Any, moves: Any) -> tuple[Any, ...]:
    """Return the tangents of the results of `solution_back`, given those of x, args and grad."""
    return tuple(solver.pulled_push((x, args, grad), moves))


def solution_push_back(
    solver: Any, x: Any, args: Any, tangents: Any, grad: Any
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Return the adjoints of `x`, `args` and `tangents` of `solution_push`, from its result's."""
    found: tuple[Any, tuple[Any, ...], tuple[Any, ...]]
    found = solver.pushed_back((x, args, tangents), grad)
    return found


def solution_push_push(solver: Any, x: Any, args: Any, tangents: Any, moves: Any) -> Any:
    """Return the tangent of `solution_push`, given those of x, args and tangents."""
    return solver.pushed_push((x, args, tangents), moves)


def differences_back(function: Any, args: Any, grads: Any) -> tuple[Any, ...]:
    """Return the adjoint of each argument of a function, by differences of its values."""
    return tuple(function.pulled(args, grads[0] if len(grads) == 1 else grads))


def differences_push(function: Any, args: Any, tangents: Any) -> Any:
    """Return the tangent of a function's value, by a difference along those of its arguments."""
    return function.pushed(args, tangents)
