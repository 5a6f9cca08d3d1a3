"""Rules of the discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    conj,
    fft_back,
    fftn_back,
    ifft_back,
    ifftn_back,
    irfft_back,
    irfftn_back,
    opposite,
    rfft_back,
    rfftn_back,
    unbroadcast,
)

table = RuleTable("fourier")


@table.rule(np.fft.fft)
class Fft(Function):
    """The transform of a along one axis."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.axis, ctx.norm = np.shape(a), axis, norm
        return np.fft.fft(a, n, axis, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fft_back(grad, ctx.shape, ctx.axis, ctx.norm)


@table.rule(np.fft.ifft)
class Ifft(Function):
    """The inverse transform of a along one axis."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.axis, ctx.norm = np.shape(a), axis, norm
        return np.fft.ifft(a, n, axis, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ifft_back(grad, ctx.shape, ctx.axis, ctx.norm)


@table.rule(np.fft.rfft)
class Rfft(Function):
    """The half of the transform of a real a that tells the other."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.n, ctx.axis, ctx.norm = np.shape(a), n, axis, norm
        return np.fft.rfft(a, n, axis, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfft_back(grad, ctx.shape, ctx.n, ctx.axis, ctx.norm)


@table.rule(np.fft.irfft)
class Irfft(Function):
    """The real array that has a as the half of its transform."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.axis, ctx.norm = np.shape(a), axis, norm
        return np.fft.irfft(a, n, axis, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return irfft_back(grad, ctx.shape, ctx.axis, ctx.norm)


@table.rule(np.fft.hfft)
class Hfft(Function):
    """The transform of an array of which a is one half, the other being its conjugate."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.axis, ctx.norm = np.shape(a), axis, norm
        return np.fft.hfft(a, n, axis, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return conj(irfft_back(grad, ctx.shape, ctx.axis, opposite(ctx.norm)))


@table.rule(np.fft.ihfft)
class Ihfft(Function):
    """The half of the inverse transform of a real a that tells the other."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.n, ctx.axis, ctx.norm = np.shape(a), n, axis, norm
        return np.fft.ihfft(a, n, axis, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfft_back(conj(grad), ctx.shape, ctx.n, ctx.axis, opposite(ctx.norm))


@table.rule(np.fft.fft2)
class Fft2(Function):
    """The transform of a along two axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.fft2(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.ifft2)
class Ifft2(Function):
    """The inverse transform of a along two axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.ifft2(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ifftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.rfft2)
class Rfft2(Function):
    """The half of the transform of a real a along two axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.rfft2(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.irfft2)
class Irfft2(Function):
    """The real array that has a as the half of its transform along two axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.irfft2(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return irfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.fftn)
class Fftn(Function):
    """The transform of a along several axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.fftn(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.ifftn)
class Ifftn(Function):
    """The inverse transform of a along several axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.ifftn(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ifftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.rfftn)
class Rfftn(Function):
    """The half of the transform of a real a along several axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.rfftn(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.irfftn)
class Irfftn(Function):
    """The real array that has a as the half of its transform along several axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.s, ctx.axes, ctx.norm = np.shape(a), s, axes, norm
        return np.fft.irfftn(a, s, axes, norm, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return irfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(np.fft.fftfreq)
class Fftfreq(Function):
    """The frequencies of a transform of n samples at the distance d, in inverse proportion to d."""

    inert = ("n", "device")

    @staticmethod
    def forward(ctx: Context, n: int, d: Any = 1.0, device: Any = None) -> Any:
        out = np.fft.fftfreq(n, d, device=device)
        ctx.save_for_backward(d, out)
        return out

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        d, out = ctx.saved_tensors
        return None, unbroadcast(-grad * conj(out / d), np.shape(d))

    @staticmethod
    def jvp(ctx: Context, n_dot: Any, d_dot: Any, *options: Any) -> Any:
        d, out = ctx.saved_tensors
        return -out / d * d_dot


@table.rule(np.fft.rfftfreq)
class Rfftfreq(Function):
    """The frequencies of a transform of n real samples at the distance d."""

    inert = ("n", "device")

    @staticmethod
    def forward(ctx: Context, n: int, d: Any = 1.0, device: Any = None) -> Any:
        out = np.fft.rfftfreq(n, d, device=device)
        ctx.save_for_backward(d, out)
        return out

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        d, out = ctx.saved_tensors
        return None, unbroadcast(-grad * conj(out / d), np.shape(d))

    @staticmethod
    def jvp(ctx: Context, n_dot: Any, d_dot: Any, *options: Any) -> Any:
        d, out = ctx.saved_tensors
        return -out / d * d_dot


RULES = table.freeze()
