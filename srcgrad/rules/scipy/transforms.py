"""Rules of the transforms in ``scipy.fft``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

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
from srcgrad.runtime.scipy.cosines import dct_back, dst_back, idct_back, idst_back

table = RuleTable("transforms")


@table.rule(fft.fft)
class Fft(Function):
    """The transform `fft` along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.norm = norm
        return fft.fft(x, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fft_back(grad, ctx.shape, ctx.axis, ctx.norm)


@table.rule(fft.ifft)
class Ifft(Function):
    """The transform `ifft` along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.norm = norm
        return fft.ifft(x, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ifft_back(grad, ctx.shape, ctx.axis, ctx.norm)


@table.rule(fft.rfft)
class Rfft(Function):
    """The transform `rfft` along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.norm = norm
        ctx.n = n
        return fft.rfft(x, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfft_back(grad, ctx.shape, ctx.n, ctx.axis, ctx.norm)


@table.rule(fft.irfft)
class Irfft(Function):
    """The transform `irfft` along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.norm = norm
        return fft.irfft(x, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return irfft_back(grad, ctx.shape, ctx.axis, ctx.norm)


@table.rule(fft.hfft)
class Hfft(Function):
    """The transform `hfft` along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.norm = norm
        return fft.hfft(x, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return conj(irfft_back(grad, ctx.shape, ctx.axis, opposite(ctx.norm)))


@table.rule(fft.ihfft)
class Ihfft(Function):
    """The transform `ihfft` along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.axis = axis
        ctx.norm = norm
        ctx.n = n
        return fft.ihfft(x, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfft_back(conj(grad), ctx.shape, ctx.n, ctx.axis, opposite(ctx.norm))


@table.rule(fft.fftn)
class Fftn(Function):
    """The transform `fftn` along several axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.fftn(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.ifftn)
class Ifftn(Function):
    """The transform `ifftn` along several axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.ifftn(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ifftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.rfftn)
class Rfftn(Function):
    """The transform `rfftn` along several axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.rfftn(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.irfftn)
class Irfftn(Function):
    """The transform `irfftn` along several axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.irfftn(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return irfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.fft2)
class Fft2(Function):
    """The transform `fft2` along two axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.fft2(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.ifft2)
class Ifft2(Function):
    """The transform `ifft2` along two axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.ifft2(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ifftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.rfft2)
class Rfft2(Function):
    """The transform `rfft2` along two axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.rfft2(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.irfft2)
class Irfft2(Function):
    """The transform `irfft2` along two axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
        ctx.shape = np.shape(x)
        ctx.s = s
        ctx.axes = axes
        ctx.norm = norm
        return fft.irfft2(x, s, axes, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return irfftn_back(grad, ctx.shape, ctx.s, ctx.axes, ctx.norm)


@table.rule(fft.dct)
class Dct(Function):
    """The transform `dct` of a real x along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context, x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None
    ) -> Any:
        ctx.shape = np.shape(x)
        ctx.type = type
        ctx.axis = axis
        ctx.norm = norm
        return fft.dct(x, type, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return dct_back(grad, ctx.shape, ctx.type, ctx.axis, ctx.norm)


@table.rule(fft.idct)
class Idct(Function):
    """The transform `idct` of a real x along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context, x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None
    ) -> Any:
        ctx.shape = np.shape(x)
        ctx.type = type
        ctx.axis = axis
        ctx.norm = norm
        return fft.idct(x, type, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return idct_back(grad, ctx.shape, ctx.type, ctx.axis, ctx.norm)


@table.rule(fft.dst)
class Dst(Function):
    """The transform `dst` of a real x along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context, x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None
    ) -> Any:
        ctx.shape = np.shape(x)
        ctx.type = type
        ctx.axis = axis
        ctx.norm = norm
        return fft.dst(x, type, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return dst_back(grad, ctx.shape, ctx.type, ctx.axis, ctx.norm)


@table.rule(fft.idst)
class Idst(Function):
    """The transform `idst` of a real x along one axis."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context, x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None
    ) -> Any:
        ctx.shape = np.shape(x)
        ctx.type = type
        ctx.axis = axis
        ctx.norm = norm
        return fft.idst(x, type, n, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return idst_back(grad, ctx.shape, ctx.type, ctx.axis, ctx.norm)


@table.rule(fft.fftshift)
class Fftshift(Function):
    """The elements in another order."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, axes: Any = None) -> Any:
        ctx.axes = axes
        return fft.fftshift(x, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fft.ifftshift(grad, ctx.axes)


@table.rule(fft.ifftshift)
class Ifftshift(Function):
    """The elements in another order."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, axes: Any = None) -> Any:
        ctx.axes = axes
        return fft.ifftshift(x, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fft.fftshift(grad, ctx.axes)


@table.rule(fft.fftfreq)
class Fftfreq(Function):
    """The frequencies of a transform of n samples at the distance d, in inverse proportion to d."""

    inert = ("n", "xp", "device")

    @staticmethod
    def forward(ctx: Context, n: int, d: Any = 1.0, *, xp: Any = None, device: Any = None) -> Any:
        out = fft.fftfreq(n, d, xp=xp, device=device)
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


@table.rule(fft.rfftfreq)
class Rfftfreq(Function):
    """The frequencies of a transform of n real samples at the distance d."""

    inert = ("n", "xp", "device")

    @staticmethod
    def forward(ctx: Context, n: int, d: Any = 1.0, *, xp: Any = None, device: Any = None) -> Any:
        out = fft.rfftfreq(n, d, xp=xp, device=device)
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


CONSTANT = {fft.next_fast_len: "returns sizes"}


class DctBack(Function):
    """The transpose of `dct`."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any, kind: Any, axis: Any, norm: Any) -> Any:
        ctx.count = np.shape(grad)[axis]
        ctx.kind = kind
        ctx.axis = axis
        ctx.norm = norm
        return dct_back(grad, shape, kind, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fft.dct(grad, ctx.kind, ctx.count, ctx.axis, ctx.norm)


class DstBack(Function):
    """The transpose of `dst`."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any, kind: Any, axis: Any, norm: Any) -> Any:
        ctx.count = np.shape(grad)[axis]
        ctx.kind = kind
        ctx.axis = axis
        ctx.norm = norm
        return dst_back(grad, shape, kind, axis, norm)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return fft.dst(grad, ctx.kind, ctx.count, ctx.axis, ctx.norm)


for _function, _rule in ((dct_back, DctBack), (dst_back, DstBack)):
    vars(_function)["__srcgrad_rule__"] = _rule
RULES = table.freeze()
