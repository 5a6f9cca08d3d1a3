"""Rules of the adjoints of functions that repeat, pick, surround or make elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    choose_back,
    linspace_back,
    pad_back,
    pad_push,
    repeat_back,
    running_back,
    running_push,
    steps_between,
)

table = RuleTable("arranging again")


@table.rule(repeat_back)
class RepeatBack(Function):
    """The sums of the copies of each element."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any, repeats: Any, axis: int | None) -> Any:
        ctx.shape, ctx.repeats, ctx.axis = shape, repeats, axis
        return repeat_back(grad, shape, repeats, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.repeat(np.reshape(grad, ctx.shape), ctx.repeats, ctx.axis)


@table.rule(pad_back)
class PadBack(Function):
    """What is left of grad without the border, or with the border put back."""

    linear = ("grad",)

    @staticmethod
    def forward(
        ctx: Context, grad: Any, shape: Any, width: Any, mode: Any, reflect_type: Any
    ) -> Any:
        ctx.shape, ctx.width, ctx.mode, ctx.reflect_type = shape, width, mode, reflect_type
        return pad_back(grad, shape, width, mode, reflect_type)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return pad_push(grad, None, ctx.shape, ctx.width, (ctx.mode, ctx.reflect_type))


@table.rule(choose_back)
class ChooseBack(Function):
    """The part of grad for each choice."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, index: Any, shapes: Any, mode: str) -> Any:
        ctx.index, ctx.mode = index, mode
        return choose_back(grad, index, shapes, mode)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return np.choose(ctx.index, parts, mode=ctx.mode)


@table.rule(running_back)
class RunningBack(Function):
    """Grad for the last element that reached a running extreme."""

    linear = ("grad",)
    inert = ("a", "y")

    @staticmethod
    def forward(ctx: Context, grad: Any, a: Any, y: Any, axis: int) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(a, y)
        return running_back(grad, a, y, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return running_push(grad, a, y, ctx.axis)


@table.rule(linspace_back)
class LinspaceBack(Function):
    """The adjoints of both ends of points at equal distances, and of these distances."""

    linear = ("grad", "grad_step")

    @staticmethod
    def forward(
        ctx: Context,
        grad: Any,
        grad_step: Any,
        shapes: Any,
        num: int,
        endpoint: bool,
        axis: int,
    ) -> Any:
        ctx.num, ctx.endpoint, ctx.axis = num, endpoint, axis
        return linspace_back(grad, grad_step, shapes, num, endpoint, axis)

    @staticmethod
    def backward(ctx: Context, start: Any, stop: Any) -> Any:
        points = np.linspace(start, stop, ctx.num, ctx.endpoint, axis=ctx.axis)
        return points, steps_between(start, stop, ctx.num, ctx.endpoint)


RULES = table.freeze()
