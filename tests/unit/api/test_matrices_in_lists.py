"""Pullbacks of functions that are given lists of numbers, and make matrices of them."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

Numbers = Any


def diagonal(dim: int) -> Numbers:
    return [[1.0 if i == j else 0.0 for i in range(dim)] for j in range(dim)]


def inner(a: Numbers, b: Numbers) -> Any:
    return sum(x * y for x, y in zip(a, b))  # noqa: B905 - as one writes it


def scaled_to_one(v: Numbers) -> Numbers:
    length = sqrt(inner(v, v))
    if not length:
        return v
    return [v[0] / length, v[1] / length, v[2] / length]


def projection(plane: Numbers) -> Numbers:
    point, normal = plane
    made = diagonal(4)
    normal = scaled_to_one(normal)
    for j in range(3):
        for i in range(3):
            made[i][j] -= normal[i] * normal[j]
    made[0][3], made[1][3], made[2][3] = [v * inner(point, normal) for v in normal]
    return made


def scaled_twice(v: Numbers, w: Numbers) -> Numbers:
    n = scaled_to_one(scaled_to_one(v))
    m = scaled_to_one(w) if w[0] > 0 else w
    made = diagonal(3)
    made[0][1] += n[0] * m[1]
    return made


def copied_first(v: Numbers, w: Numbers) -> Numbers:
    own = list(v)
    own[1] = w[0] * 2.0
    made = diagonal(3)
    made[0][1] += own[0] * own[1]
    made[1][2] = v[1] * w[2]
    return made


def given_back_and_changed(v: Numbers, w: Numbers) -> Numbers:
    n = scaled_to_one(v) if w[0] > 0 else v
    made = diagonal(3)
    made[0][0] = v[0] * n[1]
    n[1] = w[0] * w[1]
    made[1][1] += v[1] * n[2]
    return made


V, W = [0.68, 0.6, 0.27], [-0.67, 0.73, -0.15]
PLANE = ((1.0, 2.0, 3.0), (0.3, 0.4, 1.5))
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (projection, (PLANE,)),
    (projection, ([[1.0, 2.0, 3.0], [0.3, 0.4, 1.5]],)),
    (scaled_twice, (V, W)),
    (scaled_twice, (V, V)),
    (copied_first, (V, W)),
]


def moved(value: Any, direction: Any, step: float) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(moved(v, d, step) for v, d in zip(value, direction, strict=True))
    return value + step * direction


def flat(value: Any) -> list[float]:
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in flat(item)]
    return [float(value)]


def drawn(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(drawn(item, rng) for item in value)
    return float(rng.uniform(0.5, 1.5))


def check(function: Callable[..., Any], args: tuple[Any, ...], fallback: Any) -> None:
    rng = np.random.default_rng(3)
    directions = [drawn(item, rng) for item in args]
    places = tuple(range(len(args)))
    value, pull = sg.pullback(function, argnums=places, fallback=fallback)(*args)
    seeds = drawn(value, rng)
    slope = inner(flat(list(pull(seeds))), flat(directions))

    def at(step: float) -> Any:
        out = function(*(moved(a, d, step) for a, d in zip(args, directions, strict=True)))
        return inner(flat(out), flat(seeds))

    np.testing.assert_allclose(slope, (at(1e-6) - at(-1e-6)) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize(("function", "args"), CASES)
def test_matrices_of_given_lists(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(function, args, "error")


@pytest.mark.parametrize("w", [W, V])
def test_a_list_that_is_given_back_and_changed(w: Numbers) -> None:
    given = list(V)
    value, _ = sg.pullback(given_back_and_changed, (0, 1), fallback="tape")(given, list(w))
    other = list(V)
    assert value == given_back_and_changed(other, list(w))
    assert given == other
