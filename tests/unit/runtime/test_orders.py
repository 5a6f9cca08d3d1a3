"""Orders stand for the values that they are of, also where these are equal, or not in order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad.runtime import greater_part, order_of, part_if_greater, part_if_less

NUMBERS = [-np.inf, -1.0, 0.0, 1.0, np.inf, np.nan]
TABLE = np.array(list(itertools.product(NUMBERS, NUMBERS)))
RNG = np.random.default_rng(0)
PAIRS = {
    "each with each": (TABLE[:, 0], TABLE[:, 1]),
    "in order": (RNG.random(7), RNG.random(7)),
    "many": (RNG.random(2000), RNG.random(2000)),
    "many, some equal": (np.round(RNG.random(2000), 1), np.round(RNG.random(2000), 1)),
    "beside a number": (RNG.random(7), 0.5),
    "rows and columns": (RNG.random((1, 4)), RNG.random((3, 1))),
    "narrow": (RNG.random(7).astype(np.float32), RNG.random(7).astype(np.float32)),
    "none": (np.zeros(0), np.zeros(0)),
    "views": (RNG.random((5, 6))[:, ::2], RNG.random((3, 5)).T),
    "numbers": (0.5, 1),
}


@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("infinite", [False, True])
def test_an_order_will_do_for_what_it_is_of(case: str, *, infinite: bool) -> None:
    x, y = PAIRS[case]
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    grad = RNG.normal(size=shape).astype(np.asarray(x).dtype)
    if infinite and grad.ndim and grad.size:
        grad[..., 0] = np.inf
    found = order_of(x, y)
    for part, expected in (
        (part_if_greater(grad, found), greater_part(grad, x, y)),
        (part_if_less(grad, found), greater_part(grad, y, x)),
    ):
        np.testing.assert_array_equal(part, expected)
        assert np.asarray(part).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("pair", list(itertools.product(NUMBERS, NUMBERS)))
def test_an_order_of_two_numbers(pair: tuple[float, float]) -> None:
    found = order_of(*pair)
    assert part_if_greater(2.0, found) == greater_part(2.0, *pair)
    assert part_if_less(2.0, found) == greater_part(2.0, *pair[::-1])


def test_an_order_takes_a_byte_for_each_pair() -> None:
    for case in ("each with each", "many", "many, some equal"):
        assert order_of(*PAIRS[case]).nbytes == len(PAIRS[case][0])
