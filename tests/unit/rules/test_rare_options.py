"""Calls with options that hardly anybody gives: Jacobians, and those of gradients, are right."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import copied
from tests.differences import numerical_jacobian as differences

rng = np.random.default_rng(17)
V, W, M, S = (rng.normal(size=shape) for shape in (5, 5, (3, 4), (3, 3)))
P = np.abs(V) + 0.5
Case = tuple[Callable[..., Any], tuple[Any, ...]]

ONCE: dict[str, Case] = {
    "diff of no order": (lambda x, p, q: np.diff(x, 0, prepend=p, append=q) * x, (V, W, 1.5)),
    "arange of a stop alone": (lambda x: np.arange(x) * x, (4.5,)),
    "sums in pieces": (lambda x: np.add.reduceat(x, [0, 3, 1], axis=-1), (M,)),
    "sums with an empty one": (
        lambda x: np.cumulative_sum(x, axis=1, include_initial=True) * 2.0,
        (M,),
    ),
    "products with an empty one": (lambda x: np.cumulative_prod(x, include_initial=True), (V,)),
    "repeats in an array": (lambda x: np.repeat(x, np.array([2]), axis=1) * x[0, 0], (M,)),
    "slopes of one distance": (lambda x, h: np.gradient(x, h)[1] * h, (M, 0.7)),
    "slopes of both with one distance": (
        lambda x, h: np.gradient(x, h)[1] * np.gradient(x, h)[0],
        (M, 0.7),
    ),
    "slopes of several axes": (lambda x: np.stack(np.gradient(x, axis=(1, 0))), (M,)),
    "a fit by its places": (lambda x, y: np.polyfit(x, y, 2), (V, W)),
    "a border of its own": (lambda x, c: np.pad(x, 2, constant_values=c) * c, (V, 0.6)),
    "places of a number": (lambda x: x.sum().item() * x, (V,)),
    "a place of an array without axes": (lambda x: np.reshape(x[0], ()).item(0) * x, (V,)),
    "rows": (lambda x, y: np.r_[x, 2.0, x * y], (V, 0.4)),
    "a covariance of repeated observations": (
        lambda x: np.cov(x, fweights=[1, 2, 1, 3], aweights=P[:4]),
        (M,),
    ),
    "columns": (lambda x, y: np.c_[x[:, :2], y, x], (M, V[:3])),
    "one of a mesh": (lambda x, y: np.meshgrid(x, y)[1] * y[0], (V, W)),
    "a mean with its weight": (lambda x: np.average(x, axis=0, returned=True)[0], (M,)),
    "a sum of exponentials of some": (
        lambda x: np.logaddexp.reduce(x, where=np.arange(4) > 1, initial=0.3),
        (M[0],),
    ),
    "a quantile that keeps": (
        lambda x, q: np.quantile(x, q, axis=(0, 1), keepdims=True) * q,
        (M, 0.3),
    ),
    "quantiles that keep": (
        lambda x, q: np.quantile(x, q, axis=1, keepdims=True),
        (M, np.array([0.3, 0.8])),
    ),
    "the larger row": (lambda x: np.stack(max([x[0], x[1]], [x[2], x[0]])), (V,)),
    "the largest of the items": (lambda x: max(x) * x, (V,)),
    "the smallest of three": (lambda x: min(x[0], x[1], x[2]) * x, (V,)),
    "a distance of points": (lambda x: math.dist([x[0], 1.0], [0.5, x[1]]) * x, (V,)),
    "a full correlation": (lambda x, y: np.correlate(x, y, "full"), (V, W[:2])),
    "a correlation in the middle": (lambda x, y: np.correlate(x, y, "same"), (V, W[:2])),
    "a logarithm of a determinant by a list": (lambda x: np.linalg.slogdet(x)[1] * x, (S,)),
    "a tensor equation": (
        np.linalg.tensorsolve,
        (S.reshape(3, 3), V[:3]),
    ),
    "one factor of two": (lambda a: np.linalg.qr(a)[0], (S,)),
    "the other factor": (lambda a: np.linalg.qr(a)[1], (S,)),
    "transforms of the last axes": (lambda x: np.abs(np.fft.fftn(x, s=(3, 5))), (M,)),
    "trimmed": (lambda x: np.trim_zeros(np.concatenate([np.zeros(2), x, np.zeros(1)])) * x, (V,)),
    "trimmed at the front": (
        lambda x: np.trim_zeros(np.concatenate([np.zeros(2), x]), "f") * x,
        (V,),
    ),
    "letters as numbers": (lambda a, b: np.einsum(a, [0, 1], b, [1]), (M, V[:4])),
    "letters as numbers in order": (lambda a, b: np.einsum(a, [0, 1], b, [1, 2], [2, 0]), (M, M.T)),
    "any letters": (lambda a, b: np.einsum(a, [..., 1], b, [1], [...]), (M, V[:4])),
}


def total(values: Any) -> Any:
    return np.sum(np.sin(values))


def spaced(a: Any, b: Any) -> Any:
    points, step = np.linspace(a, b, 4, retstep=True)
    return np.sum(np.sin(points)) * step**2


def spaced_before_the_end(a: Any, b: Any) -> Any:
    points, step = np.linspace(a, b, 4, endpoint=False, retstep=True)
    return np.sum(np.sin(points)) * step**2


TWICE: dict[str, Case] = {
    "differences": (lambda x, p: total(np.diff(x, 2, prepend=p, append=0.5)), (V, 0.2)),
    "differences of one side": (lambda x, p: total(np.diff(x, prepend=p)), (V, W)),
    "points between": (lambda a, b: total(np.linspace(a, b, 4, retstep=True)[0]), (0.3, 1.4)),
    "points and their distance": (
        lambda a, b: total(np.linspace(a, b, 4, retstep=True)[1] ** 2),
        (0.3, 1.4),
    ),
    "points before the end": (lambda a, b: total(np.linspace(a, b, 4, endpoint=False)), (0.3, 1.4)),
    "one point": (lambda a, b: total(np.linspace(a, b, 1)), (0.3, 1.4)),
    "points beside their distance": (spaced, (0.3, 1.4)),
    "those before the end": (spaced_before_the_end, (0.3, 1.4)),
    "blocks": (lambda x, y: total(np.block([[x, x * y], [2.0 * x, x]])), (S, 0.3)),
    "a product of matrices": (lambda a, b, c: total(np.linalg.multi_dot([a, b, c])), (S, S.T, M)),
    "a contraction": (lambda a, b: total(np.einsum("ij,jk,ik->i", a, b, a)), (S, S.T)),
    "a contraction by numbers": (lambda a, b: total(np.einsum(a, [0, 1], b, [1, 2])), (S, S.T)),
    "a product of numbers": (
        lambda x, y: total(math.prod([x[0], x[1] * y, x[2]], start=y)),
        (V, 0.7),
    ),
    "some of the rows": (lambda x: total(list(x)[1] ** 2), (M,)),
    "a list of them": (lambda x: total(np.stack([row**2 for row in list(x)[::2]])), (M,)),
    "an array of entries": (lambda x: total(np.array([[x[0], x[1]], [x[2] * x[0], 1.0]])), (V,)),
    "a border": (lambda x: total(np.pad(x, 1, "reflect") ** 2), (V,)),
    "a trimmed one": (lambda x: total(np.trim_zeros(np.concatenate([np.zeros(2), x])) ** 2), (V,)),
    "powers": (lambda x, y: total(x**y), (P, 1.7)),
    "a power of numbers": (lambda x, y: total(x[0] ** y + y ** x[1]), (P, 1.7)),
    "remainders": (lambda x, y: total(np.fmod(x, y) ** 2), (V, P)),
    "scaled": (lambda x: total(np.frexp(x)[0] ** 2), (V,)),
    "rows": (lambda x, y: total(np.r_[x, 2.0, x * y]), (V, 0.4)),
    "columns": (lambda x, y: total(np.c_[x[:, :2], y * y, x]), (M, V[:3])),
    "columns of numbers": (lambda x, y: total(np.c_[x, 2.0, y] ** 2), (0.3, 0.4)),
}


IN_PART_ON_TAPE = {
    *("points between", "points and their distance", "points beside their distance"),
    *("those before the end", "products with an empty one", "a sum of exponentials of some"),
    *("a mean with its weight", "arange of a stop alone", "transforms of the last axes"),
}
"""Those whose tangent nobody has written."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*ONCE, *TWICE])
def test_jacobians_are_those_of_differences(name: str) -> None:
    function, args = {**ONCE, **TWICE}[name]
    places, way = tuple(range(len(args))), "tape" if name in IN_PART_ON_TAPE else "error"
    wanted = [differences(function, list(args), place) for place in places]
    pushed = [
        sg.jacfwd(function, place, fallback=way)(*copied(args)) for place in places
    ]  # the others rest
    pulled = sg.jacrev(function, places, fallback=way)(*copied(args))
    taped = sg.jacrev(function, places, backend="tape")(*copied(args))
    for found in (pushed, pulled, taped):
        for part, by_differences in zip(found, wanted, strict=True):
            np.testing.assert_allclose(part, by_differences, rtol=1e-5, atol=1e-7)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TWICE)
