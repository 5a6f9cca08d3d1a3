"""Adjoints of linear maps of ``scipy.ndimage``: they are transposes, and as small as the image."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import srcgrad as sg

MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
GRID_MODES = ("grid-mirror", "grid-wrap", "grid-constant")
WEIGHTS = np.array([0.3, -0.2, 0.5, 0.1])
SMALL = np.array([[0.3, -0.2, 0.5], [0.1, 0.7, -0.4]])
Map = Callable[[Any], Any]


def filters(mode: str) -> dict[str, Map]:
    """Return filters of a plane, some with more weights than there are pixels."""
    return {
        "gaussian": lambda x: ndimage.gaussian_filter(x, (0.7, 3.1), (0, 1), mode=mode, cval=0.7),
        "gaussian1d": lambda x: ndimage.gaussian_filter1d(
            x, 2.2, 0, 3, radius=11, mode=mode, cval=0.7
        ),
        "uniform": lambda x: ndimage.uniform_filter(x, (2, 9), origin=(-1, 2), mode=mode, cval=0.7),
        "uniform1d": lambda x: ndimage.uniform_filter1d(x, 7, 0, origin=-3, mode=mode, cval=0.7),
        "sobel": lambda x: ndimage.sobel(x, 0, mode=mode, cval=0.7),
        "prewitt": lambda x: ndimage.prewitt(x, mode=mode, cval=0.7),
        "laplace": lambda x: ndimage.laplace(x, mode=mode, cval=0.7),
        "correlate": lambda x: ndimage.correlate(x, SMALL, origin=(0, 1), mode=mode, cval=0.7),
        "convolve": lambda x: ndimage.convolve(x, SMALL, origin=(-1, 0), mode=mode, cval=0.7),
        "wide": lambda x: ndimage.convolve(
            x, np.outer(np.arange(13.0), np.arange(11.0)), mode=mode, cval=0.7
        ),
        "correlate1d": lambda x: ndimage.correlate1d(x, WEIGHTS, 0, origin=1, mode=mode, cval=0.7),
        "convolve1d": lambda x: ndimage.convolve1d(
            x, np.arange(14.0), origin=-6, mode=mode, cval=0.7
        ),
    }


def splines(mode: str) -> dict[str, Map]:
    """Return interpolations of a plane."""
    return {
        "spline1d": lambda x: ndimage.spline_filter1d(x, 4, 0, mode=mode),
        "spline": lambda x: ndimage.spline_filter(x, 5, mode=mode),
        "zoom": lambda x: ndimage.zoom(x, (1.7, 0.6), order=4, mode=mode, cval=0.7),
        "zoom grid": lambda x: ndimage.zoom(
            x, (2, 1), order=3, grid_mode=True, mode=mode, cval=0.7
        ),
        "zoom raw": lambda x: ndimage.zoom(x, 2.4, order=2, prefilter=False, mode=mode, cval=0.7),
        "shift": lambda x: ndimage.shift(x, (0.3, -1.2), order=3, mode=mode, cval=0.7),
        "affine": lambda x: ndimage.affine_transform(
            x, [[0.9, 0.3], [-0.2, 1.1]], 0.4, mode=mode, cval=0.7
        ),
    }


def dense(function: Map, shape: tuple[int, ...]) -> Any:
    """Return the matrix of the linear part of a map: a row for each number of the image."""
    size = int(np.prod(shape))
    around = function(np.zeros(shape))
    return np.array([np.ravel(function(row.reshape(shape)) - around) for row in np.eye(size)])


@pytest.mark.filterwarnings("ignore:It is recommended to use mode")
@pytest.mark.parametrize("mode", [*MODES, *GRID_MODES])
@pytest.mark.parametrize("kind", [filters, splines])
def test_the_adjoint_of_a_map_of_images_is_its_transpose(kind: Any, mode: str) -> None:
    rng = np.random.default_rng(0)
    for (name, function), shape in itertools.product(kind(mode).items(), [(4, 5), (1, 3), (3, 1)]):
        value, pull = sg.vjp(function, rng.normal(size=shape))
        given = rng.normal(size=np.shape(value))
        expected = np.reshape(dense(function, shape) @ np.ravel(given), shape)
        near = 1e-14 * (1 + np.sum(np.abs(given)) * np.max(np.abs(dense(function, shape))))
        np.testing.assert_allclose(pull(given)[0], expected, 0, near, err_msg=f"{name} {shape}")


LONG: dict[str, Map] = {
    "gaussian": lambda x: ndimage.gaussian_filter(x, 2.0),
    "gaussian1d": lambda x: ndimage.gaussian_filter1d(x, 30.0),
    "uniform": lambda x: ndimage.uniform_filter(x, 9),
    "uniform1d": lambda x: ndimage.uniform_filter1d(x, 5001),
    "sobel": lambda x: ndimage.sobel(x, 0),
    "prewitt": lambda x: ndimage.prewitt(x, mode="mirror"),
    "laplace": lambda x: ndimage.laplace(x, mode="nearest"),
    "correlate": lambda x: ndimage.correlate(x, WEIGHTS),
    "convolve": lambda x: ndimage.convolve(x, np.ones(2001), mode="wrap"),
    "correlate1d": lambda x: ndimage.correlate1d(x, WEIGHTS),
    "convolve1d": lambda x: ndimage.convolve1d(x, WEIGHTS),
    "spline1d": lambda x: ndimage.spline_filter1d(x, 5),
    "zoom": lambda x: ndimage.zoom(x, 1.5),
    "shift": lambda x: ndimage.shift(x, 0.3),
    "affine": lambda x: ndimage.affine_transform(x, [1.1]),
    "map": lambda x: ndimage.map_coordinates(x, [np.linspace(-5.0, len(x), len(x))]),
}


@pytest.mark.parametrize("name", LONG)
def test_the_adjoint_of_a_long_line_takes_memory_in_proportion(name: str) -> None:
    x = np.ones(20_000)
    _, pull = sg.vjp(LONG[name], x)
    tracemalloc.start()
    try:
        pull(x if name != "zoom" else np.ones(30_000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60 * x.nbytes, f"{peak / x.nbytes:.0f} arrays of the size of the image"
