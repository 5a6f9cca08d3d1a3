"""Calculates where the pixels of a transformed image lie in the image."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.splines import (
    spline_gradient_push,
    spline_image_back_push,
    spline_values_push,
)


@recordable
def affine_places(matrix: Any, offset: Any, shape: Any) -> Any:
    """Return where ``ndimage.affine_transform`` reads each pixel of an image of a shape.

    The matrix may be a diagonal, and may hold the offset in a last column.
    """
    rank, grid = len(shape), np.indices(shape)
    matrix = np.asarray(matrix)
    if matrix.ndim == 1:
        places = _upright(matrix, rank) * grid
    else:
        if matrix.shape[1] == rank + 1:
            matrix, offset = matrix[:rank, :rank], matrix[:rank, rank]
        places = np.tensordot(matrix, grid, 1)
    return places + (_upright(offset, rank) if np.ndim(offset) else offset)


def _upright(values: Any, rank: int) -> Any:
    return np.reshape(values, (-1,) + (1,) * rank)


@recordable
def affine_matrix_back(grad: Any, shape: Any) -> Any:
    """Return the gradient of a matrix of some shape in ``affine_places``."""
    rank = np.ndim(grad) - 1
    grid = np.indices(np.shape(grad)[1:])
    axes = tuple(range(1, rank + 1))
    if len(shape) == 1:
        return np.sum(grad * grid, axis=axes).astype(grad.dtype)
    whole = np.zeros(shape, dtype=grad.dtype)
    whole[:rank, :rank] = np.tensordot(grad, grid, (axes, axes))
    if shape[1] == rank + 1:
        whole[:rank, rank] = np.sum(grad, axis=axes)
    return whole


@recordable
def affine_offset_back(grad: Any, matrix_shape: Any, shape: Any) -> Any:
    """Return the gradient of an offset of some shape in ``affine_places``."""
    if len(matrix_shape) == 2 and matrix_shape[1] == np.ndim(grad):
        return np.zeros(shape, dtype=grad.dtype)  # the matrix has an offset of its own
    return np.sum(grad, axis=tuple(range(1 if shape else 0, np.ndim(grad))))


@recordable
def shifted_places(shift: Any, shape: Any) -> Any:
    """Return where ``ndimage.shift`` reads each pixel of an image of a shape."""
    return np.indices(shape) - (_upright(shift, len(shape)) if np.ndim(shift) else shift)


@recordable
def shifted_places_back(grad: Any, shape: Any) -> Any:
    """Return the gradient of a shift of some shape in ``shifted_places``."""
    return -np.sum(grad, axis=tuple(range(1 if shape else 0, np.ndim(grad))))


def turned_shape(angle: Any, shape: Any, reshape: bool) -> Any:
    """Return the shape of what ``ndimage.rotate`` makes of a plane of a shape."""
    if not reshape:
        return tuple(shape)
    c, s = special.cosdg(angle), special.sindg(angle)
    high, wide = shape
    bounds = np.array([[c, s], [-s, c]]) @ [[0, 0, high, high], [0, wide, 0, wide]]
    return tuple(int(size) for size in np.ptp(bounds, axis=1) + 0.5)


def centred_grid(shape: Any) -> Any:
    """Return the rows and columns of the pixels of a plane, counted from its middle."""
    high, wide = shape
    rows, cols = np.indices(shape)
    return rows - (high - 1) / 2, cols - (wide - 1) / 2


def middle(shape: Any) -> tuple[float, float]:
    """Return where the middle of a plane is."""
    high, wide = shape
    return (high - 1) / 2, (wide - 1) / 2


def plane_axes(axes: Any, rank: int) -> tuple[int, int]:
    """Return the axes of a plane in order."""
    first, second = sorted(axis % rank for axis in axes)
    return first, second


for _function in (turned_shape, centred_grid, middle, plane_axes):
    vars(_function)["__srcgrad_constant__"] = True


def shift_push(tangents: tuple[Any, Any], image: Any, shift: Any, how: Any) -> Any:
    """Return the tangent of ``ndimage.shift``, given those of image and shift, or None."""
    image_dot, shift_dot = tangents
    shape = np.shape(image)
    moved = None
    if shift_dot is not None:
        moved = shifted_places(shift_dot, shape) - np.indices(shape)
    return spline_values_push((image_dot, moved), image, shifted_places(shift, shape), how)


def shift_image_back_push(tangents: tuple[Any, Any], grad: Any, shift: Any, how: Any) -> Any:
    """Return the tangent of ``shift_image_back``, given those of `grad` and `shift`, or None."""
    grad_dot, shift_dot = tangents
    shape = np.shape(grad)
    moved = None
    if shift_dot is not None:
        moved = shifted_places(shift_dot, shape) - np.indices(shape)
    places = shifted_places(shift, shape)
    return spline_image_back_push((grad_dot, moved), grad, places, shape, (how, ()))


def shift_slopes_push(tangents: tuple[Any, Any], image: Any, shift: Any, how: Any) -> Any:
    """Return the tangent of ``shift_slopes``, given those of image and shift, or None."""
    image_dot, shift_dot = tangents
    shape = np.shape(image)
    moved = None
    if shift_dot is not None:
        moved = shifted_places(shift_dot, shape) - np.indices(shape)
    return spline_gradient_push((image_dot, moved), image, shifted_places(shift, shape), how, ())


def affine_push(tangents: Any, values: Any, shape: Any, how: Any) -> Any:
    """Return the tangent of ``ndimage.affine_transform``, given those of its arguments, or None."""
    image_dot, matrix_dot, offset_dot = tangents
    image, matrix, offset = values
    moved = None
    if matrix_dot is not None or offset_dot is not None:
        turned = np.zeros(np.shape(matrix)) if matrix_dot is None else matrix_dot
        moved = affine_places(turned, 0.0 if offset_dot is None else offset_dot, shape)
    places = affine_places(matrix, offset, shape)
    return spline_values_push((image_dot, moved), image, places, how)
