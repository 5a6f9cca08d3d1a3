"""Rules of convolutions and filters in ``scipy.signal``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.primitives.constants import INDEX
from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj
from srcgrad.runtime.scipy.linear_maps import (
    convolve_back,
    correlate_back,
    lfilter_back,
    sosfilt_back,
    upfirdn_back,
)

table = RuleTable("signals")


@table.rule(signal.convolve)
class Convolve(Function):
    """The convolution over all axes."""

    multilinear = ("in1", "in2")

    @staticmethod
    def forward(ctx: Context, in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(in1, in2)
        return signal.convolve(in1, in2, mode, method)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        in1, in2 = ctx.saved_tensors
        grad_1, grad_2 = convolve_back(grad, in1, in2, ctx.mode)
        return grad_1, grad_2


@table.rule(signal.fftconvolve)
class Fftconvolve(Function):
    """The convolution over all axes."""

    multilinear = ("in1", "in2")

    @staticmethod
    def forward(ctx: Context, in1: Any, in2: Any, mode: str = "full") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(in1, in2)
        return signal.fftconvolve(in1, in2, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        in1, in2 = ctx.saved_tensors
        grad_1, grad_2 = convolve_back(grad, in1, in2, ctx.mode)
        return grad_1, grad_2


@table.rule(signal.oaconvolve)
class Oaconvolve(Function):
    """The convolution over all axes."""

    multilinear = ("in1", "in2")

    @staticmethod
    def forward(ctx: Context, in1: Any, in2: Any, mode: str = "full") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(in1, in2)
        return signal.oaconvolve(in1, in2, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        in1, in2 = ctx.saved_tensors
        grad_1, grad_2 = convolve_back(grad, in1, in2, ctx.mode)
        return grad_1, grad_2


@table.rule(signal.convolve2d)
class Convolve2D(Function):
    """The convolution over all axes."""

    multilinear = ("in1", "in2")

    @staticmethod
    def forward(ctx: Context, in1: Any, in2: Any, mode: str = "full") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(in1, in2)
        return signal.convolve2d(in1, in2, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        in1, in2 = ctx.saved_tensors
        grad_1, grad_2 = convolve_back(grad, in1, in2, ctx.mode)
        return grad_1, grad_2


@table.rule(signal.correlate)
class Correlate(Function):
    """The correlation over all axes."""

    multilinear = ("in1", "in2")

    @staticmethod
    def forward(ctx: Context, in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(in1, in2)
        return signal.correlate(in1, in2, mode, method)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        in1, in2 = ctx.saved_tensors
        grad_1, grad_2 = correlate_back(grad, in1, in2, ctx.mode)
        return grad_1, grad_2


@table.rule(signal.correlate2d)
class Correlate2D(Function):
    """The correlation over all axes."""

    multilinear = ("in1", "in2")

    @staticmethod
    def forward(ctx: Context, in1: Any, in2: Any, mode: str = "full") -> Any:
        ctx.mode, ctx.late = mode, 1 if mode == "same" else 0
        ctx.save_for_backward(in1, in2)
        return signal.correlate2d(in1, in2, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        in1, in2 = ctx.saved_tensors
        grad_1, grad_2 = correlate_back(grad, in1, in2, ctx.mode, ctx.late)
        return grad_1, grad_2


@table.rule(signal.lfilter)
class Lfilter(Function):
    """The signal x through the recursive filter b over a, at rest before."""

    @staticmethod
    def forward(ctx: Context, b: Any, a: Any, x: Any, axis: int = -1) -> Any:
        y = signal.lfilter(b, a, x, axis)
        ctx.axis = axis
        ctx.save_for_backward(b, a, x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        b, a, x, y = ctx.saved_tensors
        if ctx.needs_input_grad[0] or ctx.needs_input_grad[1]:
            grad_b, grad_a, grad_x = lfilter_back(grad, (b, a, x, y), ctx.axis)
        else:
            back = signal.lfilter(conj(b), conj(a), np.flip(grad, ctx.axis), ctx.axis)
            grad_b, grad_a, grad_x = None, None, np.flip(back, ctx.axis)
        return grad_b, grad_a, grad_x


@table.rule(signal.sosfilt)
class Sosfilt(Function):
    """The signal x through sections of second order, at rest before."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, sos: Any, x: Any, axis: int = -1) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(sos, x)
        return signal.sosfilt(sos, x, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        sos, x = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            grad_sos, grad_x = sosfilt_back(grad, sos, x, ctx.axis)
        else:
            back = signal.sosfilt(conj(sos), np.flip(grad, ctx.axis), ctx.axis)
            grad_sos, grad_x = None, np.flip(back, ctx.axis)
        return grad_sos, grad_x


@table.rule(signal.detrend)
class Detrend(Function):
    """What is left without a mean or a line, for each piece."""

    linear = ("data",)

    @staticmethod
    def forward(ctx: Context, data: Any, axis: int = -1, type: str = "linear", bp: Any = 0) -> Any:
        ctx.axis = axis
        ctx.type = type
        ctx.bp = bp
        return signal.detrend(data, axis, type, bp)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return signal.detrend(grad, ctx.axis, ctx.type, ctx.bp)


@table.rule(signal.upfirdn)
class Upfirdn(Function):
    """The signal x with zeros between its values, through a filter, and every so many of that."""

    multilinear = ("h", "x")

    @staticmethod
    def forward(ctx: Context, h: Any, x: Any, up: int = 1, down: int = 1, axis: int = -1) -> Any:
        ctx.up, ctx.down, ctx.axis = up, down, axis
        ctx.save_for_backward(h, x)
        return signal.upfirdn(h, x, up, down, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        h, x = ctx.saved_tensors
        grad_h, grad_x = upfirdn_back(grad, (h, x), ctx.up, ctx.down, ctx.axis)
        return grad_h, grad_x


RULES = table.freeze()
CONSTANT = dict.fromkeys((signal.argrelextrema, signal.argrelmax, signal.argrelmin), INDEX)
