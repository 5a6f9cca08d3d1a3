"""Rules of solutions, inverses and norms in ``scipy.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    adjoint,
    conj,
    det_back,
    divide_or_zero,
    lstsq_back,
    lstsq_push,
    norm_back,
    pinv_back,
    pinv_push,
    real_part,
    shortcut,
    solve_back,
    solve_push,
)
from srcgrad.runtime.scipy.linalg import (
    cho_solve_back,
    linear_solve_back,
    lu_solve_back,
    solve_triangular_back,
)
from srcgrad.runtime.scipy.linalg_tangents import (
    cho_solve_push,
    linear_solve_push,
    lu_solve_push,
    solve_banded_push,
    solve_triangular_push,
)
from srcgrad.runtime.scipy.structured import solve_banded_back

table = RuleTable("linear_systems")


@table.rule(linalg.inv)
class Inv(Function):
    """y = the inverse of a."""

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.inv(a, check_finite=check_finite)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return -adjoint(y) @ grad @ adjoint(y)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (y,) = ctx.saved_tensors
        return -y @ a_dot @ y


@table.rule(linalg.det)
class Det(Function):
    """y = the determinant of a; the gradient is that of its cofactors."""

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.det(a, check_finite=check_finite)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return det_back(grad, a, y)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        return np.sum(conj(det_back(np.ones_like(y), a, y)) * a_dot, axis=(-2, -1))


@table.rule(linalg.pinv)
class Pinv(Function):
    """y = the pseudo-inverse of a, whose rank is held fixed."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, *, atol: Any = None, rtol: Any = None, check_finite: bool = True
    ) -> Any:
        y = linalg.pinv(a, atol=atol, rtol=rtol, check_finite=check_finite)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return pinv_back(grad, a, y)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        return pinv_push(a_dot, a, y)


@table.rule(linalg.solve)
class Solve(Function):
    """y = inv(a) @ b; of a structured matrix only what is read has a gradient."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        b: Any,
        lower: bool = False,
        *,
        check_finite: bool = True,
        assume_a: Any = None,
        transposed: bool = False,
    ) -> Any:
        y = linalg.solve(
            a, b, lower, check_finite=check_finite, assume_a=assume_a, transposed=transposed
        )
        ctx.lower = lower
        ctx.assume_a = assume_a
        ctx.transposed = transposed
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, y = ctx.saved_tensors
        if shortcut(ctx.assume_a is None and not ctx.transposed):
            grad_a, grad_b = solve_back(grad, a, b, y)
        else:
            grad_a, grad_b = linear_solve_back(
                grad, (a, b, y), ctx.lower, ctx.assume_a, ctx.transposed
            )
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        a, b, y = ctx.saved_tensors
        if shortcut(ctx.assume_a is None and not ctx.transposed):
            y_dot = solve_push(a, a_dot, b, b_dot, y)
        else:
            y_dot = linear_solve_push(
                (a_dot, b_dot), (a, b, y), ctx.lower, ctx.assume_a, ctx.transposed
            )
        return y_dot


@table.rule(linalg.solve_triangular)
class SolveTriangular(Function):
    """y = inv(a) @ b, of one triangle of a."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        b: Any,
        trans: Any = 0,
        lower: bool = False,
        unit_diagonal: bool = False,
        *,
        check_finite: bool = True,
    ) -> Any:
        y = linalg.solve_triangular(a, b, trans, lower, unit_diagonal, check_finite=check_finite)
        ctx.trans = trans
        ctx.lower = lower
        ctx.unit_diagonal = unit_diagonal
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, y = ctx.saved_tensors
        grad_a, grad_b = solve_triangular_back(
            grad, (a, b, y), ctx.trans, ctx.lower, ctx.unit_diagonal
        )
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        a, b, y = ctx.saved_tensors
        options = ctx.trans, ctx.lower, ctx.unit_diagonal
        return solve_triangular_push((a_dot, b_dot), (a, b, y), options)


