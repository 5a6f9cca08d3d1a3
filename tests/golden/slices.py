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

import numpy as np

from srcgrad.runtime import scalar_seed, zeros_like


def roughness_grad(image):
    """Gradient of `roughness` (slices.py:8) with respect to `image`."""
    right = image[:, 1:] - image[:, :-1]
    down = image[1:] - image[:-1]
    image_part_5 = image[0, 0]
    image_part_6 = image[-1, -1]
    corner = image_part_5 * image_part_6

    # backward
    # L12: return np.sum(right**2) + np.sum(down**2) + corner
    grad_out = scalar_seed(np.sum(right**2) + np.sum(down**2) + corner)
    grad_down = 2 * down * grad_out
    grad_right = 2 * right * grad_out
    # L11: corner = image[0, 0] * image[-1, -1]
    grad_image = zeros_like(image)
    grad_image[-1, -1] += grad_out * image_part_5
    grad_image[0, 0] += grad_out * image_part_6
    # L10: down = image[1:] - image[:-1]
    grad_image[:-1] -= grad_down
    grad_image[1:] += grad_down
    # L9: right = image[:, 1:] - image[:, :-1]
    grad_image[:, :-1] -= grad_right
    grad_image[:, 1:] += grad_right
    return grad_image
