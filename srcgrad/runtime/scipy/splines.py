"""Calculates derivatives of images between their pixels: sums of B-splines times coefficients."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.linear_maps import along_back, dtype_of

MARGIN = 12
"""How many pixels SciPy puts around an image in two of its modes before it filters it."""

SHORT = 64
"""Shorter lines are filtered by a matrix: SciPy's filter is symmetric only far from their ends."""

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
        matrix = ndimage.spline_filter1d(np.eye(size), order, mode=mode)
        return along_back(grad, np.shape(grad), axis, matrix)
    weights = 1.0 if mode in _EVEN else _halves(np.shape(grad), axis)
    wide = np.complex128 if np.iscomplexobj(grad) else np.float64
    filtered = ndimage.spline_filter1d(grad / weights, order, axis, output=wide, mode=mode)
    return (filtered * weights).astype(dtype_of(grad))


def _halves(shape: Any, axis: int) -> Any:
    weights = np.ones(shape[axis])
    weights[[0, -1]] = 0.5
    return weights.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


def _filtered(image: Any, how: dict[str, Any]) -> tuple[Any, int]:
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


def _filter_back(grad: Any, shape: Any, how: dict[str, Any]) -> Any:
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


# --- weights --------------------------------------------------------------------------------------


@functools.cache
def _pieces(order: int) -> tuple[Any, ...]:
    """Return the weights of ``order + 1`` neighbours, polynomials of the way from one to the next.

    They are the pieces of the B-spline, by the recursion of de Boor, last piece first.
    """
    pieces = [np.polynomial.Polynomial([1.0])]
    t, none = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([0.0])
    for n in range(1, order + 1):
        above, below = [*pieces, none], [none, *pieces]
        pieces = [((t + j) * above[j] + (n + 1 - j - t) * below[j]) / n for j in range(n + 1)]
    return tuple(reversed(pieces))


class _Axis:
    """The neighbours along one axis: which pixels, with which weights, and where there are any."""

    def __init__(self, x: Any, size: int, margin: int, how: dict[str, Any], turns: int) -> None:
        order, mode = how["order"], how["mode"]
        x = x + margin
        self.inside, last = np.ones(np.shape(x), dtype=bool), size - 1
        if mode == "constant":
            self.inside = (x >= 0) & (x <= last)
            x = np.where(self.inside, x, 0.0)
        elif mode == "wrap":
            x = _wrapped(x, last)
        first = np.floor(x if order % 2 else x + 0.5)
        if order == 1 and mode in ("constant", "nearest"):
            first = np.where(x == last, max(last - 1, 0), first)  # at the last pixel, from the left
        way = x - first if order % 2 else x + 0.5 - first
        start = first.astype(int) - order // 2
        self.weights = [piece.deriv(turns)(way) for piece in _pieces(order)]
        places = [start + k for k in range(order + 1)]
        self.known = None
        if mode == "grid-constant":
            self.known = [(place >= 0) & (place <= last) for place in places]
        self.places = [_folded(place, size, mode) for place in places]


def _wrapped(x: Any, period: int) -> Any:
    """Return coordinates within one period; those that are within it stay."""
    if period == 0:
        return 0.0 * x
    return np.where((x < 0) | (x > period), x - period * np.floor(x / period), x)


def _folded(place: Any, size: int, mode: str) -> Any:
    """Return the pixels that stand for those beyond the ends of an image."""
    if size == 1:
        return np.zeros_like(place)
    if mode in ("nearest", "grid-constant"):
        return np.clip(place, 0, size - 1)
    if mode == "grid-wrap":
        return np.mod(place, size)
    if mode in ("reflect", "grid-mirror"):
        place = np.mod(place, 2 * size)
        return np.where(place < size, place, 2 * size - 1 - place)
    place = np.mod(place, 2 * size - 2)
    return np.where(place < size, place, 2 * size - 2 - place)


class _Neighbours:
    """The neighbours of all points in an image of a shape, margins and all."""

    def __init__(
        self, shape: Any, coordinates: Any, how: dict[str, Any], margin: int, along: Any
    ) -> None:
        points = np.asarray(coordinates, dtype=float)
        self.axes = [
            _Axis(points[i], size, margin, how, along.count(i)) for i, size in enumerate(shape)
        ]
        self.steps = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
        self.inside = functools.reduce(np.logical_and, [axis.inside for axis in self.axes])

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        """Yield numbers of pixels, their weights, and which are in the image (None: all)."""
        return self._beyond(0, 0, 1.0, None)

    def _beyond(
        self, number: int, pixels: Any, weights: Any, known: Any
    ) -> Iterator[tuple[Any, Any, Any]]:
        if number == len(self.axes):
            yield pixels, weights, known
            return
        axis, step = self.axes[number], self.steps[number]
        for k, weight in enumerate(axis.weights):
            here = known if axis.known is None else axis.known[k]
            both = here if known is None or here is known else known & here
            place = pixels + step * axis.places[k]
            yield from self._beyond(number + 1, place, weights * weight, both)


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
    _check(image)
    pixels, margin = _filtered(image, how)
    values, total = np.ravel(pixels), 0.0
    near = _Neighbours(np.shape(pixels), coordinates, how, margin, along)
    for places, weights, known in near:
        value = values[places]
        total = total + weights * (value if known is None else np.where(known, value, how["cval"]))
    return np.where(near.inside, total, 0.0).astype(np.asarray(image).dtype)


def _check(image: Any) -> None:
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
    filters = how["prefilter"] and how["order"] > 1
    margin = MARGIN if filters and how["mode"] in _MARGINS else 0
    sizes = tuple(size + 2 * margin for size in shape)
    near = _Neighbours(sizes, coordinates, how, margin, along)
    shares = np.where(near.inside, grad, 0)
    total = np.zeros(int(np.prod(sizes)), dtype=np.result_type(shares, float))
    for places, weights, known in near:
        each = weights * (shares if known is None else np.where(known, shares, 0))
        _add(total, np.ravel(places), np.ravel(each))
    return _filter_back(np.reshape(total, sizes), shape, how).astype(dtype_of(grad))


def _add(total: Any, places: Any, each: Any) -> None:
    """Add numbers to those at some places, which may come more than once."""
    if np.iscomplexobj(each):
        _add(total.real, places, each.real)
        _add(total.imag, places, each.imag)
    else:
        total += np.bincount(places, each, minlength=len(total))


@recordable
def spline_gradient(
    image: Any, coordinates: Any, how: dict[str, Any], along: tuple[int, ...] = ()
) -> Any:
    """Return the derivatives of ``spline_values`` by each coordinate, one after the other."""
    axes = range(np.shape(coordinates)[0])
    return np.stack([spline_values(image, coordinates, how, (*along, i)) for i in axes])


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
