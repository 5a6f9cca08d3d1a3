"""Calculates derivatives of Gaussian filters in their widths, while the number of weights stays.

That number jumps with the width, and the outermost weights with it; between jumps the weights are
smooth. SciPy's are a Gaussian divided by its sum, times a polynomial of Hermite's for a derivative
of the image (DLMF 18.5.5), so their slopes are such weights, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, special

from srcgrad.runtime import conj, real_part, stop_gradient
from srcgrad.runtime.scipy.filters import (
    filter_image_back,
    gaussian_filter1d_back,
    gaussian_filter_back,
    per_axis,
)


def around_zeros(options: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the options of a filter that is linear in the image: there are zeros around it."""
    mode, _, truncate, radius = options
    return mode, 0.0, truncate, radius


def smoothed(image: Any, sigma: Any, order: Any, options: tuple[Any, ...]) -> Any:
    """Return ``ndimage.gaussian_filter`` of an image around which there are zeros."""
    mode, _, truncate, radius = options
    return ndimage.gaussian_filter(image, sigma, order, mode=mode, truncate=truncate, radius=radius)


def smoothed_along(image: Any, sigma: Any, axis: int, order: int, options: tuple[Any, ...]) -> Any:
    """Return ``ndimage.gaussian_filter1d`` of an image around which there are zeros."""
    mode, _, truncate, radius = options
    return ndimage.gaussian_filter1d(
        image, sigma, axis, order, mode=mode, truncate=truncate, radius=radius
    )


def gaussian_width_back(
    grad: Any, image: Any, sigma: Any, axis: int, order: int, options: tuple[Any, ...]
) -> Any:
    """Return the gradient of the width of ``ndimage.gaussian_filter1d``."""
    return np.sum(real_part(grad * conj(_by_width(image, sigma, axis, order, options))))


def gaussian_width_push(
    dots: tuple[Any, Any], image: Any, sigma: Any, place: tuple[int, int], options: tuple[Any, ...]
) -> Any:
    """Return the tangent of ``ndimage.gaussian_filter1d`` along an axis, to an order."""
    (image_dot, sigma_dot), (axis, order) = dots, place
    total = 0.0
    if image_dot is not None:
        total = total + smoothed_along(image_dot, sigma, axis, order, options)
    if sigma_dot is not None:
        total = total + sigma_dot * _by_width(image, sigma, axis, order, options)
    return total


def gaussian_widths_back(
    grad: Any, image: Any, sigma: Any, order: Any, options: tuple[Any, ...]
) -> Any:
    """Return the gradient of the width, or of the width for each axis."""
    bent = _by_widths(image, sigma, order, options)
    parts = [np.sum(real_part(grad * conj(item))) for item in bent]
    each = isinstance(sigma, (list, tuple)) or np.ndim(sigma) > 0
    return np.stack(parts) if each else sum(parts)


def gaussian_widths_push(
    dots: tuple[Any, Any], image: Any, sigma: Any, order: Any, options: tuple[Any, ...]
) -> Any:
    """Return the tangent of ``ndimage.gaussian_filter``."""
    image_dot, sigma_dot = dots
    total = 0.0
    if image_dot is not None:
        total = total + smoothed(image_dot, sigma, order, options)
    if sigma_dot is not None:
        moves = per_axis(sigma_dot, np.ndim(image))
        bent = _by_widths(image, sigma, order, options)
        for i in range(len(bent)):
            if moves[i] is not None:
                total = total + moves[i] * bent[i]
    return total


def gaussian_back_push(
    dots: tuple[Any, Any], grad: Any, sigma: Any, place: tuple[int, int], options: tuple[Any, ...]
) -> Any:
    """Return the tangent of ``gaussian_filter1d_back``."""
    (grad_dot, sigma_dot), (axis, order) = dots, place
    total = 0.0
    if grad_dot is not None:
        total = total + gaussian_filter1d_back(grad_dot, sigma, axis, order, options)
    if sigma_dot is not None:
        total = total + sigma_dot * _by_width_back(grad, sigma, axis, order, options)
    return total


