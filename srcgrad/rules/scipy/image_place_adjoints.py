"""Rules of what gradients of transformed images call: of places, and of images that are moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.runtime import conj
from srcgrad.runtime.scipy.aligned import shift_image_back, shift_slopes
from srcgrad.runtime.scipy.image_places import (
    affine_matrix_back,
    affine_offset_back,
    affine_places,
    shift_image_back_push,
    shift_slopes_push,
    shifted_places,
    shifted_places_back,
)
from srcgrad.runtime.scipy.splines import (
    around_zero,
    spline_curvature_back,
    spline_gradient_back,
    spline_values,
)


class AffinePlaces(Function):
    """Where the pixels of a transformed image lie."""

    linear = ("matrix", "offset")

    @staticmethod
    def forward(ctx: Context, matrix: Any, offset: Any, shape: Any) -> Any:
        ctx.matrix_shape = np.shape(matrix)
        ctx.offset_shape = np.shape(offset)
        return affine_places(matrix, offset, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_matrix, grad_offset = None, None
        if ctx.needs_input_grad[0]:
            grad_matrix = affine_matrix_back(grad, ctx.matrix_shape)
        if ctx.needs_input_grad[1]:
            grad_offset = affine_offset_back(grad, ctx.matrix_shape, ctx.offset_shape)
        return grad_matrix, grad_offset


class AffineMatrixBack(Function):
    """The gradient of a matrix."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any) -> Any:
        ctx.shape = np.shape(grad)[1:]
        return affine_matrix_back(grad, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return affine_places(grad, 0.0, ctx.shape)


class AffineOffsetBack(Function):
    """The gradient of an offset."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, matrix_shape: Any, shape: Any) -> Any:
        ctx.matrix_shape = matrix_shape
        ctx.shape = np.shape(grad)[1:]
        return affine_offset_back(grad, matrix_shape, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return affine_places(np.zeros(ctx.matrix_shape), grad, ctx.shape)


class ShiftedPlaces(Function):
    """Where the pixels of a moved image lie."""

    @staticmethod
    def forward(ctx: Context, shift: Any, shape: Any) -> Any:
        ctx.shift_shape = np.shape(shift)
        ctx.shape = shape
        return shifted_places(shift, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return shifted_places_back(grad, ctx.shift_shape)

    @staticmethod
    def jvp(ctx: Context, shift_dot: Any, shape: Any) -> Any:
        return shifted_places(shift_dot, ctx.shape) - shifted_places(0.0, ctx.shape)


class ShiftedPlacesBack(Function):
    """The gradient of how far an image is moved."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any) -> Any:
        ctx.shape = np.shape(grad)[1:]
        return shifted_places_back(grad, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return shifted_places(grad, ctx.shape) - shifted_places(0.0, ctx.shape)


class ShiftImageBack(Function):
    """The gradient of an image that is moved."""

    @staticmethod
    def forward(ctx: Context, grad: Any, shift: Any, how: Any) -> Any:
        ctx.how = how
        ctx.save_for_backward(grad, shift)
        return shift_image_back(grad, shift, how)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, shift = ctx.saved_tensors
        grad_given, grad_shift = None, None
        if ctx.needs_input_grad[0]:
            grad_given = spline_values(
                grad, shifted_places(shift, np.shape(grad)), around_zero(ctx.how)
            )
        if ctx.needs_input_grad[1]:
            grad_places = given * conj(shift_slopes(grad, shift, around_zero(ctx.how)))
            grad_shift = shifted_places_back(grad_places, np.shape(shift))
        return grad_given, grad_shift

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, shift_dot: Any, how: Any) -> Any:
        given, shift = ctx.saved_tensors
        return shift_image_back_push((grad_dot, shift_dot), given, shift, ctx.how)


class ShiftSlopes(Function):
    """The derivatives of a moved image by the place that is read."""

    @staticmethod
    def forward(ctx: Context, image: Any, shift: Any, how: Any) -> Any:
        ctx.how = how
        ctx.save_for_backward(image, shift)
        return shift_slopes(image, shift, how)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        image, shift = ctx.saved_tensors
        places = shifted_places(shift, np.shape(image))
        grad_image, grad_shift = None, None
        if ctx.needs_input_grad[0]:
            grad_image = spline_gradient_back(grad, places, np.shape(image), ctx.how, ())
        if ctx.needs_input_grad[1]:
            grad_places = spline_curvature_back(grad, image, places, ctx.how, ())
            grad_shift = shifted_places_back(grad_places, np.shape(shift))
        return grad_image, grad_shift

    @staticmethod
    def jvp(ctx: Context, image_dot: Any, shift_dot: Any, how: Any) -> Any:
        image, shift = ctx.saved_tensors
        return shift_slopes_push((image_dot, shift_dot), image, shift, ctx.how)


for _function, _rule in (
    (affine_places, AffinePlaces),
    (shift_image_back, ShiftImageBack),
    (shift_slopes, ShiftSlopes),
    (shifted_places, ShiftedPlaces),
    (shifted_places_back, ShiftedPlacesBack),
    (affine_matrix_back, AffineMatrixBack),
    (affine_offset_back, AffineOffsetBack),
):
    vars(_function)["__srcgrad_rule__"] = _rule
