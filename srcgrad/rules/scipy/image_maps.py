"""Rules of images between their pixels, in ``scipy.ndimage``: in the image and in the places."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.rules.scipy import image_place_adjoints
from srcgrad.runtime import conj
from srcgrad.runtime.scipy.aligned import shift_image_back, shift_slopes
from srcgrad.runtime.scipy.image_places import (
    affine_matrix_back,
    affine_offset_back,
    affine_places,
    affine_push,
    shift_push,
    shifted_places_back,
)
from srcgrad.runtime.scipy.splines import (
    around_zero,
    spline_curvature_back,
    spline_filter1d_back,
    spline_filter_back,
    spline_gradient,
    spline_gradient_back,
    spline_gradient_push,
    spline_image_back,
    spline_image_back_push,
    spline_values,
    spline_values_push,
)

ADJOINTS = image_place_adjoints
"""The rules of what these call, which are read with them."""

table = RuleTable("image_maps")


@table.rule(ndimage.map_coordinates)
class MapCoordinates(Function):
    """The image at any places, on splines through its pixels."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        coordinates: Any,
        *,
        order: int = 3,
        mode: str = "constant",
        cval: float = 0.0,
        prefilter: bool = True,
    ) -> Any:
        ctx.how = {"order": order, "mode": mode, "cval": cval, "prefilter": prefilter}
        ctx.save_for_backward(input, coordinates)
        return ndimage.map_coordinates(
            input, coordinates, order=order, mode=mode, cval=cval, prefilter=prefilter
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, coordinates = ctx.saved_tensors
        grad_input, grad_coordinates = None, None
        if ctx.needs_input_grad[0]:
            grad_input = spline_image_back(grad, coordinates, np.shape(input), ctx.how)
        if ctx.needs_input_grad[1]:
            grad_coordinates = grad * conj(spline_gradient(input, coordinates, ctx.how))
        return grad_input, grad_coordinates

    @staticmethod
    def jvp(
        ctx: Context,
        input_dot: Any,
        coordinates_dot: Any,
        order: Any,
        mode: Any,
        cval: Any,
        prefilter: Any,
    ) -> Any:
        input, coordinates = ctx.saved_tensors
        return spline_values_push((input_dot, coordinates_dot), input, coordinates, ctx.how)


@table.rule(ndimage.shift)
class Shift(Function):
    """The image, moved."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        shift: Any,
        *,
        order: int = 3,
        mode: str = "constant",
        cval: float = 0.0,
        prefilter: bool = True,
    ) -> Any:
        ctx.how = {"order": order, "mode": mode, "cval": cval, "prefilter": prefilter}
        ctx.save_for_backward(input, shift)
        return ndimage.shift(input, shift, order=order, mode=mode, cval=cval, prefilter=prefilter)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, shift = ctx.saved_tensors
        grad_input, grad_shift = None, None
        if ctx.needs_input_grad[0]:
            grad_input = shift_image_back(grad, shift, ctx.how)
        if ctx.needs_input_grad[1]:
            grad_places = grad * conj(shift_slopes(input, shift, ctx.how))
            grad_shift = shifted_places_back(grad_places, np.shape(shift))
        return grad_input, grad_shift

    @staticmethod
    def jvp(
        ctx: Context,
        input_dot: Any,
        shift_dot: Any,
        order: Any,
        mode: Any,
        cval: Any,
        prefilter: Any,
    ) -> Any:
        input, shift = ctx.saved_tensors
        return shift_push((input_dot, shift_dot), input, shift, ctx.how)


@table.rule(ndimage.affine_transform)
class AffineTransform(Function):
    """The image, of which each pixel is read at ``matrix @ place + offset``."""

    @staticmethod
    def forward(
        ctx: Context,
        input: Any,
        matrix: Any,
        offset: Any = 0.0,
        output_shape: Any = None,
        *,
        order: int = 3,
        mode: str = "constant",
        cval: float = 0.0,
        prefilter: bool = True,
    ) -> Any:
        ctx.how = {"order": order, "mode": mode, "cval": cval, "prefilter": prefilter}
        output = ndimage.affine_transform(
            input,
            matrix,
            offset,
            output_shape,
            order=order,
            mode=mode,
            cval=cval,
            prefilter=prefilter,
        )
        ctx.shape = np.shape(output)
        ctx.save_for_backward(input, matrix, offset)
        return output

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        input, matrix, offset = ctx.saved_tensors
        places = affine_places(matrix, offset, np.shape(grad))
        grad_input, grad_matrix, grad_offset = None, None, None
        if ctx.needs_input_grad[0]:
            grad_input = spline_image_back(grad, places, np.shape(input), ctx.how)
        if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
            grad_places = grad * conj(spline_gradient(input, places, ctx.how))
        if ctx.needs_input_grad[1]:
            grad_matrix = affine_matrix_back(grad_places, np.shape(matrix))
        if ctx.needs_input_grad[2]:
            grad_offset = affine_offset_back(grad_places, np.shape(matrix), np.shape(offset))
        return grad_input, grad_matrix, grad_offset

    @staticmethod
    def jvp(
        ctx: Context,
        input_dot: Any,
        matrix_dot: Any,
        offset_dot: Any,
        output_shape: Any,
        order: Any,
        mode: Any,
        cval: Any,
        prefilter: Any,
    ) -> Any:
        input, matrix, offset = ctx.saved_tensors
        return affine_push(
            (input_dot, matrix_dot, offset_dot), (input, matrix, offset), ctx.shape, ctx.how
        )


@table.rule(ndimage.spline_filter)
class SplineFilter(Function):
    """The coefficients of splines through the pixels of an image."""

    linear = ("input",)

    @staticmethod
    def forward(ctx: Context, input: Any, order: int = 3, *, mode: str = "mirror") -> Any:
        ctx.order = order
        ctx.mode = mode
        return ndimage.spline_filter(input, order, mode=mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return spline_filter_back(grad, ctx.order, ctx.mode)


@table.rule(ndimage.spline_filter1d)
class SplineFilter1d(Function):
    """The coefficients of splines through the lines of an image along one axis."""

    linear = ("input",)

    @staticmethod
    def forward(
        ctx: Context, input: Any, order: int = 3, axis: int = -1, *, mode: str = "mirror"
    ) -> Any:
        ctx.order = order
        ctx.axis = axis
        ctx.mode = mode
        return ndimage.spline_filter1d(input, order, axis, mode=mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return spline_filter1d_back(grad, ctx.order, ctx.axis, ctx.mode)


# --- what these are made of -----------------------------------------------------------------------


class SplineValues(Function):
    """The image between its pixels, or a derivative of it."""

    @staticmethod
    def forward(ctx: Context, image: Any, coordinates: Any, how: Any, along: Any = ()) -> Any:
        ctx.how = how
        ctx.along = along
        ctx.save_for_backward(image, coordinates)
        return spline_values(image, coordinates, how, along)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        image, coordinates = ctx.saved_tensors
        grad_image, grad_coordinates = None, None
        if ctx.needs_input_grad[0]:
            grad_image = spline_image_back(grad, coordinates, np.shape(image), ctx.how, ctx.along)
        if ctx.needs_input_grad[1]:
            grad_coordinates = grad * conj(spline_gradient(image, coordinates, ctx.how, ctx.along))
        return grad_image, grad_coordinates

    @staticmethod
    def jvp(ctx: Context, image_dot: Any, coordinates_dot: Any, how: Any, along: Any) -> Any:
        image, coordinates = ctx.saved_tensors
        return spline_values_push(
            (image_dot, coordinates_dot), image, coordinates, ctx.how, ctx.along
        )


class SplineGradient(Function):
    """The derivatives of the image between its pixels by each coordinate."""

    @staticmethod
    def forward(ctx: Context, image: Any, coordinates: Any, how: Any, along: Any = ()) -> Any:
        ctx.how = how
        ctx.along = along
        ctx.save_for_backward(image, coordinates)
        return spline_gradient(image, coordinates, how, along)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        image, coordinates = ctx.saved_tensors
        grad_image, grad_coordinates = None, None
        if ctx.needs_input_grad[0]:
            grad_image = spline_gradient_back(
                grad, coordinates, np.shape(image), ctx.how, ctx.along
            )
        if ctx.needs_input_grad[1]:
            grad_coordinates = spline_curvature_back(grad, image, coordinates, ctx.how, ctx.along)
        return grad_image, grad_coordinates

    @staticmethod
    def jvp(ctx: Context, image_dot: Any, coordinates_dot: Any, how: Any, along: Any) -> Any:
        image, coordinates = ctx.saved_tensors
        return spline_gradient_push(
            (image_dot, coordinates_dot), image, coordinates, ctx.how, ctx.along
        )


class SplineImageBack(Function):
    """The gradient of the image, which is linear in that of the values."""

    @staticmethod
    def forward(
        ctx: Context, grad: Any, coordinates: Any, shape: Any, how: Any, along: Any = ()
    ) -> Any:
        ctx.shape = shape
        ctx.how = how
        ctx.along = along
        ctx.save_for_backward(grad, coordinates)
        return spline_image_back(grad, coordinates, shape, how, along)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, coordinates = ctx.saved_tensors
        grad_given, grad_coordinates = None, None
        if ctx.needs_input_grad[0]:
            grad_given = spline_values(grad, coordinates, around_zero(ctx.how), ctx.along)
        if ctx.needs_input_grad[1]:
            slopes = spline_gradient(grad, coordinates, around_zero(ctx.how), ctx.along)
            grad_coordinates = given * conj(slopes)
        return grad_given, grad_coordinates

    @staticmethod
    def jvp(
        ctx: Context, grad_dot: Any, coordinates_dot: Any, shape: Any, how: Any, along: Any
    ) -> Any:
        given, coordinates = ctx.saved_tensors
        return spline_image_back_push(
            (grad_dot, coordinates_dot), given, coordinates, ctx.shape, (ctx.how, ctx.along)
        )


class SplineFilterBack(Function):
    """The gradient of the image of a filter, whose matrix is nearly its own adjoint."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, order: Any, mode: Any) -> Any:
        ctx.order = order
        ctx.mode = mode
        return spline_filter_back(grad, order, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.spline_filter(grad, ctx.order, mode=ctx.mode)


class SplineFilter1dBack(Function):
    """The gradient of the image of a filter along one axis."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, order: Any, axis: Any, mode: Any) -> Any:
        ctx.order = order
        ctx.axis = axis
        ctx.mode = mode
        return spline_filter1d_back(grad, order, axis, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return ndimage.spline_filter1d(grad, ctx.order, ctx.axis, mode=ctx.mode)


for _function, _rule in (
    (spline_filter_back, SplineFilterBack),
    (spline_filter1d_back, SplineFilter1dBack),
    (spline_gradient, SplineGradient),
    (spline_image_back, SplineImageBack),
    (spline_values, SplineValues),
):
    vars(_function)["__srcgrad_rule__"] = _rule
RULES = table.freeze()