@table.rule(linalg.cho_solve)
class ChoSolve(Function):
    """y = inv(a) @ b, given a Cholesky factor of a."""

    @staticmethod
    def forward(ctx: Context, c_and_lower: Any, b: Any, *, check_finite: bool = True) -> Any:
        y = linalg.cho_solve(c_and_lower, b, check_finite=check_finite)
        ctx.lower = c_and_lower[1]
        ctx.save_for_backward(c_and_lower[0], b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        c, b, y = ctx.saved_tensors
        grad_c, grad_b = cho_solve_back(grad, c, ctx.lower, b, y)
        return (grad_c, 0.0), grad_b

    @staticmethod
    def jvp(ctx: Context, c_dot: Any, b_dot: Any, *options: Any) -> Any:
        c, b, y = ctx.saved_tensors
        return cho_solve_push((c_dot, b_dot), c, ctx.lower, b, y)


@table.rule(linalg.lu_solve)
class LuSolve(Function):
    """y = inv(a) @ b, given the LU factors of a."""

    @staticmethod
    def forward(
        ctx: Context, lu_and_piv: Any, b: Any, trans: int = 0, *, check_finite: bool = True
    ) -> Any:
        y = linalg.lu_solve(lu_and_piv, b, trans, check_finite=check_finite)
        ctx.piv = lu_and_piv[1]
        ctx.trans = trans
        ctx.save_for_backward(lu_and_piv[0], b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        lu, b, y = ctx.saved_tensors
        grad_lu, grad_b = lu_solve_back(grad, lu, ctx.piv, (b, y), ctx.trans)
        return (grad_lu, 0.0), grad_b

    @staticmethod
    def jvp(ctx: Context, lu_dot: Any, b_dot: Any, *options: Any) -> Any:
        lu, b, y = ctx.saved_tensors
        return lu_solve_push((lu_dot, b_dot), lu, ctx.piv, (b, y), ctx.trans)


@table.rule(linalg.solve_banded)
class SolveBanded(Function):
    """y = inv(a) @ b, given the bands of a."""

    @staticmethod
    def forward(ctx: Context, l_and_u: Any, ab: Any, b: Any, *, check_finite: bool = True) -> Any:
        y = linalg.solve_banded(l_and_u, ab, b, check_finite=check_finite)
        ctx.l_and_u = l_and_u
        ctx.save_for_backward(ab, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        ab, b, y = ctx.saved_tensors
        grad_ab, grad_b = solve_banded_back(grad, ctx.l_and_u, (ab, b, y))
        return None, grad_ab, grad_b

    @staticmethod
    def jvp(ctx: Context, _: Any, ab_dot: Any, b_dot: Any, *options: Any) -> Any:
        ab, b, y = ctx.saved_tensors
        return solve_banded_push((ab_dot, b_dot), ctx.l_and_u, (ab, b, y))


@table.rule(linalg.lstsq)
class Lstsq(Function):
    """The x with the least norm of b - a @ x; residuals, rank, singular values."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, b: Any, cond: Any = None, *, check_finite: bool = True
    ) -> Any:
        y = linalg.lstsq(a, b, cond, check_finite=check_finite)
        ctx.save_for_backward(a, b, y[0])
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_residuals: Any, grad_rank: Any, grad_s: Any) -> Any:
        a, b, x = ctx.saved_tensors
        grad_a, grad_b = lstsq_back(grad, grad_residuals, grad_s, (a, b, x))
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        a, b, x = ctx.saved_tensors
        return lstsq_push((a_dot, b_dot), (a, b, x))


@table.rule(linalg.norm)
class Norm(Function):
    """y = the norm of a of any order, of vectors or matrices; flat at 0."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        ord: Any = None,
        axis: Any = None,
        keepdims: bool = False,
        check_finite: bool = True,
    ) -> Any:
        y = linalg.norm(a, ord, axis, keepdims, check_finite)
        ctx.ord = ord
        ctx.axis = axis
        ctx.keepdims = keepdims
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        if shortcut(ctx.ord is None and ctx.axis is None and not ctx.keepdims):
            grad_a = a * divide_or_zero(real_part(grad), y)
        else:
            grad_a = norm_back(grad, a, y, ctx.ord, ctx.axis, ctx.keepdims)
        return grad_a


RULES = table.freeze()
