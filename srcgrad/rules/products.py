"""Rules of products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    conj,
    dot_left,
    dot_right,
    is_matrix,
    matmul_left,
    matmul_right,
)

table = RuleTable("products")


@table.rule(np.matmul)
class Matmul(Function):
    """z = x1 @ x2, of which x1 gets grad @ x2.T and x2 gets x1.T @ grad."""

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any) -> Any:
        ctx.save_for_backward(x1, x2)
        return np.matmul(x1, x2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1, grad_x2 = None, None
        if ctx.needs_input_grad[0]:
            if is_matrix(x1) and is_matrix(x2):
                grad_x1 = grad @ conj(x2.T)
            else:
                grad_x1 = matmul_left(grad, x1, x2)
        if ctx.needs_input_grad[1]:
            if is_matrix(x1) and is_matrix(x2):
                grad_x2 = conj(x1.T) @ grad
            else:
                grad_x2 = matmul_right(grad, x1, x2)
        return grad_x1, grad_x2


@table.rule(np.dot)
class Dot(Function):
    """z = the sum of products over the last axis of a and the last but one of b."""

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, out: Any = None) -> Any:
        ctx.save_for_backward(a, b)
        return np.dot(a, b, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a, grad_b = None, None
        if ctx.needs_input_grad[0]:
            grad_a = grad @ conj(b.T) if is_matrix(a) and is_matrix(b) else dot_left(grad, a, b)
        if ctx.needs_input_grad[1]:
            grad_b = conj(a.T) @ grad if is_matrix(a) and is_matrix(b) else dot_right(grad, a, b)
        return grad_a, grad_b


RULES = table.freeze()
