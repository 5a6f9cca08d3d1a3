"""Calculates adjoints of filters of images: each costs about what the filter does.

A filter reads an image that goes on beyond its ends, each pixel where its weights lie. So its
adjoint spreads the gradient under the same weights over the pixels and those beyond, and folds
those onto the pixels that they repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import ndimage, signal

from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import recordable

FEW = 100
"""With more weights than these a transform of Fourier's is faster than a sum over them."""

_TURNS = {"reflect": True, "grid-mirror": True, "mirror": True, "wrap": False, "grid-wrap": False}
"""Modes in which an image is repeated, and whether it is turned each time."""

_PADDING = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}


def per_axis(value: Any, rank: int) -> list[Any]:
    """Return an option of a filter for each axis."""
    many = isinstance(value, (list, tuple)) or np.ndim(value) > 0
    return list(value) if many else [value] * rank


# --- beyond the ends ------------------------------------------------------------------------------


def fold(inner: Any, before: Any, behind: Any, axis: int, mode: str) -> None:
    """Add what belongs to pixels before and behind an image to the pixels that they repeat."""
    lines, size = np.moveaxis(inner, axis, 0), np.shape(inner)[axis]
    before, behind = np.moveaxis(before, axis, 0), np.moveaxis(behind, axis, 0)
    if size and mode == "nearest":
        lines[0] += np.sum(before, axis=0)
        lines[-1] += np.sum(behind, axis=0)
    elif size and mode in _TURNS:
        period = max(size - 1, 1) if mode == "mirror" else size
        for outer, at in ((before, -len(before)), (behind, size)):
            for start, stop, count in _repeats(at, at + len(outer), period):
                part = outer[start - at : stop - at]
                first, last = start - count * period, stop - count * period
                if _TURNS[mode] and count % 2:
                    first, last, part = size - last, size - first, part[::-1]
                lines[first:last] += part


