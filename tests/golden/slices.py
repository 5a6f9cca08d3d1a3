"""Differences of neighbours in an image, by slices."""

import numpy as np

import srcgrad as sg


def roughness(image):
    right = image[:, 1:] - image[:, :-1]
    down = image[1:] - image[:-1]
    corner = image[0, 0] * image[-1, -1]
    return np.sum(right**2) + np.sum(down**2) + corner


gradient = sg.grad(roughness)


def example(rng):
    return (rng.normal(size=(3, 4)),)


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import zeros_like


def roughness_grad(image):
    """Gradient of `roughness` (slices.py:8) with respect to `image`.

    Taken for granted: image.ndim == 2.
    """
    right = image[:, 1:] - image[:, :-1]
    down = image[1:] - image[:-1]

    # backward
    # L12: return np.sum(right**2) + np.sum(down**2) + corner
    grad_down = 2.0 * down
    grad_right = 2.0 * right
    # L11: corner = image[0, 0] * image[-1, -1]
    grad_image = zeros_like(image)
    grad_image[-1, -1] = image[0, 0]
    grad_image[0, 0] += image[-1, -1]
    # L10: down = image[1:] - image[:-1]
    grad_image[:-1] -= grad_down
    grad_image[1:] += grad_down
    # L9: right = image[:, 1:] - image[:, :-1]
    grad_image[:, :-1] -= grad_right
    grad_image[:, 1:] += grad_right
    return grad_image
