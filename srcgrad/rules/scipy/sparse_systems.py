"""Rules of sparse systems: in the right-hand side."""

from __future__ import annotations

from typing import Any

from scipy.sparse import linalg

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.solvers import spsolve_back

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


RULES = table.freeze()
