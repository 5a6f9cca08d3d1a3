"""Rules of convolutions and filters in ``scipy.signal``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.linear_maps import (
    along_back,
    convolve_back,
    correlate_back,
    hilbert_back,
    lfilter_back,
    sosfilt_back,
    units,
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
        grad_b, grad_a, grad_x = lfilter_back(grad, (b, a, x, y), ctx.axis)
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
        grad_sos, grad_x = sosfilt_back(grad, sos, x, ctx.axis)
        return grad_sos, grad_x


@table.rule(signal.filtfilt)
class Filtfilt(Function):
    """The signal x forth and back through a filter, which is held fixed."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context,
        b: Any,
        a: Any,
        x: Any,
        axis: int = -1,
        padtype: Any = "odd",
        padlen: Any = None,
    ) -> Any:
        ctx.b = b
        ctx.a = a
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.padtype = padtype
        ctx.padlen = padlen
        return signal.filtfilt(b, a, x, axis, padtype, padlen)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        matrix = signal.filtfilt(
            ctx.b, ctx.a, units(ctx.shape, ctx.axis), -1, ctx.padtype, ctx.padlen
        )
        return None, None, along_back(grad, ctx.shape, ctx.axis, matrix)


@table.rule(signal.sosfiltfilt)
class Sosfiltfilt(Function):
    """The signal x forth and back through sections of a filter, which are held fixed."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context, sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None
    ) -> Any:
        ctx.sos = sos
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.padtype = padtype
        ctx.padlen = padlen
        return signal.sosfiltfilt(sos, x, axis, padtype, padlen)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        unit = units(ctx.shape, ctx.axis)
        matrix = signal.sosfiltfilt(ctx.sos, unit, -1, ctx.padtype, ctx.padlen)
        return None, along_back(grad, ctx.shape, ctx.axis, matrix)


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


@table.rule(signal.hilbert)
class Hilbert(Function):
    """The analytic signal of a real x."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, N: Any = None, axis: int = -1) -> Any:
        ctx.N = N
        ctx.axis = axis
        return signal.hilbert(x, N, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return hilbert_back(grad, ctx.N, ctx.axis)


@table.rule(signal.resample)
class Resample(Function):
    """The signal x at another rate, by its transform."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, num: int, *, axis: int = 0) -> Any:
        ctx.shape = np.shape(x)
        ctx.num = num
        ctx.axis = axis
        return signal.resample(x, num, axis=axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        matrix = signal.resample(units(ctx.shape, ctx.axis), ctx.num, axis=-1)
        return along_back(grad, ctx.shape, ctx.axis, matrix)


@table.rule(signal.savgol_filter)
class SavgolFilter(Function):
    """The signal x smoothed by polynomials."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context,
        x: Any,
        window_length: int,
        polyorder: int,
        deriv: int = 0,
        delta: float = 1.0,
        axis: int = -1,
        mode: str = "interp",
    ) -> Any:
        ctx.shape = np.shape(x)
        ctx.window_length = window_length
        ctx.polyorder = polyorder
        ctx.deriv = deriv
        ctx.delta = delta
        ctx.axis = axis
        ctx.mode = mode
        return signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        unit = units(ctx.shape, ctx.axis)
        matrix = signal.savgol_filter(
            unit, ctx.window_length, ctx.polyorder, ctx.deriv, ctx.delta, -1, ctx.mode
        )
        return along_back(grad, ctx.shape, ctx.axis, matrix)


RULES = table.freeze()
