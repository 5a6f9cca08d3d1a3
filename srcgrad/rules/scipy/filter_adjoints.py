"""Rules of what gradients of filters of images call: the adjoint of an adjoint is the filter."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.rules.base import Context, Function
from srcgrad.runtime.scipy.aligned import zoom_back
from srcgrad.runtime.scipy.filters import (
    filter_image_back,
    filter_weights_back,
    filter_weights_back_push,
    filtered,
    filtered_push,
    gaussian_filter1d_back,
    gaussian_filter_back,
    laplace_back,
    prewitt_back,
    sobel_back,
    uniform_filter1d_back,
    uniform_filter_back,
)
from srcgrad.runtime.scipy.splines import around_zero
from srcgrad.runtime.scipy.widths import (
    around_zeros,
    gaussian_back_push,
    gaussian_width_back,
    gaussian_widths_back,
    gaussians_back_push,
    smoothed,
    smoothed_along,
)


class Filtered(Function):
    """The image under moving weights."""

    @staticmethod
    def forward(ctx: Context, image: Any, weights: Any, kind: Any, how: Any) -> Any:
        ctx.kind = kind
        ctx.how = how
        ctx.save_for_backward(image, weights)
        return filtered(image, weights, kind, how)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        image, weights = ctx.saved_tensors
        grad_image, grad_weights = None, None
        if ctx.needs_input_grad[0]:
            grad_image = filter_image_back(grad, weights, ctx.kind, ctx.how)
        if ctx.needs_input_grad[1]:
            grad_weights = filter_weights_back(grad, image, np.shape(weights), ctx.kind, ctx.how)
        return grad_image, grad_weights

    @staticmethod
    def jvp(ctx: Context, image_dot: Any, weights_dot: Any, *others: Any) -> Any:
        image, weights = ctx.saved_tensors
        return filtered_push((image_dot, weights_dot), image, weights, ctx.kind, ctx.how)


class FilterImageBack(Function):
    """The gradient of the image under moving weights."""

    multilinear = ("grad", "weights")

    @staticmethod
    def forward(ctx: Context, grad: Any, weights: Any, kind: Any, how: Any) -> Any:
        ctx.kind = kind
        ctx.how = how
        ctx.save_for_backward(grad, weights)
        return filter_image_back(grad, weights, kind, how)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, weights = ctx.saved_tensors
        grad_given, grad_weights = None, None
        if ctx.needs_input_grad[0]:
            grad_given = filtered(grad, weights, ctx.kind, around_zero(ctx.how))
        if ctx.needs_input_grad[1]:
            grad_weights = filter_weights_back(
                given, grad, np.shape(weights), ctx.kind, around_zero(ctx.how)
            )
        return grad_given, grad_weights


class FilterWeightsBack(Function):
    """The gradient of moving weights."""

    @staticmethod
    def forward(ctx: Context, grad: Any, image: Any, shape: Any, kind: Any, how: Any) -> Any:
        ctx.shape = shape
        ctx.kind = kind
        ctx.how = how
        ctx.save_for_backward(grad, image)
        return filter_weights_back(grad, image, shape, kind, how)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, image = ctx.saved_tensors
        grad_given, grad_image = None, None
        if ctx.needs_input_grad[0]:
            grad_given = filtered(image, grad, ctx.kind, ctx.how)
        if ctx.needs_input_grad[1]:
            grad_image = filter_image_back(given, grad, ctx.kind, ctx.how)
        return grad_given, grad_image

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, image_dot: Any, *others: Any) -> Any:
        given, image = ctx.saved_tensors
        return filter_weights_back_push(
            (grad_dot, image_dot), given, image, ctx.shape, (ctx.kind, ctx.how)
        )


class GaussianFilterBack(Function):
    """The gradient of an image that Gaussians smooth."""

    @staticmethod
    def forward(ctx: Context, grad: Any, sigma: Any, order: Any, options: Any) -> Any:
        ctx.order = order
        ctx.options = options
        ctx.save_for_backward(grad, sigma)
        return gaussian_filter_back(grad, sigma, order, options)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, sigma = ctx.saved_tensors
        grad_given, grad_sigma = None, None
        if ctx.needs_input_grad[0]:
            grad_given = smoothed(grad, sigma, ctx.order, ctx.options)
        if ctx.needs_input_grad[1]:
            options = around_zeros(ctx.options)
            grad_sigma = gaussian_widths_back(given, grad, sigma, ctx.order, options)
        return grad_given, grad_sigma

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, sigma_dot: Any, *others: Any) -> Any:
        given, sigma = ctx.saved_tensors
        return gaussians_back_push((grad_dot, sigma_dot), given, sigma, ctx.order, ctx.options)


class GaussianFilter1dBack(Function):
    """The gradient of an image that a Gaussian smooths along one axis."""

    @staticmethod
    def forward(ctx: Context, grad: Any, sigma: Any, axis: Any, order: Any, options: Any) -> Any:
        ctx.axis = axis
        ctx.order = order
        ctx.options = options
        ctx.save_for_backward(grad, sigma)
        return gaussian_filter1d_back(grad, sigma, axis, order, options)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, sigma = ctx.saved_tensors
        grad_given, grad_sigma = None, None
        if ctx.needs_input_grad[0]:
            grad_given = smoothed_along(grad, sigma, ctx.axis, ctx.order, ctx.options)
        if ctx.needs_input_grad[1]:
            options = around_zeros(ctx.options)
            grad_sigma = gaussian_width_back(given, grad, sigma, ctx.axis, ctx.order, options)
        return grad_given, grad_sigma

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, sigma_dot: Any, *others: Any) -> Any:
        given, sigma = ctx.saved_tensors
        place = ctx.axis, ctx.order
        return gaussian_back_push((grad_dot, sigma_dot), given, sigma, place, ctx.options)


class UniformFilterBack(Function):
    """The gradient of an image of which means of boxes are taken."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, size: Any, mode: Any, origin: Any) -> Any:
        ctx.size = size
        ctx.mode = mode
        ctx.origin = origin
        return uniform_filter_back(grad, size, mode, origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.uniform_filter(grad, ctx.size, mode=ctx.mode, origin=ctx.origin)


class UniformFilter1dBack(Function):
    """The gradient of an image of which means along an axis are taken."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, size: Any, axis: Any, mode: Any, origin: Any) -> Any:
        ctx.size = size
        ctx.axis = axis
        ctx.mode = mode
        ctx.origin = origin
        return uniform_filter1d_back(grad, size, axis, mode, origin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.uniform_filter1d(grad, ctx.size, ctx.axis, mode=ctx.mode, origin=ctx.origin)


class SobelBack(Function):
    """The gradient of an image of which the edges are taken."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, axis: Any, mode: Any) -> Any:
        ctx.axis = axis
        ctx.mode = mode
        return sobel_back(grad, axis, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.sobel(grad, ctx.axis, mode=ctx.mode)


class PrewittBack(Function):
    """The gradient of an image of which the edges are taken."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, axis: Any, mode: Any) -> Any:
        ctx.axis = axis
        ctx.mode = mode
        return prewitt_back(grad, axis, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.prewitt(grad, ctx.axis, mode=ctx.mode)


class LaplaceBack(Function):
    """The gradient of an image of which second differences are taken."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, mode: Any) -> Any:
        ctx.mode = mode
        return laplace_back(grad, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.laplace(grad, mode=ctx.mode)


class ZoomBack(Function):
    """The gradient of an image that is given more or fewer pixels."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any, zoom: Any, options: Any) -> Any:
        ctx.amount = zoom
        ctx.options = options
        return zoom_back(grad, shape, zoom, options)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.zoom(grad, ctx.amount, **ctx.options)


for _function, _rule in (
    (filtered, Filtered),
    (filter_image_back, FilterImageBack),
    (filter_weights_back, FilterWeightsBack),
    (gaussian_filter_back, GaussianFilterBack),
    (gaussian_filter1d_back, GaussianFilter1dBack),
    (uniform_filter_back, UniformFilterBack),
    (uniform_filter1d_back, UniformFilter1dBack),
    (sobel_back, SobelBack),
    (prewitt_back, PrewittBack),
    (laplace_back, LaplaceBack),
    (zoom_back, ZoomBack),
):
    vars(_function)["__srcgrad_rule__"] = _rule
