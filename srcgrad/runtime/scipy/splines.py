"""Calculates derivatives of images between their pixels: sums of B-splines times coefficients."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.linear_maps import along_back, dtype_of
from srcgrad.runtime.scipy.neighbours import Neighbours

MARGIN = 12
"""How many pixels SciPy puts around an image in two of its modes before it filters it."""

SHORT = 64
"""Shorter lines are filtered by a matrix: SciPy's filter is symmetric only far from their ends."""

BLOCK = 16384
"""As many points are worked on at once: what is known of them stays in the processor's caches."""

_MARGINS = {"nearest": "edge", "grid-constant": "constant"}
_EVEN = ("reflect", "grid-mirror", "nearest", "grid-wrap")
"""Modes whose filter is its own adjoint; the filter of the others is, with half weight at ends."""


# --- the filter that turns pixels into coefficients -----------------------------------------------


@recordable
def spline_filter_back(grad: Any, order: int, mode: str) -> Any:
    """Return the gradient of the image of ``ndimage.spline_filter``."""
    for axis in range(np.ndim(grad)):
        grad = spline_filter1d_back(grad, order, axis, mode)
    return grad


@recordable
def spline_filter1d_back(grad: Any, order: int, axis: int, mode: str) -> Any:
    """Return the gradient of the image of ``ndimage.spline_filter1d``."""
    size = np.shape(grad)[axis]
    if order < 2 or size == 1:
        return grad
    if size < SHORT:
        return along_back(grad, axis, _short_filter(size, order, mode))
    weights = 1.0 if mode in _EVEN else _halves(np.shape(grad), axis)
    wide = np.complex128 if np.iscomplexobj(grad) else np.float64
    filtered = ndimage.spline_filter1d(grad / weights, order, axis, output=wide, mode=mode)
    return (filtered * weights).astype(dtype_of(grad))


@functools.lru_cache(maxsize=64)
def _short_filter(size: int, order: int, mode: str) -> Any:
    """Return what a filter makes of each unit vector."""
    return ndimage.spline_filter1d(np.eye(size), order, mode=mode)


def _halves(shape: Any, axis: int) -> Any:
    weights = np.ones(shape[axis])
    weights[[0, -1]] = 0.5
    return weights.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


def margin_of(how: dict[str, Any]) -> int:
    """Return how many pixels SciPy puts around an image before it interpolates it."""
    filters = how["prefilter"] and how["order"] > 1
    return MARGIN if filters and how["mode"] in _MARGINS else 0


def coefficients(image: Any, how: dict[str, Any]) -> tuple[Any, int]:
    """Return the coefficients of an image and how many pixels were put around it."""
    order, mode = how["order"], how["mode"]
    if not how["prefilter"] or order < 2:
        return image, 0
    margin, image = 0, np.asarray(image)
    if mode in _MARGINS:
        margin = MARGIN
        more = {"constant_values": how["cval"]} if mode == "grid-constant" else {}
        image = np.pad(image, margin, _MARGINS[mode], **more)
    wide = np.complex128 if np.iscomplexobj(image) else np.float64
    return ndimage.spline_filter(image, order, output=wide, mode=mode), margin


def filter_back(grad: Any, shape: Any, how: dict[str, Any]) -> Any:
    """Return the gradient of an image, given that of its coefficients."""
    order, mode = how["order"], how["mode"]
    if not how["prefilter"] or order < 2:
        return grad
    grad = spline_filter_back(grad, order, mode)
    if mode not in _MARGINS:
        return grad
    for axis, size in enumerate(shape):
        lines = np.moveaxis(grad, axis, 0)
        inner = lines[MARGIN : MARGIN + size].copy()
        if mode == "nearest":
            inner[0] += np.sum(lines[:MARGIN], axis=0)
            inner[-1] += np.sum(lines[MARGIN + size :], axis=0)
        grad = np.moveaxis(inner, 0, axis)
    return grad


# --- values and their adjoint ---------------------------------------------------------------------


@recordable
def spline_values(
    image: Any, coordinates: Any, how: dict[str, Any], along: tuple[int, ...] = ()
) -> Any:
    """Return ``ndimage.map_coordinates(image, coordinates, **how)``, or a derivative of it.

    It is differentiated once by the coordinate of each of the axes `along`.
    """
    if not along:
        return ndimage.map_coordinates(image, coordinates, **how)
    return _slopes(image, coordinates, how, [along])[0]


def _slopes(image: Any, coordinates: Any, how: dict[str, Any], ways: Any) -> Any:
    """Return derivatives of an image between its pixels, by the axes that each way lists."""
    floats_only(image)
    pixels, margin = coefficients(image, how)
    points = np.reshape(coordinates, (np.ndim(pixels), -1))
    found = np.empty((len(ways), np.shape(points)[1]), dtype=np.asarray(image).dtype)
    for piece in _blocks(np.shape(points)[1]):
        near = Neighbours(np.shape(pixels), points[:, piece], how, margin)
        for place, total in zip(found, _read(np.ravel(pixels), near, how, ways), strict=True):
            place[piece] = np.where(near.inside, total, 0.0)
    return np.reshape(found, (len(ways), *np.shape(coordinates)[1:]))


