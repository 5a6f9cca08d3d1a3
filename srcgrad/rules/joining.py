"""Rules of functions that join several arrays to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    given,
    split_like,
    unstack_like,
)

table = RuleTable("joining")


@table.rule(np.concatenate)
class Concatenate(Function):
    """Arrays one after the other along an axis they have."""

    @staticmethod
    def forward(
        ctx: Context,
        arrays: Any,
        /,
        axis: int | None = 0,
        out: Any = None,
        *,
        dtype: Any = None,
        casting: Any = None,
    ) -> Any:
        ctx.shapes, ctx.axis = [np.shape(array) for array in arrays], axis
        return np.concatenate(arrays, axis, out, **given(dtype=dtype, casting=casting))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_like(grad, ctx.shapes, ctx.axis),)


@table.rule(np.stack)
class Stack(Function):
    """Arrays of one shape along a new axis."""

    @staticmethod
    def forward(
        ctx: Context,
        arrays: Any,
        axis: int = 0,
        out: Any = None,
        *,
        dtype: Any = None,
        casting: Any = None,
    ) -> Any:
        ctx.axis = axis
        return np.stack(arrays, axis, out, **given(dtype=dtype, casting=casting))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (unstack_like(grad, ctx.axis),)


RULES = table.freeze()
