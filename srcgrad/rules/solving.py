"""Rules of the derivatives of solvers that are differentiated by what they solve."""

from __future__ import annotations

from typing import Any

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    solution_back,
    solution_back_back,
    solution_back_push,
    solution_push,
    solution_push_back,
    solution_push_push,
)

table = RuleTable("solving")


@table.rule(solution_back)
class SolutionBack(Function):
    """The adjoints of the arguments of a solver, for second derivatives."""

    @staticmethod
    def forward(ctx: Context, solver: Any, x: Any, args: Any, grad: Any) -> Any:
        ctx.solver = solver
        ctx.save_for_backward(x, args, grad)
        return solution_back(solver, x, args, grad)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        x, args, grad = ctx.saved_tensors
        grad_x, grad_args, grad_grad = solution_back_back(ctx.solver, x, args, grad, grads)
        return None, grad_x, grad_args, grad_grad

    @staticmethod
    def jvp(ctx: Context, solver: Any, x_dot: Any, args_dot: Any, grad_dot: Any) -> Any:
        x, args, grad = ctx.saved_tensors
        return solution_back_push(ctx.solver, x, args, grad, (x_dot, args_dot, grad_dot))


@table.rule(solution_push)
class SolutionPush(Function):
    """The tangent of a solution, for second derivatives."""

    @staticmethod
    def forward(ctx: Context, solver: Any, x: Any, args: Any, tangents: Any) -> Any:
        ctx.solver = solver
        ctx.save_for_backward(x, args, tangents)
        return solution_push(solver, x, args, tangents)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, args, tangents = ctx.saved_tensors
        grad_x, grad_args, grad_tangents = solution_push_back(ctx.solver, x, args, tangents, grad)
        return None, grad_x, grad_args, grad_tangents

    @staticmethod
    def jvp(ctx: Context, solver: Any, x_dot: Any, args_dot: Any, tangents_dot: Any) -> Any:
        x, args, tangents = ctx.saved_tensors
        return solution_push_push(ctx.solver, x, args, tangents, (x_dot, args_dot, tangents_dot))


RULES = table.freeze()