def _blocks(count: int) -> list[slice]:
    """Return the parts of a range of points that are worked on one after the other."""
    return [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]


def _read(values: Any, near: Neighbours, how: dict[str, Any], ways: Any) -> list[Any]:
    totals = [0.0] * len(ways)
    for places, weights, known in near.lines(*ways):
        value = values[places]
        value = value if known is None else np.where(known, value, how["cval"])
        for i, (line, pixel) in enumerate(weights):
            totals[i] = totals[i] + line * np.einsum("kn,kn->n", pixel, value)
    return totals


def floats_only(image: Any) -> None:
    """Refuse images of whole numbers.

    Raises:
        NotDifferentiableError: The image has whole numbers.
    """
    if np.asarray(image).dtype.kind not in "fc":
        raise NotDifferentiableError(
            "what is interpolated between whole numbers is rounded to whole numbers",
            hint="make the image floats: image.astype(float)",
        )


@recordable
def spline_image_back(
    grad: Any,
    coordinates: Any,
    shape: Any,
    how: dict[str, Any],
    along: tuple[int, ...] = (),
) -> Any:
    """Return the gradient of `image` in ``spline_values(image, coordinates, how, along)``."""
    margin = margin_of(how)
    sizes = tuple(size + 2 * margin for size in shape)
    points, values = np.reshape(coordinates, (len(shape), -1)), np.ravel(grad)
    total = np.zeros(int(np.prod(sizes)), dtype=np.result_type(grad, float))
    for piece in _blocks(len(values)):
        near = Neighbours(sizes, points[:, piece], how, margin)
        shares = np.where(near.inside, values[piece], 0)
        for places, ((line, pixel),), known in near.lines(along):
            each = pixel * (line * shares)
            each = each if known is None else np.where(known, each, 0)
            np.add.at(total, np.ravel(places), np.ravel(each))
    return filter_back(np.reshape(total, sizes), shape, how).astype(dtype_of(grad))


@recordable
def spline_gradient(
    image: Any, coordinates: Any, how: dict[str, Any], along: tuple[int, ...] = ()
) -> Any:
    """Return the derivatives of ``spline_values`` by each coordinate, one after the other."""
    ways = [(*along, i) for i in range(np.shape(coordinates)[0])]
    return _slopes(image, coordinates, how, ways)


def around_zero(how: dict[str, Any]) -> dict[str, Any]:
    """Return the options of an interpolation that is linear in the image: 0 is around it."""
    return {**how, "cval": 0.0}


# --- derivatives of these -------------------------------------------------------------------------


def spline_values_push(
    tangents: tuple[Any, Any], image: Any, coordinates: Any, how: Any, along: Any = ()
) -> Any:
    """Return the tangent of ``spline_values``, given those of image and coordinates, or None."""
    image_dot, coordinates_dot = tangents
    total: Any = 0.0
    if image_dot is not None:
        total = total + spline_values(image_dot, coordinates, around_zero(how), along)
    if coordinates_dot is not None:
        slopes = spline_gradient(image, coordinates, how, along)
        total = total + np.sum(slopes * coordinates_dot, axis=0)
    return total


def spline_gradient_back(grad: Any, coordinates: Any, shape: Any, how: Any, along: Any) -> Any:
    """Return the gradient of the image in ``spline_gradient``."""
    parts = [
        spline_image_back(grad[i], coordinates, shape, how, (*along, i)) for i in range(len(shape))
    ]
    return sum(parts[1:], start=parts[0])


def spline_curvature_back(grad: Any, image: Any, coordinates: Any, how: Any, along: Any) -> Any:
    """Return the gradient of the coordinates in ``spline_gradient``."""
    parts = [
        grad[i] * conj(spline_gradient(image, coordinates, how, (*along, i)))
        for i in range(np.shape(coordinates)[0])
    ]
    return sum(parts[1:], start=parts[0])


def spline_gradient_push(
    tangents: tuple[Any, Any], image: Any, coordinates: Any, how: Any, along: Any
) -> Any:
    """Return the tangent of ``spline_gradient``, given those of image and coordinates, or None."""
    image_dot, coordinates_dot = tangents
    total: Any = 0.0
    if image_dot is not None:
        total = total + spline_gradient(image_dot, coordinates, around_zero(how), along)
    if coordinates_dot is not None:
        for i in range(np.shape(coordinates)[0]):
            bent = spline_gradient(image, coordinates, how, (*along, i))
            total = total + bent * coordinates_dot[i]
    return total


def spline_image_back_push(
    tangents: tuple[Any, Any], grad: Any, coordinates: Any, shape: Any, options: tuple[Any, Any]
) -> Any:
    """Return the tangent of ``spline_image_back``, given those of `grad` and `coordinates`."""
    grad_dot, coordinates_dot = tangents
    how, along = options
    total: Any = 0.0
    if grad_dot is not None:
        total = total + spline_image_back(grad_dot, coordinates, shape, how, along)
    if coordinates_dot is not None:
        for i in range(len(shape)):
            moved = grad * coordinates_dot[i]
            total = total + spline_image_back(moved, coordinates, shape, how, (*along, i))
    return total
