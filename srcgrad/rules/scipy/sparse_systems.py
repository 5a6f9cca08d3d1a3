"""Rules of sparse systems: in the right-hand side."""

from __future__ import annotations

from typing import Any

from scipy.sparse import linalg

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.solvers import cg_solved, spsolve_back

table = RuleTable("sparse_systems")


@table.rule(linalg.spsolve)
class Spsolve(Function):
    """The solution of a sparse system whose matrix is held fixed."""

    linear = ("b",)

    @staticmethod
    def forward(ctx: Context, A: Any, b: Any) -> Any:
        ctx.A = A
        return linalg.spsolve(A, b)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, spsolve_back(grad, ctx.A)


@table.rule(linalg.cg)
class ConjugateGradients(Function):
    """The solution of a symmetric system whose matrix is held fixed, and whether it was found."""

    @staticmethod
    def forward(
        ctx: Context,
        A: Any,
        b: Any,
        x0: Any = None,
        *,
        rtol: Any = 1e-5,
        atol: Any = 0.0,
        maxiter: Any = None,
        M: Any = None,
        callback: Any = None,
    ) -> Any:
        result = linalg.cg(A, b, x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback)
        ctx.A = A
        ctx.options = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "M": M}
        return result

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_info: Any) -> Any:
        return None, cg_solved(ctx.A, grad, ctx.options)

    @staticmethod
    def jvp(
        ctx: Context,
        A: Any,
        b_dot: Any,
        x0: Any,
        rtol: Any,
        atol: Any,
        maxiter: Any,
        M: Any,
        callback: Any,
    ) -> Any:
        return cg_solved(ctx.A, b_dot, ctx.options), 0


@table.rule(cg_solved)
class CgSolved(Function):
    """The solution alone, which is linear in the right-hand side."""

    linear = ("b",)

    @staticmethod
    def forward(ctx: Context, A: Any, b: Any, options: Any) -> Any:
        ctx.A = A
        ctx.options = options
        return cg_solved(A, b, options)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, cg_solved(ctx.A, grad, ctx.options)


vars(cg_solved)["__srcgrad_rule__"] = CgSolved
RULES = table.freeze()
