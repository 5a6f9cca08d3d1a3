"""Rules of filters and interpolations in ``scipy.ndimage``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy import filter_adjoints
from srcgrad.runtime.scipy.aligned import zoom_back
from srcgrad.runtime.scipy.filters import (
    filter_image_back,
    filter_weights_back,
    filtered_push,
    gaussian_filter1d_back,
    gaussian_filter_back,
    laplace_back,
    prewitt_back,
    sobel_back,
    uniform_filter1d_back,
    uniform_filter_back,
)
from srcgrad.runtime.scipy.widths import (
    gaussian_width_back,
    gaussian_width_push,
    gaussian_widths_back,
    gaussian_widths_push,
)

ADJOINTS = filter_adjoints
"""The rules of what these call, which are read with them."""

table = RuleTable("images")


@table.rule(ndimage.correlate)
class Correlate(Function):
    """The image under moving weights."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        weights: Any,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
    ) -> Any:
        ctx.how = {"mode": mode, "cval": cval, "origin": origin}
        ctx.save_for_backward(input, weights)
        return ndimage.correlate(input, weights, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = None, None
        if ctx.needs_input_grad[0]:
            grad_input = filter_image_back(grad, weights, "correlate", ctx.how)
        if ctx.needs_input_grad[1]:
            grad_weights = filter_weights_back(grad, input, np.shape(weights), "correlate", ctx.how)
        return grad_input, grad_weights

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, weights_dot: Any, *others: Any) -> Any:
        input, weights = ctx.saved_tensors
        return filtered_push((input_dot, weights_dot), input, weights, "correlate", ctx.how)


@table.rule(ndimage.correlate1d)
class Correlate1d(Function):
    """The image under weights that move along one axis."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        weights: Any,
        axis: int = -1,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: int = 0,
    ) -> Any:
        ctx.how = {"axis": axis, "mode": mode, "cval": cval, "origin": origin}
        ctx.save_for_backward(input, weights)
        return ndimage.correlate1d(input, weights, axis, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = None, None
        if ctx.needs_input_grad[0]:
            grad_input = filter_image_back(grad, weights, "correlate1d", ctx.how)
        if ctx.needs_input_grad[1]:
            grad_weights = filter_weights_back(
                grad, input, np.shape(weights), "correlate1d", ctx.how
            )
        return grad_input, grad_weights

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, weights_dot: Any, *others: Any) -> Any:
        input, weights = ctx.saved_tensors
        return filtered_push((input_dot, weights_dot), input, weights, "correlate1d", ctx.how)


@table.rule(ndimage.convolve)
class Convolve(Function):
    """The image under moving weights."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        weights: Any,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
    ) -> Any:
        ctx.how = {"mode": mode, "cval": cval, "origin": origin}
        ctx.save_for_backward(input, weights)
        return ndimage.convolve(input, weights, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = None, None
        if ctx.needs_input_grad[0]:
            grad_input = filter_image_back(grad, weights, "convolve", ctx.how)
        if ctx.needs_input_grad[1]:
            grad_weights = filter_weights_back(grad, input, np.shape(weights), "convolve", ctx.how)
        return grad_input, grad_weights

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, weights_dot: Any, *others: Any) -> Any:
        input, weights = ctx.saved_tensors
        return filtered_push((input_dot, weights_dot), input, weights, "convolve", ctx.how)


@table.rule(ndimage.convolve1d)
class Convolve1d(Function):
    """The image under weights that move along one axis."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        weights: Any,
        axis: int = -1,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: int = 0,
    ) -> Any:
        ctx.how = {"axis": axis, "mode": mode, "cval": cval, "origin": origin}
        ctx.save_for_backward(input, weights)
        return ndimage.convolve1d(input, weights, axis, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = None, None
        if ctx.needs_input_grad[0]:
            grad_input = filter_image_back(grad, weights, "convolve1d", ctx.how)
        if ctx.needs_input_grad[1]:
            grad_weights = filter_weights_back(
                grad, input, np.shape(weights), "convolve1d", ctx.how
            )
        return grad_input, grad_weights

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, weights_dot: Any, *others: Any) -> Any:
        input, weights = ctx.saved_tensors
        return filtered_push((input_dot, weights_dot), input, weights, "convolve1d", ctx.how)


@table.rule(ndimage.gaussian_filter)
class GaussianFilter(Function):
    """The image smoothed by Gaussians; in their widths, the number of weights is held."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        sigma: Any,
        order: Any = 0,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        truncate: float = 4.0,
        radius: Any = None,
    ) -> Any:
        ctx.order = order
        ctx.options = mode, cval, truncate, radius
        ctx.save_for_backward(input if ctx.needs_input_grad[1] else None, sigma)
        return ndimage.gaussian_filter(
            input, sigma, order, mode=mode, cval=cval, truncate=truncate, radius=radius
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, sigma = ctx.saved_tensors
        grad_input, grad_sigma = None, None
        if ctx.needs_input_grad[0]:
            grad_input = gaussian_filter_back(grad, sigma, ctx.order, ctx.options)
        if ctx.needs_input_grad[1]:
            grad_sigma = gaussian_widths_back(grad, input, sigma, ctx.order, ctx.options)
        return grad_input, grad_sigma

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, sigma_dot: Any, *others: Any) -> Any:
        input, sigma = ctx.saved_tensors
        return gaussian_widths_push((input_dot, sigma_dot), input, sigma, ctx.order, ctx.options)


