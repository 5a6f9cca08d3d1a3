"""Rules of functions of matrices, their equations, and matrices of a structure."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import adjoint, conj, rightly_solved, rightly_stepped
from srcgrad.runtime.scipy.linalg import (
    frechet,
    frechet_again,
    frechet_push,
    log_of_adjoint_block,
    log_of_block,
    power_back,
)
from srcgrad.runtime.scipy.linalg_tangents import (
    continuous_are_push,
    continuous_lyapunov_push,
    discrete_are_push,
    discrete_lyapunov_push,
    solve_sylvester_push,
)
from srcgrad.runtime.scipy.structured import (
    block_diag_back,
    circulant_back,
    continuous_are_back,
    discrete_are_back,
    hankel_back,
    join_block_diag,
    toeplitz_back,
)

table = RuleTable("matrix_functions")


@table.rule(linalg.expm)
class Expm(Function):
    """The exponential of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        y = linalg.expm(A)
        ctx.save_for_backward(A)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.expm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.expm, A, A_dot)


@table.rule(linalg.logm)
class Logm(Function):
    """The principal logarithm of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.logm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(log_of_adjoint_block, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(log_of_block, A, A_dot)


@table.rule(linalg.sinm)
class Sinm(Function):
    """The sin of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.sinm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.sinm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.sinm, A, A_dot)


@table.rule(linalg.cosm)
class Cosm(Function):
    """The cos of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.cosm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.cosm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.cosm, A, A_dot)


@table.rule(linalg.tanm)
class Tanm(Function):
    """The tan of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.tanm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.tanm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.tanm, A, A_dot)


@table.rule(linalg.sinhm)
class Sinhm(Function):
    """The sinh of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.sinhm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.sinhm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.sinhm, A, A_dot)


@table.rule(linalg.coshm)
class Coshm(Function):
    """The cosh of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.coshm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.coshm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.coshm, A, A_dot)