def test_jacobians_of_gradients_are_those_of_differences(name: str) -> None:
    function, args = TWICE[name]
    places, way = tuple(range(len(args))), "tape" if name in IN_PART_ON_TAPE else "error"
    for place in places:
        gradient = sg.grad(function, place, fallback="error")
        wanted = [differences(gradient, list(args), other) for other in places]
        ways = [
            sg.jacrev(gradient, places, fallback=way),
            sg.jacfwd(gradient, places, fallback=way),
        ]
        taped = sg.grad(function, place, backend="tape")
        ways.append(sg.jacrev(taped, places, backend="tape"))
        for made in ways:
            for part, by_differences in zip(made(*copied(args)), wanted, strict=True):
                np.testing.assert_allclose(part, by_differences, rtol=1e-5, atol=1e-7)


REFUSED: dict[str, tuple[Case, str]] = {
    "weights of a quantile": (
        (lambda x: np.quantile(x, 0.3, weights=P, method="inverted_cdf"), (V,)),
        "weighted quantiles",
    ),
    "all of a rotation": ((lambda x: np.linalg.qr(x, "complete")[0], (M.T,)), "mode 'complete'"),
    "the raw factors": ((lambda x: np.linalg.qr(x, "raw")[0], (S,)), "mode 'raw'"),
    "odd reflections": ((lambda x: np.pad(x, 1, "reflect", reflect_type="odd"), (V,)), "'reflect'"),
    "a function for a border": (
        (lambda x: np.pad(x, 1, lambda row, widths, axis, options: None), (V,)),
        "of a function",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("way", [sg.jacrev, sg.jacfwd])
def test_what_has_no_rule_is_refused_by_name(name: str, way: Any) -> None:
    (function, args), said = REFUSED[name]
    for backend in ("auto", "tape"):
        with pytest.raises(sg.SrcgradError, match=said):
            way(function, backend=backend)(*copied(args))


def test_several_numbers_in_a_border_go_forward_alone() -> None:
    def bordered(c: Any) -> Any:
        return np.pad(V, 1, constant_values=(c, c * c))

    wanted = np.zeros(7)
    wanted[[0, -1]] = 1.0, 0.6
    np.testing.assert_allclose(sg.jacfwd(bordered)(0.3), wanted)
    for backend in ("auto", "tape"):
        with pytest.raises(sg.MissingRuleError, match="constant_values"):
            sg.jacrev(bordered, backend=backend)(0.3)