@table.rule(ndimage.gaussian_filter1d)
class GaussianFilter1d(Function):
    """The image smoothed by a Gaussian along one axis."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        sigma: Any,
        axis: int = -1,
        order: int = 0,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        truncate: float = 4.0,
        radius: Any = None,
    ) -> Any:
        ctx.axis, ctx.order = axis, order
        ctx.options = mode, cval, truncate, radius
        ctx.save_for_backward(input if ctx.needs_input_grad[1] else None, sigma)
        return ndimage.gaussian_filter1d(
            input, sigma, axis, order, mode=mode, cval=cval, truncate=truncate, radius=radius
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, sigma = ctx.saved_tensors
        grad_input, grad_sigma = None, None
        if ctx.needs_input_grad[0]:
            grad_input = gaussian_filter1d_back(grad, sigma, ctx.axis, ctx.order, ctx.options)
        if ctx.needs_input_grad[1]:
            grad_sigma = gaussian_width_back(grad, input, sigma, ctx.axis, ctx.order, ctx.options)
        return grad_input, grad_sigma

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, sigma_dot: Any, *others: Any) -> Any:
        input, sigma = ctx.saved_tensors
        place = ctx.axis, ctx.order
        return gaussian_width_push((input_dot, sigma_dot), input, sigma, place, ctx.options)


@table.rule(ndimage.uniform_filter)
class UniformFilter(Function):
    """The means of boxes of an image."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        size: Any = 3,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: Any = 0,
    ) -> Any:
        ctx.size = size
        ctx.mode = mode
        ctx.origin = origin
        return ndimage.uniform_filter(input, size, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return uniform_filter_back(grad, ctx.size, ctx.mode, ctx.origin)

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, *others: Any) -> Any:
        return ndimage.uniform_filter(input_dot, ctx.size, mode=ctx.mode, origin=ctx.origin)


@table.rule(ndimage.uniform_filter1d)
class UniformFilter1d(Function):
    """The means of pieces of an image along one axis."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        size: int,
        axis: int = -1,
        *,
        mode: Any = "reflect",
        cval: float = 0.0,
        origin: int = 0,
    ) -> Any:
        ctx.size = size
        ctx.axis = axis
        ctx.mode = mode
        ctx.origin = origin
        return ndimage.uniform_filter1d(input, size, axis, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return uniform_filter1d_back(grad, ctx.size, ctx.axis, ctx.mode, ctx.origin)

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, *others: Any) -> Any:
        return ndimage.uniform_filter1d(
            input_dot, ctx.size, ctx.axis, mode=ctx.mode, origin=ctx.origin
        )


@table.rule(ndimage.sobel)
class Sobel(Function):
    """The edges of an image across one axis."""

    @staticmethod
    def forward(
        ctx: Context, input: Any, axis: int = -1, *, mode: Any = "reflect", cval: float = 0.0
    ) -> Any:
        ctx.axis = axis
        ctx.mode = mode
        return ndimage.sobel(input, axis, mode=mode, cval=cval)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return sobel_back(grad, ctx.axis, ctx.mode)

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, *others: Any) -> Any:
        return ndimage.sobel(input_dot, ctx.axis, mode=ctx.mode)


@table.rule(ndimage.prewitt)
class Prewitt(Function):
    """The edges of an image across one axis."""

    @staticmethod
    def forward(
        ctx: Context, input: Any, axis: int = -1, *, mode: Any = "reflect", cval: float = 0.0
    ) -> Any:
        ctx.axis = axis
        ctx.mode = mode
        return ndimage.prewitt(input, axis, mode=mode, cval=cval)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return prewitt_back(grad, ctx.axis, ctx.mode)

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, *others: Any) -> Any:
        return ndimage.prewitt(input_dot, ctx.axis, mode=ctx.mode)


@table.rule(ndimage.laplace)
class Laplace(Function):
    """The sum of second differences along all axes."""

    @staticmethod
    def forward(ctx: Context, input: Any, *, mode: Any = "reflect", cval: float = 0.0) -> Any:
        ctx.mode = mode
        return ndimage.laplace(input, mode=mode, cval=cval)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return laplace_back(grad, ctx.mode)

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, *others: Any) -> Any:
        return ndimage.laplace(input_dot, mode=ctx.mode)


@table.rule(ndimage.zoom)
class Zoom(Function):
    """The image with more or fewer pixels; how many jumps with the factor."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        zoom: Any,
        *,
        order: int = 3,
        mode: str = "constant",
        cval: float = 0.0,
        prefilter: bool = True,
        grid_mode: bool = False,
    ) -> Any:
        ctx.shape = np.shape(input)
        ctx.amount = zoom
        ctx.options = {"order": order, "mode": mode, "prefilter": prefilter, "grid_mode": grid_mode}
        return ndimage.zoom(
            input, zoom, order=order, mode=mode, cval=cval, prefilter=prefilter, grid_mode=grid_mode
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return zoom_back(grad, ctx.shape, ctx.amount, ctx.options)

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, *others: Any) -> Any:
        return ndimage.zoom(input_dot, ctx.amount, **ctx.options)


RULES = table.freeze()