@table.rule(linalg.tanhm)
class Tanhm(Function):
    """The tanh of a matrix."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        ctx.save_for_backward(A)
        return linalg.tanhm(A)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.tanhm, adjoint(A), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (A,) = ctx.saved_tensors
        return frechet(linalg.tanhm, A, A_dot)


@table.rule(linalg.sqrtm)
class Sqrtm(Function):
    """y @ y = A."""

    @staticmethod
    def forward(ctx: Context, A: Any) -> Any:
        y = linalg.sqrtm(A)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return linalg.solve_sylvester(adjoint(y), adjoint(y), grad)

    @staticmethod
    def jvp(ctx: Context, A_dot: Any) -> Any:
        (y,) = ctx.saved_tensors
        return linalg.solve_sylvester(y, y, A_dot)


@table.rule(linalg.fractional_matrix_power)
class FractionalMatrixPower(Function):
    """The power t of a matrix; t is held fixed."""

    @staticmethod
    def forward(ctx: Context, A: Any, t: Any) -> Any:
        ctx.t = t
        ctx.save_for_backward(A)
        return linalg.fractional_matrix_power(A, t)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (A,) = ctx.saved_tensors
        return power_back(grad, A, ctx.t), None


@table.rule(linalg.solve_sylvester)
class SolveSylvester(Function):
    """a @ y + y @ b = q."""

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, q: Any) -> Any:
        y = linalg.solve_sylvester(a, b, q)
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, y = ctx.saved_tensors
        y = rightly_solved(y, a, b)
        grad_q = linalg.solve_sylvester(adjoint(a), adjoint(b), grad)
        return -grad_q @ adjoint(y), -adjoint(y) @ grad_q, grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, q_dot: Any) -> Any:
        a, b, y = ctx.saved_tensors
        return solve_sylvester_push((a_dot, b_dot, q_dot), a, b, rightly_solved(y, a, b))


@table.rule(linalg.solve_continuous_lyapunov)
class SolveContinuousLyapunov(Function):
    """a @ y + y @ a.T = q."""

    @staticmethod
    def forward(ctx: Context, a: Any, q: Any) -> Any:
        y = linalg.solve_continuous_lyapunov(a, q)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        y = rightly_solved(y, a)
        grad_q = linalg.solve_continuous_lyapunov(adjoint(a), grad)
        return -(grad_q @ adjoint(y) + adjoint(grad_q) @ y), grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, q_dot: Any) -> Any:
        a, y = ctx.saved_tensors
        return continuous_lyapunov_push((a_dot, q_dot), a, rightly_solved(y, a))


@table.rule(linalg.solve_discrete_lyapunov)
class SolveDiscreteLyapunov(Function):
    """a @ y @ a.T - y + q = 0."""

    @staticmethod
    def forward(ctx: Context, a: Any, q: Any, method: Any = None) -> Any:
        y = linalg.solve_discrete_lyapunov(a, q, method)
        ctx.method = method
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        y = rightly_stepped(y, a, ctx.method)
        grad_q = linalg.solve_discrete_lyapunov(adjoint(a), grad, ctx.method)
        return grad_q @ a @ adjoint(y) + adjoint(grad_q) @ a @ y, grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, q_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        y = rightly_stepped(y, a, ctx.method)
        return discrete_lyapunov_push((a_dot, q_dot), a, y, ctx.method)


@table.rule(linalg.solve_continuous_are)
class SolveContinuousAre(Function):
    """a.T @ y + y @ a - y @ b @ inv(r) @ b.T @ y + q = 0, with a symmetric y."""

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, q: Any, r: Any) -> Any:
        y = linalg.solve_continuous_are(a, b, q, r)
        ctx.save_for_backward(a, b, q, r, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, q, r, y = ctx.saved_tensors
        grad_a, grad_b, grad_q, grad_r = continuous_are_back(grad, (a, b, q, r), y)
        return grad_a, grad_b, grad_q, grad_r

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, q_dot: Any, r_dot: Any) -> Any:
        a, b, q, r, y = ctx.saved_tensors
        return continuous_are_push((a_dot, b_dot, q_dot, r_dot), (a, b, q, r), y)


@table.rule(linalg.solve_discrete_are)
class SolveDiscreteAre(Function):
    """The symmetric solution y of the discrete Riccati equation."""

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, q: Any, r: Any) -> Any:
        y = linalg.solve_discrete_are(a, b, q, r)
        ctx.save_for_backward(a, b, q, r, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, q, r, y = ctx.saved_tensors
        grad_a, grad_b, grad_q, grad_r = discrete_are_back(grad, (a, b, q, r), y)
        return grad_a, grad_b, grad_q, grad_r

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, q_dot: Any, r_dot: Any) -> Any:
        a, b, q, r, y = ctx.saved_tensors
        return discrete_are_push((a_dot, b_dot, q_dot, r_dot), (a, b, q, r), y)


@table.rule(linalg.block_diag)
class BlockDiag(Function):
    """Matrices along a diagonal, with zeros beside them."""

    linear = ("arrs",)

    @staticmethod
    def forward(ctx: Context, *arrs: Any) -> Any:
        ctx.shapes = [np.shape(item) for item in arrs]
        return linalg.block_diag(*arrs)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return block_diag_back(grad, ctx.shapes)


@table.rule(linalg.toeplitz)
class Toeplitz(Function):
    """The matrix of the first column c and the first row r."""

    linear = ("c", "r")

    @staticmethod
    def forward(ctx: Context, c: Any, r: Any = None) -> Any:
        y = linalg.toeplitz(c, r)
        ctx.save_for_backward(c, r)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        c, r = ctx.saved_tensors
        grad_c, grad_r = toeplitz_back(grad, c, r)
        return grad_c, grad_r


@table.rule(linalg.hankel)
class Hankel(Function):
    """The matrix of the first column c and the last row r."""

    linear = ("c", "r")

    @staticmethod
    def forward(ctx: Context, c: Any, r: Any = None) -> Any:
        y = linalg.hankel(c, r)
        ctx.save_for_backward(c, r)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        c, r = ctx.saved_tensors
        grad_c, grad_r = hankel_back(grad, c, r)
        return grad_c, grad_r


@table.rule(linalg.circulant)
class Circulant(Function):
    """The matrix whose columns are c, turned."""

    linear = ("c",)

    @staticmethod
    def forward(ctx: Context, c: Any) -> Any:
        y = linalg.circulant(c)
        ctx.save_for_backward(c)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (c,) = ctx.saved_tensors
        return circulant_back(grad, c)


@table.rule(linalg.khatri_rao)
class KhatriRao(Function):
    """The products of all rows of a and b."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any) -> Any:
        y = linalg.khatri_rao(a, b)
        ctx.save_for_backward(a, b)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        split = np.reshape(grad, (len(a), *np.shape(b)))
        grad_a = np.sum(split * conj(b), axis=1)
        grad_b = np.sum(split * conj(np.expand_dims(a, 1)), axis=0)
        return grad_a, grad_b


FRESH = "creates an array of constants"
CONSTANT = {
    **dict.fromkeys((linalg.hadamard, linalg.hilbert, linalg.invhilbert, linalg.pascal), FRESH),
    **dict.fromkeys((linalg.dft, linalg.helmert), FRESH),
    **dict.fromkeys((linalg.issymmetric, linalg.ishermitian), "returns truth values"),
    linalg.bandwidth: "returns sizes",
}


@table.rule(frechet)
class Frechet(Function):
    """The derivative of a function of matrices in a direction."""

    inert = ("function",)

    @staticmethod
    def forward(ctx: Context, function: Any, a: Any, direction: Any) -> Any:
        ctx.function = function
        ctx.save_for_backward(a, direction)
        return frechet(function, a, direction)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, direction = ctx.saved_tensors
        turned = adjoint(a)
        grad_a = frechet_again(ctx.function, turned, adjoint(direction), grad)
        return None, grad_a, frechet(ctx.function, turned, grad)

    @staticmethod
    def jvp(ctx: Context, _: Any, a_dot: Any, direction_dot: Any) -> Any:
        a, direction = ctx.saved_tensors
        return frechet_push((a_dot, direction_dot), ctx.function, a, direction)


@table.rule(block_diag_back)
class BlockDiagBack(Function):
    """The adjoints of blocks on a diagonal."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return block_diag_back(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return join_block_diag(parts)


RULES = table.freeze()
for _function in (frechet, block_diag_back):
    vars(_function)["__srcgrad_rule__"] = RULES[_function]
