"""Rules of what is calculated with the stored entries of sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.runtime import conj
from srcgrad.runtime.scipy.sparse import (
    dense_array,
    entries_of,
    entries_of_outer,
    factor_solution,
    factored_solution,
    factored_solution_back,
    fixed_product,
    paired,
    sparse_product,
    sparse_solution,
    sparse_sum,
    sparse_sum_back,
    values_at,
    values_back,
)


class SparseProduct(Function):
    """y = A @ x."""

    multilinear = ("entries", "x")

    @staticmethod
    def forward(ctx: Context, entries: Any, places: Any, x: Any) -> Any:
        ctx.places = places
        ctx.save_for_backward(
            entries if ctx.needs_input_grad[2] else None, x if ctx.needs_input_grad[0] else None
        )
        return sparse_product(entries, places, x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        entries, x = ctx.saved_tensors
        grad_entries = (
            entries_of_outer(grad, conj(x), ctx.places) if ctx.needs_input_grad[0] else None
        )
        grad_x = (
            sparse_product(conj(entries), ctx.places.T, grad) if ctx.needs_input_grad[2] else None
        )
        return grad_entries, None, grad_x


class EntriesOfOuter(Function):
    """The entries at some places of an outer product."""

    multilinear = ("u", "v")

    @staticmethod
    def forward(ctx: Context, u: Any, v: Any, places: Any) -> Any:
        ctx.places = places
        ctx.save_for_backward(
            u if ctx.needs_input_grad[1] else None, v if ctx.needs_input_grad[0] else None
        )
        return entries_of_outer(u, v, places)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        u, v = ctx.saved_tensors
        grad_u = sparse_product(grad, ctx.places, conj(v)) if ctx.needs_input_grad[0] else None
        grad_v = sparse_product(grad, ctx.places.T, conj(u)) if ctx.needs_input_grad[1] else None
        return grad_u, grad_v, None


class Paired(Function):
    """The entries of a product of two sparse matrices."""

    multilinear = ("left", "right")

    @staticmethod
    def forward(ctx: Context, left: Any, right: Any, terms: Any) -> Any:
        ctx.terms = terms
        ctx.save_for_backward(
            left if ctx.needs_input_grad[1] else None, right if ctx.needs_input_grad[0] else None
        )
        return paired(left, right, terms)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        left, right = ctx.saved_tensors
        grad_left = (
            paired(grad, conj(right), ctx.terms.for_left) if ctx.needs_input_grad[0] else None
        )
        grad_right = (
            paired(conj(left), grad, ctx.terms.for_right) if ctx.needs_input_grad[1] else None
        )
        return grad_left, grad_right, None


class SparseSolution(Function):
    """x = the solution of A @ x = b, without an axis of length 1 of b."""

    @staticmethod
    def forward(ctx: Context, entries: Any, places: Any, b: Any) -> Any:
        x = sparse_solution(entries, places, b)
        ctx.places, ctx.shape = places, np.shape(b)
        ctx.save_for_backward(entries, x)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        entries, x = ctx.saved_tensors
        turned = sparse_solution(conj(entries), ctx.places.T, grad)
        grad_entries = (
            -entries_of_outer(turned, conj(x), ctx.places) if ctx.needs_input_grad[0] else None
        )
        grad_b = np.reshape(turned, ctx.shape) if ctx.needs_input_grad[2] else None
        return grad_entries, None, grad_b

    @staticmethod
    def jvp(ctx: Context, entries_dot: Any, places: Any, b_dot: Any) -> Any:
        entries, x = ctx.saved_tensors
        rest = 0 * x if b_dot is None else np.reshape(b_dot, np.shape(x))
        if entries_dot is not None:
            rest = rest - sparse_product(entries_dot, ctx.places, x)
        return sparse_solution(entries, ctx.places, rest)


class FactorSolution(Function):
    """x = the solution of A @ x = b."""

    @staticmethod
    def forward(ctx: Context, entries: Any, places: Any, b: Any) -> Any:
        x = factor_solution(entries, places, b)
        ctx.places = places
        ctx.save_for_backward(entries, x)
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        entries, x = ctx.saved_tensors
        grad_b = factor_solution(conj(entries), ctx.places.T, grad)
        grad_entries = (
            -entries_of_outer(grad_b, conj(x), ctx.places) if ctx.needs_input_grad[0] else None
        )
        return grad_entries, None, grad_b if ctx.needs_input_grad[2] else None

    @staticmethod
    def jvp(ctx: Context, entries_dot: Any, places: Any, b_dot: Any) -> Any:
        entries, x = ctx.saved_tensors
        rest = 0 * x if b_dot is None else b_dot
        if entries_dot is not None:
            rest = rest - sparse_product(entries_dot, ctx.places, x)
        return factor_solution(entries, ctx.places, rest)


class SparseSum(Function):
    """The sum of all entries, or of those of each column or row."""

    linear = ("entries",)

    @staticmethod
    def forward(ctx: Context, entries: Any, places: Any, axis: Any) -> Any:
        ctx.places, ctx.axis = places, axis
        return sparse_sum(entries, places, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return sparse_sum_back(grad, ctx.places, ctx.axis), None, None


class SparseSumBack(Function):
    """The gradient of the entries in a sum of them."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, places: Any, axis: Any) -> Any:
        ctx.places, ctx.axis = places, axis
        return sparse_sum_back(grad, places, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return sparse_sum(grad, ctx.places, ctx.axis), None, None


class DenseArray(Function):
    """The entries in an array of zeros."""

    linear = ("entries",)

    @staticmethod
    def forward(ctx: Context, entries: Any, places: Any) -> Any:
        ctx.places = places
        return dense_array(entries, places)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad[ctx.places.rows, ctx.places.cols], None


class ValuesAt(Function):
    """What stands at some places of an array that is spread over a matrix."""

    linear = ("values",)

    @staticmethod
    def forward(ctx: Context, values: Any, places: Any) -> Any:
        ctx.places, ctx.shape = places, np.shape(values)
        return values_at(values, places)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return values_back(grad, ctx.places, ctx.shape), None


class ValuesBack(Function):
    """The sum of what came from each element of an array."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, places: Any, shape: Any) -> Any:
        ctx.places, ctx.like = places, np.shape(grad)
        return values_back(grad, places, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.broadcast_to(values_at(grad, ctx.places), ctx.like), None, None


class FixedProduct(Function):
    """y = A @ x for a matrix of constants."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, matrix: Any, x: Any) -> Any:
        ctx.matrix = matrix
        return fixed_product(matrix, x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, fixed_product(ctx.matrix.conj().T, grad)


class FactoredSolution(Function):
    """x = the solution of A @ x = b, A.T @ x = b or A.conj().T @ x = b, for a constant A."""

    linear = ("b",)

    @staticmethod
    def forward(ctx: Context, factors: Any, b: Any, trans: Any = "N") -> Any:
        ctx.factors, ctx.trans = factors, trans
        return factored_solution(factors, b, trans)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, factored_solution_back(ctx.factors, grad, ctx.trans), None


class EntriesOf(Function):
    """The entries of a sparse matrix of constants; of one that varies nothing is known."""

    @staticmethod
    def forward(ctx: Context, matrix: Any) -> Any:
        return entries_of(matrix)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None


for _function, _rule in (
    (entries_of, EntriesOf),
    (factored_solution, FactoredSolution),
    (sparse_product, SparseProduct),
    (entries_of_outer, EntriesOfOuter),
    (sparse_solution, SparseSolution),
    (factor_solution, FactorSolution),
    (sparse_sum, SparseSum),
    (sparse_sum_back, SparseSumBack),
    (dense_array, DenseArray),
    (values_at, ValuesAt),
    (values_back, ValuesBack),
    (fixed_product, FixedProduct),
    (paired, Paired),
):
    vars(_function)["__srcgrad_rule__"] = _rule
