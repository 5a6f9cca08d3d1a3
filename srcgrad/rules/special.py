"""Rules of sinc and the Bessel functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Elementwise, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    bessel_i1,
    bessel_i1_slope,
    sinc_slope,
)

table = RuleTable("special")


@table.rule(np.sinc)
class Sinc(Elementwise):
    """y = sin(pi x) / (pi x), flat at 0."""

    primal = np.sinc

    @staticmethod
    def slope(x: Any) -> Any:
        return sinc_slope(x)


@table.rule(np.i0)
class I0(Elementwise):
    """y = the modified Bessel function of order 0, dy/dx = that of order 1."""

    primal = np.i0

    @staticmethod
    def slope(x: Any) -> Any:
        return bessel_i1(x)


@table.rule(bessel_i1)
class I1(Function):
    """y = the modified Bessel function of order 1, dy/dx = i0(x) - y / x."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = bessel_i1(x)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad * bessel_i1_slope(x, y)


RULES = table.freeze()
