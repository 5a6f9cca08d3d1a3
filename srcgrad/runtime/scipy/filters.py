"""Calculates adjoints of filters of images."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from srcgrad.runtime import conj, pad_back, stop_gradient
from srcgrad.runtime.scipy.linear_maps import along_back

PADDING = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}


def separable_back(grad: Any, matrices: Any) -> Any:
    """Return the adjoint of a map that acts along each axis, given the matrix of each or None."""
    for axis, matrix in enumerate(matrices):
        if matrix is not None:
            grad = along_back(grad, np.shape(grad), axis, matrix)
    return grad


def per_axis(value: Any, rank: int) -> list[Any]:
    """Return an option of a filter for each axis."""
    many = isinstance(value, (list, tuple)) or np.ndim(value) > 0
    return list(value) if many else [value] * rank


def image_correlate_back(
    grad: Any, image: Any, weights: Any, options: tuple[Any, Any, Any], turned: bool
) -> tuple[Any, Any]:
    """Return the gradients of the image and the weights of ``ndimage.correlate``, or `convolve`."""
    mode, cval, origin = options
    rank = np.ndim(image)
    origins = [int(item) for item in per_axis(origin, rank)]
    sizes = np.shape(weights)
    if not turned:
        weights = conj(weights)  # as `correlate` does with weights of complex numbers
    else:
        weights = np.flip(weights)
        origins = [-o - (1 - k % 2) for o, k in zip(origins, sizes, strict=True)]
    lefts = [k // 2 + o for k, o in zip(sizes, origins, strict=True)]
    width = [(left, k - 1 - left) for left, k in zip(lefts, sizes, strict=True)]
    how = PADDING[mode]
    more = {"constant_values": cval} if how == "constant" else {}
    padded = np.pad(image, width, how, **more)
    whole = signal.convolve(grad, conj(weights), "full")
    grad_weights = conj(signal.correlate(padded, grad, "valid"))
    grad_image = pad_back(whole, np.shape(image), width, how, "even")
    return grad_image, np.flip(grad_weights) if turned else conj(grad_weights)


def axis_correlate_back(
    grad: Any, values: tuple[Any, Any], axis: int, options: tuple[Any, Any, Any], turned: bool
) -> tuple[Any, Any]:
    """Return the gradients of the image and the weights of ``ndimage.correlate1d``."""
    image, weights = values
    shape = [1] * np.ndim(image)
    shape[axis] = len(weights)
    mode, cval, origin = options
    origins = [0] * np.ndim(image)
    origins[axis] = origin
    grad_image, grad_weights = image_correlate_back(
        grad, image, np.reshape(weights, shape), (mode, cval, origins), turned
    )
    return grad_image, np.reshape(grad_weights, np.shape(weights))


def gaussian_filter_back(grad: Any, sigma: Any, order: Any, options: tuple[Any, ...]) -> Any:
    """Return the gradient of the image of ``ndimage.gaussian_filter``."""
    rank, shape = np.ndim(grad), np.shape(grad)
    mode, _, truncate, radius = options
    sigmas, orders = per_axis(sigma, rank), per_axis(order, rank)
    modes, radii = per_axis(mode, rank), per_axis(radius, rank)
    for i in range(rank):
        if stop_gradient(sigmas[i]) > 1e-15:
            own = modes[i], 0.0, truncate, radii[i]
            grad = along_back(grad, shape, i, gaussian_matrix(shape[i], sigmas[i], orders[i], own))
    return grad


def gaussian_matrix(size: int, sigma: Any, order: int, options: tuple[Any, ...]) -> Any:
    """Return what ``ndimage.gaussian_filter1d`` makes of each unit vector."""
    mode, _, truncate, radius = options
    return ndimage.gaussian_filter1d(
        np.eye(size), sigma, -1, order, mode=mode, truncate=truncate, radius=radius
    )


def zoom_push(dot: Any, zoom: Any, options: dict[str, Any]) -> Any:
    """Return the tangent of ``ndimage.zoom``: around it there are zeros."""
    return ndimage.zoom(dot, zoom, **options)


def axis_correlate_push(
    dots: tuple[Any, Any], values: tuple[Any, Any], axis: int, options: Any, flips: bool
) -> Any:
    """Return the tangent of ``ndimage.correlate1d``, or of `convolve1d` if that `flips`."""
    (input_dot, weights_dot), (image, weights), (mode, cval, origin) = dots, values, options
    function = ndimage.convolve1d if flips else ndimage.correlate1d
    total = 0.0
    if input_dot is not None:  # around it there are zeros
        total = total + function(input_dot, weights, axis, mode=mode, origin=origin)
    if weights_dot is not None:
        total = total + function(image, weights_dot, axis, mode=mode, cval=cval, origin=origin)
    return total


def uniform_filter_back(grad: Any, size: Any, mode: Any, origin: Any) -> Any:
    """Return the gradient of the image of ``ndimage.uniform_filter``."""
    rank, shape = np.ndim(grad), np.shape(grad)
    rows = list(zip(*(per_axis(item, rank) for item in (size, mode, origin)), strict=True))
    matrices = [
        ndimage.uniform_filter1d(np.eye(n), k, mode=m, origin=o) if k > 1 else None
        for n, (k, m, o) in zip(shape, rows, strict=True)
    ]
    return separable_back(grad, matrices)


def edges_back(grad: Any, axis: int, mode: Any, side: Any) -> Any:
    """Return the gradient of the image of ``ndimage.sobel`` or ``prewitt``."""
    rank = np.ndim(grad)
    kernels = [[-1, 0, 1] if i == axis % rank else side for i in range(rank)]
    matrices = [
        ndimage.correlate1d(np.eye(n), kernel, mode=m)
        for n, kernel, m in zip(np.shape(grad), kernels, per_axis(mode, rank), strict=True)
    ]
    return separable_back(grad, matrices)


def laplace_back(grad: Any, mode: Any) -> Any:
    """Return the gradient of the image of ``ndimage.laplace``; one number is its own image."""
    total = 0 * grad if np.ndim(grad) else grad
    for axis, (n, m) in enumerate(zip(np.shape(grad), per_axis(mode, np.ndim(grad)), strict=True)):
        matrix = ndimage.correlate1d(np.eye(n), [1, -2, 1], mode=m)
        total = total + along_back(grad, np.shape(grad), axis, matrix)
    return total


def zoom_back(grad: Any, shape: Any, zoom: Any, options: dict[str, Any]) -> Any:
    """Return the gradient of the image of ``ndimage.zoom``; complex ones have their own way."""
    kind = complex if np.iscomplexobj(grad) else float
    matrices = [
        np.real(ndimage.zoom(np.eye(n, dtype=kind), (1, by), **options))
        for n, by in zip(shape, per_axis(zoom, len(shape)), strict=True)
    ]
    return separable_back(grad, matrices)
