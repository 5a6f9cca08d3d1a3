"""Rules of expressions of several steps that the compiler knows by their form."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj
from srcgrad.runtime.idioms import falling_logistic, logistic

table = RuleTable("idioms")


@table.rule(logistic)
class Logistic(Function):
    """y = 1 / (1 + exp(-x))."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = 1 / (1 + np.exp(-x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return grad * conj(y) * conj(1 - y)


@table.rule(falling_logistic)
class FallingLogistic(Function):
    """y = 1 / (1 + exp(x))."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = 1 / (1 + np.exp(x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return grad * conj(y) * conj(y - 1)


RULES = table.freeze()
