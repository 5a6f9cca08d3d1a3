"""Arrays that are as long as sums of lengths: windows, what is joined, and what is made so long."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("v", 9), ("v", 3))
def windows_as_long_as_what_is_made(x, h):
    n = len(x) - len(h) + 1
    y = np.zeros(n)
    for i in range(len(h)):
        y = y + h[i] * x[i : i + n]
    return np.sum(y * y)


@program(("m", 6, 5), ("m", 3, 2))
def windows_as_long_as_an_array(x, k):
    y = np.zeros((x.shape[0] - k.shape[0] + 1, x.shape[1] - k.shape[1] + 1))
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            y += k[i, j] * x[i : i + y.shape[0], j : j + y.shape[1]]
    return np.sum(np.sin(y))


@program(("m", 2, 5, 4, 3), ("m", 2, 2, 3, 4))
def convolution_by_tensordot(images, kernels):
    size = kernels.shape[0]
    rows, columns = images.shape[1] - size + 1, images.shape[2] - size + 1
    out = np.zeros((images.shape[0], rows, columns, kernels.shape[3]))
    for i in range(size):
        for j in range(size):
            part = images[:, i : i + rows, j : j + columns]
            out += np.tensordot(part, kernels[i, j], axes=1)
    return np.sum(out * np.tanh(out))


@program(("v", 5), ("v", 3))
def windows_beyond_the_end(x, h):
    total = 0.0
    n = len(x) - len(h) + 1
    for i in range(len(h) + 2):
        total = total + np.sum(x[i : i + n] ** 2) * h[i % len(h)]
    return total


def _pulls(places, masses):
    x, y, z = places[:, 0:1], places[:, 1:2], places[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    away = (dx**2 + dy**2 + dz**2 + 0.1) ** (-1.5)
    return np.hstack(((dx * away) @ masses, (dy * away) @ masses, (dz * away) @ masses))


@program(("m", 4, 3), ("m", 4, 3), ("m", 4, 1), "n")
def columns_put_side_by_side(places, speeds, masses, n):
    for _ in range(n):
        speeds = speeds + 0.05 * _pulls(places, masses)
        places = places + 0.1 * speeds
    return np.sum(masses * speeds**2)


@program(("v", 3), ("v", 4), ("v", 7))
def joined_as_long_as_an_argument(x, y, w):
    z = np.concatenate((x, y))
    return np.sum(np.tanh(z * w) * z)


@program(("v", 3), ("v", 4), ("v", 1))
def joined_beside_one_number(x, y, w):
    z = np.concatenate((x, np.sin(x[1:]), y))
    return np.sum(np.tanh(z * w) * z[::-1])


@program(("m", 4, 3))
def differences_along_other_axes(m):
    down, right = np.diff(m, axis=0), np.diff(m, axis=1)
    return np.sum(np.sqrt(down[:, :-1] ** 2 + right[:-1, :] ** 2 + 0.1))


@program("v", ("v", 5))
def places_that_are_searched_for(v, q):
    knots = np.array([-9.0, -0.5, 0.5, 9.0])
    i = np.searchsorted(knots, q)
    share = (q - knots[i - 1]) / (knots[i] - knots[i - 1])
    return np.sum(((1.0 - share) * v[i - 1] + share * v[i]) ** 2)


@program("v", "s")
def negative_powers(v, s):
    away = v * v + s
    return np.sum(away**-1.5 * np.sin(v)) + np.sum(away ** (-2)) * s**-0.5