def gaussians_back_push(
    dots: tuple[Any, Any], grad: Any, sigma: Any, order: Any, options: tuple[Any, ...]
) -> Any:
    """Return the tangent of ``gaussian_filter_back``."""
    grad_dot, sigma_dot = dots
    total = 0.0
    if grad_dot is not None:
        total = total + gaussian_filter_back(grad_dot, sigma, order, options)
    if sigma_dot is not None:
        moves = per_axis(sigma_dot, np.ndim(grad))
        bent = _by_widths_back(grad, sigma, order, options)
        for i in range(len(bent)):
            if moves[i] is not None:
                total = total + moves[i] * bent[i]
    return total


def _by_widths_back(grad: Any, sigma: Any, order: Any, options: tuple[Any, ...]) -> list[Any]:
    """Return how the gradient of a filtered image moves with the width along each axis."""
    rank = np.ndim(grad)
    mode, cval, truncate, radius = options
    sigmas, orders = per_axis(sigma, rank), per_axis(order, rank)
    modes, radii = per_axis(mode, rank), per_axis(radius, rank)
    found = []
    for i in range(rank):
        bent = grad
        for axis in range(rank):
            width, own = sigmas[axis], (modes[axis], cval, truncate, radii[axis])
            if axis == i:
                bent = _by_width_back(bent, width, axis, orders[axis], own)
            elif stop_gradient(width) > _NONE:
                bent = gaussian_filter1d_back(bent, width, axis, orders[axis], own)
        found.append(bent)
    return found


def _by_widths(image: Any, sigma: Any, order: Any, options: tuple[Any, ...]) -> list[Any]:
    """Return how the filtered image moves with the width along each axis."""
    rank = np.ndim(image)
    mode, cval, truncate, radius = options
    sigmas, orders = per_axis(sigma, rank), per_axis(order, rank)
    modes, radii = per_axis(mode, rank), per_axis(radius, rank)
    found = []
    for i in range(rank):
        bent = image
        for axis in range(rank):
            width, edge = sigmas[axis], cval if axis <= i else 0.0
            if axis == i:
                own = modes[axis], edge, truncate, radii[axis]
                bent = _by_width(bent, width, axis, orders[axis], own)
            elif stop_gradient(width) > _NONE:  # around what has moved already there are zeros
                bent = ndimage.gaussian_filter1d(
                    bent,
                    width,
                    axis,
                    orders[axis],
                    mode=modes[axis],
                    cval=edge,
                    truncate=truncate,
                    radius=radii[axis],
                )
        found.append(bent)
    return found


_NONE = 1e-15
"""The width up to which SciPy leaves an axis as it is."""


def _by_width(image: Any, sigma: Any, axis: int, order: int, options: tuple[Any, ...]) -> Any:
    """Return how ``ndimage.gaussian_filter1d`` moves with its width."""
    mode, cval, truncate, radius = options
    if stop_gradient(sigma) <= _NONE:
        return 0 * image
    slopes = _slopes(_reach(sigma, truncate, radius), sigma, order)
    return ndimage.correlate1d(image, slopes, axis, mode=mode, cval=cval)


def _by_width_back(grad: Any, sigma: Any, axis: int, order: int, options: tuple[Any, ...]) -> Any:
    """Return how ``gaussian_filter1d_back`` moves with the width."""
    mode, _, truncate, radius = options
    if stop_gradient(sigma) <= _NONE:
        return 0 * grad
    slopes = _slopes(_reach(sigma, truncate, radius), sigma, order)
    how = {"axis": axis, "mode": mode, "cval": 0.0, "origin": 0}
    return filter_image_back(grad, slopes, "correlate1d", how)


def _reach(sigma: Any, truncate: float, radius: Any) -> Any:
    """Return how far each weight is from the middle."""
    if radius is None:
        radius = int(truncate * stop_gradient(sigma) + 0.5)
    return np.arange(-radius, radius + 1.0)


def _slopes(x: Any, sigma: Any, order: int) -> Any:
    """Return the derivatives of the weights in the width, in the order in which they correlate."""
    bell = np.exp(-x * x / (2 * sigma * sigma))
    bell = bell / np.sum(bell)
    size = special.eval_hermitenorm(order, x / sigma) / sigma**order
    spread = (x * x - np.sum(bell * x * x)) / sigma**3
    turn = special.eval_hermitenorm(max(order - 1, 0), x / sigma) * x / sigma ** (order + 2)
    return bell * (spread * size - order * turn - order * size / sigma)