def _repeats(start: int, stop: int, period: int) -> Iterator[tuple[int, int, int]]:
    """Yield pieces of a range, each within one repeat of an image, and the number of that."""
    for count in range(start // period, -(-stop // period)):
        yield max(start, count * period), min(stop, (count + 1) * period), count


def _lines(grad: Any, axis: int, start: int, stop: int) -> Any:
    """Return some lines of an array, between zeros where there are none."""
    size = np.shape(grad)[axis]
    index: list[Any] = [slice(None)] * np.ndim(grad)
    index[axis] = slice(max(start, 0), min(stop, size))
    if start >= 0 and stop <= size:
        return grad[tuple(index)]
    width = [(0, 0)] * np.ndim(grad)
    width[axis] = max(-start, 0), max(stop - size, 0)
    return np.pad(grad[tuple(index)], width)


def _line_back(
    spread: Callable[[Any, int], Any], grad: Any, axis: int, ends: tuple[int, int, str]
) -> Any:
    """Return the adjoint of a filter along an axis that reads some pixels before and behind.

    `spread` sums lines, between zeros, under the weights, the first of which lies some places
    behind each pixel.
    """
    (before, behind, mode), size = ends, np.shape(grad)[axis]
    inner = spread(grad, before)
    if mode not in ("constant", "grid-constant"):
        first, last = _lines(grad, axis, 0, before), _lines(grad, axis, size - behind, size)
        head = spread(first, 0) if before else first
        tail = spread(last, before + behind) if behind else last
        fold(inner, head, tail, axis, mode)
    return inner


def line_filter_back(grad: Any, weights: Any, axis: int, mode: str, origin: int = 0) -> Any:
    """Return the gradient of the image of ``ndimage.correlate1d``."""
    count, middle = len(weights), len(weights) // 2

    def spread(lines: Any, late: int) -> Any:
        return ndimage.convolve1d(lines, weights, axis, mode="constant", origin=late - middle)

    ends = middle + origin, count - 1 - middle - origin, mode
    return _line_back(spread, grad, axis, ends)


# --- weights of the caller ------------------------------------------------------------------------


@recordable
def filtered(image: Any, weights: Any, kind: str, how: dict[str, Any]) -> Any:
    """Return ``ndimage.correlate(image, weights, **how)``, or what the function `kind` returns."""
    return getattr(ndimage, kind)(image, weights, **how)


@recordable
def filter_image_back(grad: Any, weights: Any, kind: str, how: dict[str, Any]) -> Any:
    """Return the gradient of the image in ``filtered(image, weights, kind, how)``."""
    rank, origin = np.ndim(grad), how["origin"]
    if "axis" in how:
        correlated, (late,) = _as_correlation(weights, kind, [origin])
        return line_filter_back(grad, conj(correlated), how["axis"], how["mode"], late)
    correlated, origins = _as_correlation(weights, kind, per_axis(origin, rank))
    spread = _spread(grad, conj(correlated))
    modes = per_axis(how["mode"], rank)
    for axis, (count, late) in enumerate(zip(np.shape(weights), origins, strict=True)):
        before, size = count // 2 + late, np.shape(grad)[axis]
        pieces = (0, before), (before, before + size), (before + size, size + count - 1)
        head, inner, tail = (_lines(spread, axis, *piece) for piece in pieces)
        spread = inner.copy(order="K")
        fold(spread, head, tail, axis, modes[axis])
    return spread


def _as_correlation(weights: Any, kind: str, origins: Any) -> tuple[Any, list[int]]:
    """Return the weights that the pixels are multiplied by, in their order, and origins."""
    if kind.startswith("correlate"):
        return conj(weights), list(origins)  # as `correlate` takes weights of complex numbers
    sizes = np.shape(weights)
    return np.flip(weights), [-o - (1 - k % 2) for o, k in zip(origins, sizes, strict=True)]


def _spread(grad: Any, weights: Any) -> Any:
    """Return the whole convolution of a gradient with weights."""
    if np.size(weights) > FEW and np.size(grad):
        return signal.convolve(grad, weights, "full")
    around = [(size // 2, size - 1 - size // 2) for size in np.shape(weights)]
    return ndimage.convolve(np.pad(grad, around), weights, mode="constant")


@recordable
def filter_weights_back(
    grad: Any, image: Any, shape: tuple[int, ...], kind: str, how: dict[str, Any]
) -> Any:
    """Return the gradient of weights of a shape in ``filtered(image, weights, kind, how)``."""
    rank, sizes = np.ndim(image), list(shape)
    origins = per_axis(how["origin"], rank)
    if "axis" in how:
        axis = how["axis"] % rank
        sizes = [shape[0] if i == axis else 1 for i in range(rank)]
        origins = [how["origin"] if i == axis else 0 for i in range(rank)]
    if kind.startswith("convolve"):
        origins = [-o - (1 - k % 2) for o, k in zip(origins, sizes, strict=True)]
    found = _overlaps(grad, _with_ends(image, sizes, origins, how))
    found = conj(found) if kind.startswith("correlate") else np.flip(found)
    return np.reshape(found, shape)


def _with_ends(image: Any, sizes: Any, origins: Any, how: dict[str, Any]) -> Any:
    """Return an image as far as weights of some sizes read it."""
    modes = per_axis(how["mode"], np.ndim(image))
    for axis, (size, origin, mode) in enumerate(zip(sizes, origins, modes, strict=True)):
        width = [(0, 0)] * np.ndim(image)
        width[axis] = size // 2 + origin, size - 1 - size // 2 - origin
        more = {"constant_values": how["cval"]} if _PADDING[mode] == "constant" else {}
        image = np.pad(image, width, _PADDING[mode], **more)
    return image


def _overlaps(grad: Any, image: Any) -> Any:
    """Return the sum of a gradient times the conjugate of a larger image, for all its places."""
    sizes = [n - k + 1 for n, k in zip(np.shape(image), np.shape(grad), strict=True)]
    if np.prod(sizes) > FEW and np.size(grad):
        return conj(signal.correlate(image, grad, "valid"))
    kind = np.result_type(image, grad)
    found = np.empty(sizes, dtype=kind)
    for place in np.ndindex(*sizes):
        part = image[tuple(slice(i, i + n) for i, n in zip(place, np.shape(grad), strict=True))]
        found[place] = np.vdot(part, grad)
    return found


def filtered_push(
    dots: tuple[Any, Any], image: Any, weights: Any, kind: str, how: dict[str, Any]
) -> Any:
    """Return the tangent of ``filtered``, given those of image and weights, or None."""
    image_dot, weights_dot = dots
    total: Any = 0.0
    if image_dot is not None:  # around it there are zeros
        total = total + filtered(image_dot, weights, kind, {**how, "cval": 0.0})
    if weights_dot is not None:
        total = total + filtered(image, weights_dot, kind, how)
    return total


def filter_weights_back_push(
    dots: tuple[Any, Any], grad: Any, image: Any, shape: Any, options: tuple[Any, Any]
) -> Any:
    """Return the tangent of ``filter_weights_back``, given those of gradient and image, or None."""
    (grad_dot, image_dot), (kind, how) = dots, options
    total: Any = 0.0
    if grad_dot is not None:
        total = total + filter_weights_back(grad_dot, image, shape, kind, how)
    if image_dot is not None:
        total = total + filter_weights_back(grad, image_dot, shape, kind, {**how, "cval": 0.0})
    return total


# --- weights of SciPy -----------------------------------------------------------------------------


@recordable
def gaussian_filter_back(grad: Any, sigma: Any, order: Any, options: tuple[Any, ...]) -> Any:
    """Return the gradient of the image of ``ndimage.gaussian_filter``."""
    rank = np.ndim(grad)
    mode, _, truncate, radius = options
    each = (per_axis(item, rank) for item in (sigma, order, mode, radius))
    for axis, (width, turns, end, count) in enumerate(zip(*each, strict=True)):
        if width > 1e-15:
            own = end, 0.0, truncate, count
            grad = gaussian_filter1d_back(grad, width, axis, turns, own)
    return grad


@recordable
def gaussian_filter1d_back(
    grad: Any, sigma: Any, axis: int, order: int, options: tuple[Any, ...]
) -> Any:
    """Return the gradient of the image of ``ndimage.gaussian_filter1d``."""
    mode, _, truncate, radius = options
    if radius is None:
        radius = int(truncate * float(sigma) + 0.5)
    point = np.zeros(2 * radius + 1)
    point[radius] = 1.0
    turned = ndimage.gaussian_filter1d(point, sigma, 0, order, mode="constant", radius=radius)
    return line_filter_back(grad, turned[::-1], axis, mode)


@recordable
def uniform_filter_back(grad: Any, size: Any, mode: Any, origin: Any) -> Any:
    """Return the gradient of the image of ``ndimage.uniform_filter``."""
    each = (per_axis(item, np.ndim(grad)) for item in (size, mode, origin))
    for axis, (count, end, late) in enumerate(zip(*each, strict=True)):
        if count > 1:
            grad = uniform_filter1d_back(grad, count, axis, end, late)
    return grad


@recordable
def uniform_filter1d_back(grad: Any, size: int, axis: int, mode: str, origin: int) -> Any:
    """Return the gradient of the image of ``ndimage.uniform_filter1d``."""
    middle = size // 2

    def spread(lines: Any, late: int) -> Any:
        return ndimage.uniform_filter1d(
            lines, size, axis, mode="constant", origin=size - 1 - middle - late
        )

    ends = middle + origin, size - 1 - middle - origin, mode
    return _line_back(spread, grad, axis, ends)


@recordable
def sobel_back(grad: Any, axis: int, mode: Any) -> Any:
    """Return the gradient of the image of ``ndimage.sobel``."""
    return _edges_back(grad, axis, mode, [1, 2, 1])


@recordable
def prewitt_back(grad: Any, axis: int, mode: Any) -> Any:
    """Return the gradient of the image of ``ndimage.prewitt``."""
    return _edges_back(grad, axis, mode, [1, 1, 1])


def _edges_back(grad: Any, axis: int, mode: Any, side: Any) -> Any:
    rank = np.ndim(grad)
    for i, end in enumerate(per_axis(mode, rank)):
        grad = line_filter_back(grad, [-1, 0, 1] if i == axis % rank else side, i, end)
    return grad


@recordable
def laplace_back(grad: Any, mode: Any) -> Any:
    """Return the gradient of the image of ``ndimage.laplace``; one number is its own image."""
    ends = per_axis(mode, np.ndim(grad))
    parts = [line_filter_back(grad, [1, -2, 1], axis, end) for axis, end in enumerate(ends)]
    return sum(parts[1:], start=parts[0]) if parts else grad
