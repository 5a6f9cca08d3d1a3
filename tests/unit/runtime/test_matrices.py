"""Slopes of products and norms, for one matrix or vector and for several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

import srcgrad as sg
from srcgrad.runtime.contractions import cross_left, cross_right
from srcgrad.runtime.guessing import _at_ties
from srcgrad.runtime.linear_algebra import cond_back
from srcgrad.runtime.singular import svd_push
from srcgrad.tape.reductions import std, var
from tests.differences import numerical_gradient

assert cond_back.__doc__  # what np.linalg.cond goes by
rng = np.random.default_rng(3)
SQUARE, SQUARES = rng.normal(size=(3, 3)), rng.normal(size=(2, 3, 3))


@pytest.mark.parametrize("x", [SQUARE, SQUARES], ids=["one", "two"])
@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro"], ids=str)
def test_condition_numbers(p: Any, x: Any) -> None:
    def weighted(x: Any) -> Any:
        return np.sum(np.linalg.cond(x, p) ** 0.5)

    wanted = numerical_gradient(weighted, (x,), 0)
    np.testing.assert_allclose(sg.grad(weighted)(x), wanted, rtol=1e-5, atol=1e-6)


CROSSES = {
    "vectors": ((3,), (3,), {}),
    "rows": ((4, 3), (4, 3), {}),
    "rows by one": ((4, 3), (3,), {}),
    "columns": ((3, 4), (3, 4), {"axis": 0}),
    "columns by rows": ((3, 4), (4, 3), {"axisa": 0, "axisc": 0}),
    "planes": ((4, 2), (4, 2), {}),
    "a plane and a space": ((4, 2), (4, 3), {}),
    "a space and a plane": ((4, 3), (2,), {}),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("case", CROSSES)
def test_cross_products(case: str) -> None:
    one, other, axes = CROSSES[case]
    a, b = rng.normal(size=one), rng.normal(size=other)
    grad = rng.normal(size=np.cross(a, b, **axes).shape)

    def weighted(a: Any, b: Any) -> Any:
        return np.sum(np.cross(a, b, **axes) * grad)

    axis = axes.get("axis")
    names = ("axisa", "axisb", "axisc")
    given = tuple(axes.get(name, -1) if axis is None else axis for name in names)
    for place, back in enumerate((cross_left, cross_right)):
        wanted = numerical_gradient(weighted, (a, b), place)
        np.testing.assert_allclose(back(grad, a, b, given), wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("unbiased", "correction", "less"), [
    (None, None, 1), (True, None, 1), (False, None, 0), (None, 0, 0), (None, 2, 2), (False, 2, 0),
])  # fmt: skip
def test_variances_are_corrected_as_is_asked_for(unbiased: Any, correction: Any, less: int) -> None:
    options = {"unbiased": unbiased, "correction": correction}
    for ours, theirs in ((var, np.var), (std, np.std)):
        found = ours(SQUARES, 1, **options)
        np.testing.assert_allclose(found.numpy(), theirs(SQUARES, axis=1, ddof=less))
    np.testing.assert_allclose(var(SQUARE, False).numpy(), np.var(SQUARE))
    np.testing.assert_allclose(std(SQUARE, True).numpy(), np.std(SQUARE, ddof=1))


SECTIONS = np.array([[0.5, 0.2, 0.1, -0.4, 0.1], [1.0, 0.3, 0.0, 0.2, -0.1]])


@pytest.mark.parametrize("axis", [0, -1])
def test_sections_of_a_filter(axis: int) -> None:
    x = rng.normal(size=(5, 6))

    def power(free: Any, x: Any) -> Any:
        sos = np.concatenate([free[:, :3], np.ones((2, 1)), free[:, 3:]], axis=1)
        return np.sum(signal.sosfilt(sos, x, axis=axis) ** 2)

    for place, grad in enumerate(sg.grad(power, (0, 1))(SECTIONS, x)):
        wanted = numerical_gradient(power, (SECTIONS, x), place)
        np.testing.assert_allclose(grad, wanted, rtol=1e-5, atol=1e-6)


MIDDLES = {
    "median": np.median,
    "median of columns": lambda x: np.median(x, axis=0),
    "median that keeps": lambda x: np.median(x, axis=1, keepdims=True),
    "percentile": lambda x: np.percentile(x, 30.0, axis=1),
    "percentiles": lambda x: np.percentile(x, [20.0, 71.0], axis=0),
    "quantile": lambda x: np.quantile(x, 0.3, axis=1, keepdims=True),
    "nanmedian": lambda x: np.nanmedian(x, axis=0),
    "nanpercentile": lambda x: np.nanpercentile(x, 55.0, axis=1),
    "nanquantile": lambda x: np.nanquantile(x, 0.45),
}


@pytest.mark.parametrize("case", MIDDLES)
def test_medians_and_quantiles_move_along_a_tangent(case: str) -> None:
    function, h = MIDDLES[case], 1e-6
    x, dot = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    value, found = sg.jvp(function, (x,), (dot,))
    np.testing.assert_allclose(value, function(x))
    wanted = (function(x + h * dot) - function(x - h * dot)) / (2 * h)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


ROOM = ((1, 2), (2, 0))
PADS = {
    "ramps": lambda x: np.pad(x, ROOM, "linear_ramp", end_values=(0.5, -2.0)),
    "ramps to zero": lambda x: np.pad(x, ROOM, "linear_ramp"),
    "edges": lambda x: np.pad(x, ROOM, "edge"),
    "reflected": lambda x: np.pad(x, ROOM, "reflect"),
    "symmetric": lambda x: np.pad(x, ROOM, "symmetric"),
    "wrapped": lambda x: np.pad(x, ROOM, "wrap"),
    "constants": lambda x: np.pad(x, ROOM, constant_values=(3.0, 1.0)),
    "means": lambda x: np.pad(x, ROOM, "mean"),
    "largest": lambda x: np.pad(x, ROOM, "maximum"),
}


@pytest.mark.parametrize("case", PADS)
def test_padding(case: str) -> None:
    x, pad = rng.normal(size=(3, 4)), PADS[case]

    def padded(x: Any) -> Any:
        return np.sum(pad(x) ** 2)

    wanted = numerical_gradient(padded, (x,), 0)
    np.testing.assert_allclose(sg.grad(padded)(x), wanted, rtol=1e-5, atol=1e-6)


TIED = {
    "no values": np.zeros((3, 3)),
    "two that are zero": np.diag([2.0, 0.0, 0.0]),
    "two that are equal": np.diag([2.0, 2.0, 1.0]),
    "turned": SQUARE @ np.diag([1.5, 0.0, 0.0]) @ SQUARE.T,
}


@pytest.mark.parametrize("matrix", TIED)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)], ids=str)
def test_singular_vectors_of_what_does_not_change_do_not_change(
    matrix: str, shape: tuple[int, ...]
) -> None:
    a = np.broadcast_to(TIED[matrix], shape)
    u, s, vh = np.linalg.svd(a)
    for found in svd_push(np.zeros(shape), u, s, vh):
        np.testing.assert_array_equal(found, 0 * found)
        assert not np.isnan(found).any()


@pytest.mark.parametrize("seed", range(6))
def test_limits_at_ties_of_several_matrices_are_those_of_each(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    turned, slopes = drawn.normal(size=(4, 3, 3)), drawn.normal(size=(4, 3))
    even = seed % 2
    if even:  # a loss of whole matrices, of which both diagonals have one ratio
        turned[:] = (turned + np.swapaxes(turned, 1, 2)) / 2
        slopes = np.einsum("kii->ki", turned) * drawn.normal(size=(4, 1))
    found = _at_ties(turned, slopes)
    wanted = np.stack([_at_ties(*pair) for pair in zip(turned, slopes, strict=True)])
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert np.isnan(found[:, ~np.eye(3, dtype=bool)]).any() == (not even)
