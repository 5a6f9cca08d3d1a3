"""Rules of filters and interpolations in ``scipy.ndimage``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.filters import (
    axis_correlate_back,
    axis_correlate_push,
    edges_back,
    gaussian_filter_back,
    gaussian_matrix,
    image_correlate_back,
    laplace_back,
    uniform_filter_back,
    zoom_back,
    zoom_push,
)
from srcgrad.runtime.scipy.linear_maps import along_back, units
from srcgrad.runtime.scipy.widths import (
    gaussian_width_back,
    gaussian_width_push,
    gaussian_widths_back,
    gaussian_widths_push,
)

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
        ctx.options = mode, cval, origin
        ctx.save_for_backward(input, weights)
        return ndimage.correlate(input, weights, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = image_correlate_back(grad, input, weights, ctx.options, False)
        return grad_input, grad_weights


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
        ctx.axis = axis
        ctx.options = mode, cval, origin
        ctx.save_for_backward(input, weights)
        return ndimage.correlate1d(input, weights, axis, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = axis_correlate_back(
            grad, (input, weights), ctx.axis, ctx.options, False
        )
        return grad_input, grad_weights

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, weights_dot: Any, *others: Any) -> Any:
        input, weights = ctx.saved_tensors
        return axis_correlate_push(
            (input_dot, weights_dot), (input, weights), ctx.axis, ctx.options, False
        )


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
        ctx.options = mode, cval, origin
        ctx.save_for_backward(input, weights)
        return ndimage.convolve(input, weights, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = image_correlate_back(grad, input, weights, ctx.options, True)
        return grad_input, grad_weights


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
        ctx.axis = axis
        ctx.options = mode, cval, origin
        ctx.save_for_backward(input, weights)
        return ndimage.convolve1d(input, weights, axis, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, weights = ctx.saved_tensors
        grad_input, grad_weights = axis_correlate_back(
            grad, (input, weights), ctx.axis, ctx.options, True
        )
        return grad_input, grad_weights

    @staticmethod
    def jvp(ctx: Context, input_dot: Any, weights_dot: Any, *others: Any) -> Any:
        input, weights = ctx.saved_tensors
        return axis_correlate_push(
            (input_dot, weights_dot), (input, weights), ctx.axis, ctx.options, True
        )


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
        ctx.shape, ctx.axis, ctx.order = np.shape(input), axis, order
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
            matrix = gaussian_matrix(ctx.shape[ctx.axis], sigma, ctx.order, ctx.options)
            grad_input = along_back(grad, ctx.shape, ctx.axis, matrix)
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
        ctx.shape = np.shape(input)
        ctx.size = size
        ctx.axis = axis
        ctx.mode = mode
        ctx.origin = origin
        return ndimage.uniform_filter1d(input, size, axis, mode=mode, cval=cval, origin=origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        unit = units(ctx.shape, ctx.axis)
        matrix = ndimage.uniform_filter1d(unit, ctx.size, mode=ctx.mode, origin=ctx.origin)
        return along_back(grad, ctx.shape, ctx.axis, matrix)

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
        return edges_back(grad, ctx.axis, ctx.mode, [1, 2, 1])

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
        return edges_back(grad, ctx.axis, ctx.mode, [1, 1, 1])

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
        return zoom_push(input_dot, ctx.amount, ctx.options)


RULES = table.freeze()
