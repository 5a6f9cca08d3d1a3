"""Rules of sparse systems whose matrix is held fixed, and of those that are solved by iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import linalg

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj
from srcgrad.runtime.scipy.krylov import adjoint_of, krylov_solution, krylov_solved
from srcgrad.runtime.scipy.solvers import spsolve_back
from srcgrad.runtime.scipy.sparse import entries_of_outer, sparse_product

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


@table.rule(linalg.spsolve_triangular)
class SpsolveTriangular(Function):
    """The solution of a sparse triangular system whose matrix is held fixed."""

    linear = ("b",)

    @staticmethod
    def forward(
        ctx: Context, A: Any, b: Any, lower: bool = True, *, unit_diagonal: bool = False
    ) -> Any:
        ctx.A = A
        ctx.lower = lower
        ctx.unit_diagonal = unit_diagonal
        return linalg.spsolve_triangular(A, b, lower, unit_diagonal=unit_diagonal)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, linalg.spsolve_triangular(
            ctx.A.conj().T.tocsr(), grad, not ctx.lower, unit_diagonal=ctx.unit_diagonal
        )


@table.rule(linalg.expm_multiply)
class ExpmMultiply(Function):
    """The exponential of a matrix, which is held fixed, times what is given."""

    linear = ("B",)

    @staticmethod
    def forward(ctx: Context, A: Any, B: Any) -> Any:
        ctx.A = A
        return linalg.expm_multiply(A, B)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, linalg.expm_multiply(adjoint_of(ctx.A), grad)


class KrylovSolved(Function):
    """The solution of a system, found by iteration; the matrix is an array, or held fixed."""

    @staticmethod
    def forward(ctx: Context, A: Any, b: Any, method: Any) -> Any:
        x = krylov_solved(A, b, method)
        ctx.method = method
        ctx.shape = np.shape(b)
        ctx.save_for_backward(A, x)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        A, x = ctx.saved_tensors
        turned = krylov_solved(adjoint_of(A), grad, ctx.method.adjoint)
        grad_A, grad_b = None, None
        if ctx.needs_input_grad[0]:
            grad_A = -np.outer(turned, conj(x))
        if ctx.needs_input_grad[1]:
            grad_b = np.reshape(turned, ctx.shape)
        return grad_A, grad_b

    @staticmethod
    def jvp(ctx: Context, A_dot: Any, b_dot: Any, method: Any) -> Any:
        A, x = ctx.saved_tensors
        rest = 0 * x if b_dot is None else np.reshape(b_dot, np.shape(x))
        if A_dot is not None:
            rest = rest - A_dot @ x
        return krylov_solved(A, rest, ctx.method.adjoint.adjoint)


class KrylovSolution(Function):
    """The solution of a sparse system, found by iteration."""

    @staticmethod
    def forward(ctx: Context, entries: Any, places: Any, b: Any, method: Any) -> Any:
        x = krylov_solution(entries, places, b, method)
        ctx.places = places
        ctx.method = method
        ctx.shape = np.shape(b)
        ctx.save_for_backward(entries, x)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        entries, x = ctx.saved_tensors
        turned = krylov_solution(conj(entries), ctx.places.T, grad, ctx.method.adjoint)
        grad_entries, grad_b = None, None
        if ctx.needs_input_grad[0]:
            grad_entries = -entries_of_outer(turned, conj(x), ctx.places)
        if ctx.needs_input_grad[2]:
            grad_b = np.reshape(turned, ctx.shape)
        return grad_entries, None, grad_b

    @staticmethod
    def jvp(ctx: Context, entries_dot: Any, places: Any, b_dot: Any, method: Any) -> Any:
        entries, x = ctx.saved_tensors
        rest = 0 * x if b_dot is None else np.reshape(b_dot, np.shape(x))
        if entries_dot is not None:
            rest = rest - sparse_product(entries_dot, ctx.places, x)
        return krylov_solution(entries, ctx.places, rest, ctx.method.adjoint.adjoint)


class AdjointOf(Function):
    """The conjugate transpose."""

    linear = ("matrix",)

    @staticmethod
    def forward(ctx: Context, matrix: Any) -> Any:
        return adjoint_of(matrix)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return adjoint_of(grad)


for _function, _rule in (
    (krylov_solved, KrylovSolved),
    (krylov_solution, KrylovSolution),
    (adjoint_of, AdjointOf),
):
    vars(_function)["__srcgrad_rule__"] = _rule
RULES = table.freeze()
