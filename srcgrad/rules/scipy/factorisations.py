"""Rules of factorisations in ``scipy.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    cholesky_back,
    cholesky_push,
    eig_back,
    eig_push,
    eigh_push,
    eigvals_back,
    general_eigh_push,
    svd_back,
    svd_push,
    svdvals_back,
    svdvals_push,
    tridiagonal,
)
from srcgrad.runtime.scipy.linalg import (
    cho_factor_back,
    eigh_tridiagonal_back,
    general_eigh_back,
    general_eigvalsh_back,
    lu_back,
    lu_factor_back,
    polar_back,
    scipy_qr_back,
)
from srcgrad.runtime.scipy.linalg_tangents import (
    cho_factor_push,
    lu_factor_push,
    lu_push,
    polar_push,
    scipy_qr_push,
)

table = RuleTable("factorisations")


@table.rule(linalg.cholesky)
class Cholesky(Function):
    """A triangle y with y.T @ y = a, of which only one triangle is read."""

    @staticmethod
    def forward(ctx: Context, a: Any, lower: bool = False, *, check_finite: bool = True) -> Any:
        y = linalg.cholesky(a, lower, check_finite=check_finite)
        ctx.lower = lower
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return cholesky_back(grad, y, not ctx.lower)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (y,) = ctx.saved_tensors
        return cholesky_push(a_dot, y, not ctx.lower)


@table.rule(linalg.cho_factor)
class ChoFactor(Function):
    """A Cholesky factor, before SciPy 1.18 with what stood in the other triangle of a."""

    @staticmethod
    def forward(ctx: Context, a: Any, lower: bool = False, *, check_finite: bool = True) -> Any:
        y = linalg.cho_factor(a, lower, check_finite=check_finite)
        ctx.lower = lower
        ctx.save_for_backward(y[0])
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_lower: Any) -> Any:
        (c,) = ctx.saved_tensors
        return cho_factor_back(grad, c, ctx.lower)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (c,) = ctx.saved_tensors
        return cho_factor_push(a_dot, c, ctx.lower)


@table.rule(linalg.lu_factor)
class LuFactor(Function):
    """Both triangles of a = p @ l @ u in one matrix, and the swaps of rows."""

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.lu_factor(a, check_finite=check_finite)
        ctx.piv = y[1]
        ctx.save_for_backward(y[0])
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_piv: Any) -> Any:
        (lu,) = ctx.saved_tensors
        return lu_factor_back(grad, lu, ctx.piv)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (lu,) = ctx.saved_tensors
        return lu_factor_push(a_dot, lu, ctx.piv)


@table.rule(linalg.lu)
class Lu(Function):
    """p @ l @ u = a, with the order of rows in p."""

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.lu(a, check_finite=check_finite)
        ctx.p = y[0]
        ctx.save_for_backward(y[1], y[2])
        return y

    @staticmethod
    def backward(ctx: Context, grad_p: Any, grad_low: Any, grad_up: Any) -> Any:
        low, up = ctx.saved_tensors
        return lu_back(grad_low, grad_up, ctx.p, low, up)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        low, up = ctx.saved_tensors
        return lu_push(a_dot, ctx.p, low, up)


@table.rule(linalg.eigh)
class Eigh(Function):
    """Eigenvalues and eigenvectors of a @ v = b @ v * w, of which one triangle is read."""

    tells_unused = True
    pushes = True
    returns_one = ("eigvals_only", True)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        b: Any = None,
        *,
        lower: bool = True,
        eigvals_only: bool = False,
        check_finite: bool = True,
        driver: Any = None,
    ) -> Any:
        y = linalg.eigh(
            a,
            b,
            lower=lower,
            eigvals_only=eigvals_only,
            check_finite=check_finite,
            driver=driver,
        )
        ctx.lower, ctx.eigvals_only = lower, eigvals_only
        if eigvals_only:
            ctx.save_for_backward(a, b)
        else:
            ctx.save_for_backward(b, y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if ctx.eigvals_only:
            a, b = ctx.saved_tensors
            grad_a, grad_b = general_eigvalsh_back(grads[0], a, b, ctx.lower)
        else:
            b, w, v = ctx.saved_tensors
            grad_a, grad_b = general_eigh_back(grads, b, w, v, ctx.lower)
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        if ctx.eigvals_only:
            a, b = ctx.saved_tensors
            w, v = linalg.eigh(a, b, lower=ctx.lower)
            tangent = general_eigh_push(a_dot, b_dot, b, w, v, ctx.lower)[0]
        else:
            b, w, v = ctx.saved_tensors
            tangent = general_eigh_push(a_dot, b_dot, b, w, v, ctx.lower)
        return tangent


@table.rule(linalg.eigvalsh)
class Eigvalsh(Function):
    """Eigenvalues of a @ v = b @ v * w, of which one triangle is read."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        b: Any = None,
        *,
        lower: bool = True,
        check_finite: bool = True,
        driver: Any = None,
    ) -> Any:
        ctx.lower = lower
        ctx.save_for_backward(a, b)
        return linalg.eigvalsh(a, b, lower=lower, check_finite=check_finite, driver=driver)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a, grad_b = general_eigvalsh_back(grad, a, b, ctx.lower)
        return grad_a, grad_b


