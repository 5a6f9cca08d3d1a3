"""Rules of factorisations of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    apart,
    apart_back,
    cholesky_back,
    cholesky_push,
    eig_back,
    eig_push,
    eigh_back,
    eigh_push,
    eigvals_back,
    eigvalsh_back,
    eigvalsh_push,
    given,
    once,
    once_back,
    qr_back,
    qr_push,
    qr_r_back,
    qr_r_push,
    svd_back,
    svd_push,
    svdvals_back,
    svdvals_push,
)

table = RuleTable("decompositions")


@table.rule(np.linalg.cholesky)
class Cholesky(Function):
    """y @ y.T = a, of which only one triangle is read, so that only this one has a gradient."""

    @staticmethod
    def forward(ctx: Context, a: Any, /, *, upper: bool = False) -> Any:
        y = np.linalg.cholesky(a, **given(upper=upper or None))
        ctx.upper = upper
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return cholesky_back(grad, y, ctx.upper)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (y,) = ctx.saved_tensors
        return cholesky_push(a_dot, y, ctx.upper)


@table.rule(np.linalg.eigh)
class Eigh(Function):
    """Eigenvalues and eigenvectors of a symmetric a, of which only one triangle is read."""

    tells_unused = True
    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any, UPLO: str = "L") -> Any:
        result = np.linalg.eigh(a, UPLO)
        ctx.uplo = UPLO
        ctx.save_for_backward(result[0], result[1])
        return result

    @staticmethod
    def backward(ctx: Context, grad_w: Any, grad_v: Any) -> Any:
        w, v = ctx.saved_tensors
        return eigh_back(grad_w, grad_v, w, v, ctx.uplo)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        w, v = ctx.saved_tensors
        return eigh_push(a_dot, w, v, ctx.uplo)


@table.rule(apart)
class Apart(Function):
    """The eigenvectors themselves, of which equal eigenvalues leave the derivative open."""

    inert = ("values",)
    pushes = True

    @staticmethod
    def forward(ctx: Context, vectors: Any, values: Any) -> Any:
        ctx.save_for_backward(values)
        return apart(vectors, values)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (values,) = ctx.saved_tensors
        return apart_back(grad, values)

    @staticmethod
    def jvp(ctx: Context, vectors_dot: Any, *others: Any) -> Any:
        return vectors_dot  # which knows of equal values itself


@table.rule(once)
class Once(Function):
    """Limits at equal values, of which nothing is known beside."""

    inert = ("tied",)
    pushes = True

    @staticmethod
    def forward(ctx: Context, limit: Any, tied: Any) -> Any:
        ctx.tied = tied
        return once(limit, tied)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return once_back(grad, ctx.tied)

    @staticmethod
    def jvp(ctx: Context, limit_dot: Any, *others: Any) -> Any:
        return once_back(limit_dot, ctx.tied)


@table.rule(np.linalg.eigvalsh)
class Eigvalsh(Function):
    """Eigenvalues of a symmetric a, of which only one triangle is read."""

    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any, UPLO: str = "L") -> Any:
        ctx.uplo = UPLO
        ctx.save_for_backward(a)
        return np.linalg.eigvalsh(a, UPLO)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return eigvalsh_back(grad, a, ctx.uplo)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        return eigvalsh_push(a_dot, a, ctx.uplo)


@table.rule(np.linalg.eig)
class Eig(Function):
    """Eigenvalues of a, and eigenvectors of length one."""

    tells_unused = True
    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any) -> Any:
        result = np.linalg.eig(a)
        ctx.save_for_backward(result[0], result[1])
        return result

    @staticmethod
    def backward(ctx: Context, grad_w: Any, grad_v: Any) -> Any:
        w, v = ctx.saved_tensors
        return eig_back(grad_w, grad_v, w, v)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any) -> Any:
        w, v = ctx.saved_tensors
        return eig_push(a_dot, w, v)


@table.rule(np.linalg.eigvals)
class Eigvals(Function):
    """Eigenvalues of a."""

    pushes = True

    @staticmethod
    def forward(ctx: Context, a: Any) -> Any:
        ctx.save_for_backward(a)
        return np.linalg.eigvals(a)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return eigvals_back(grad, a)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any) -> Any:
        (a,) = ctx.saved_tensors
        w, v = np.linalg.eig(a)
        return eig_push(a_dot, w, v)[0]


@table.rule(np.linalg.svd)
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
        hermitian: bool = False,
    ) -> Any:
        result = np.linalg.svd(a, full_matrices, compute_uv, hermitian)
        ctx.compute_uv = compute_uv
        if compute_uv:
            ctx.save_for_backward(result[0], result[1], result[2])
        else:
            ctx.save_for_backward(a)
        return result

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


@table.rule(np.linalg.svdvals)
class Svdvals(Function):
    """Singular values of x."""

    pushes = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return np.linalg.svdvals(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return svdvals_back(grad, x)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return svdvals_push(x_dot, x)


@table.rule(np.linalg.qr)
class Qr(Function):
    """q @ r = a, with orthonormal columns of q and an upper triangle r."""

    returns_one = ("mode", "r")

    @staticmethod
    def forward(ctx: Context, a: Any, mode: str = "reduced") -> Any:
        result = np.linalg.qr(a, mode)
        ctx.mode = mode
        if mode == "r":
            ctx.save_for_backward(a)
        else:
            ctx.save_for_backward(a, result[0], result[1])
        return result

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if ctx.mode == "r":
            (a,) = ctx.saved_tensors
            grad_a = qr_r_back(grads[0], a)
        else:
            a, q, r = ctx.saved_tensors
            grad_a = qr_back(grads, a, q, r, ctx.mode)
        return grad_a

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        if ctx.mode == "r":
            (a,) = ctx.saved_tensors
            tangent = qr_r_push(a_dot, a)
        else:
            a, q, r = ctx.saved_tensors
            tangent = qr_push(a_dot, q, r, ctx.mode)
        return tangent


RULES = table.freeze()