@table.rule(linalg.eig)
class Eig(Function):
    """Eigenvalues of a, and eigenvectors of length one."""

    tells_unused = True
    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.eig(a, check_finite=check_finite)
        ctx.save_for_backward(y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, grad_w: Any, grad_v: Any) -> Any:
        w, v = ctx.saved_tensors
        return eig_back(grad_w, grad_v, w, v)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        w, v = ctx.saved_tensors
        return eig_push(a_dot, w, v)


@table.rule(linalg.eigvals)
class Eigvals(Function):
    """Eigenvalues of a."""

    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.eigvals(a, check_finite=check_finite)
        ctx.save_for_backward(a)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return eigvals_back(grad, a)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        w, v = np.linalg.eig(a)
        return eig_push(a_dot, w, v)[0]


@table.rule(linalg.eigh_tridiagonal)
class EighTridiagonal(Function):
    """Eigenvalues and eigenvectors, given a diagonal d and what is beside it."""

    tells_unused = True
    pushes = True

    @staticmethod
    def forward(ctx: Context, d: Any, e: Any, *, check_finite: bool = True) -> Any:
        y = linalg.eigh_tridiagonal(d, e, check_finite=check_finite)
        ctx.save_for_backward(y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, grad_w: Any, grad_v: Any) -> Any:
        w, v = ctx.saved_tensors
        grad_d, grad_e = eigh_tridiagonal_back(grad_w, grad_v, w, v)
        return grad_d, grad_e

    @staticmethod
    def jvp(ctx: Context, d_dot: Any, e_dot: Any, *options: Any) -> Any:
        w, v = ctx.saved_tensors
        return eigh_push(tridiagonal(d_dot, e_dot, v), w, v, "L")


@table.rule(linalg.svd)
class Svd(Function):
    """Singular values of a, and singular vectors unless told not to compute them."""

    tells_unused = True
    pushes = True
    returns_one = ("compute_uv", False)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        full_matrices: bool = True,
        compute_uv: bool = True,
        *,
        check_finite: bool = True,
        lapack_driver: str = "gesdd",
    ) -> Any:
        y = linalg.svd(
            a, full_matrices, compute_uv, check_finite=check_finite, lapack_driver=lapack_driver
        )
        ctx.compute_uv = compute_uv
        if compute_uv:
            ctx.save_for_backward(y[0], y[1], y[2])
        else:
            ctx.save_for_backward(a)
        return y

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if ctx.compute_uv:
            u, s, vh = ctx.saved_tensors
            grad_a = svd_back(grads, (u, s, vh))
        else:
            (a,) = ctx.saved_tensors
            grad_a = svdvals_back(grads[0], a)
        return grad_a

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        if ctx.compute_uv:
            u, s, vh = ctx.saved_tensors
            tangent = svd_push(a_dot, u, s, vh)
        else:
            (a,) = ctx.saved_tensors
            tangent = svdvals_push(a_dot, a)
        return tangent


@table.rule(linalg.svdvals)
class Svdvals(Function):
    """Singular values of a."""

    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any, *, check_finite: bool = True) -> Any:
        y = linalg.svdvals(a, check_finite=check_finite)
        ctx.save_for_backward(a)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return svdvals_back(grad, a)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        return svdvals_push(a_dot, a)


@table.rule(linalg.qr)
class Qr(Function):
    """q @ r = a, with orthonormal columns of q and an upper triangle r."""

    @staticmethod
    def forward(ctx: Context, a: Any, *, mode: str = "full", check_finite: bool = True) -> Any:
        y = linalg.qr(a, mode=mode, check_finite=check_finite)
        ctx.mode = mode
        ctx.save_for_backward(a, y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, grad_q: Any, grad_r: Any) -> Any:
        a, q, r = ctx.saved_tensors
        return scipy_qr_back((grad_q, grad_r), a, q, r, ctx.mode)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        _, q, r = ctx.saved_tensors
        return scipy_qr_push(a_dot, q, r, ctx.mode)


@table.rule(linalg.polar)
class Polar(Function):
    """u @ p = a, with orthonormal columns of u and a positive p."""

    @staticmethod
    def forward(ctx: Context, a: Any, side: str = "right") -> Any:
        y = linalg.polar(a, side)
        ctx.side = side
        ctx.save_for_backward(a, y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, grad_u: Any, grad_p: Any) -> Any:
        a, u, p = ctx.saved_tensors
        return polar_back((grad_u, grad_p), a, u, p, ctx.side)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        _, u, p = ctx.saved_tensors
        return polar_push(a_dot, u, p, ctx.side)


RULES = table.freeze()
