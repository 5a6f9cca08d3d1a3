"""Functions of shapes by the names of torch, against the functions of NumPy that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad import tape
from srcgrad.tape import costs, shapes

rng = np.random.default_rng(2)
X = rng.normal(size=(2, 1, 3))
CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "flatten": (shapes.flatten, lambda x: x.reshape(-1)),
    "flatten from an axis": (lambda x: shapes.flatten(x, 1), lambda x: x.reshape(2, 3)),
    "flatten to an axis": (lambda x: shapes.flatten(x, 0, -2), lambda x: x.reshape(2, 3)),
    "flatten one axis": (lambda x: shapes.flatten(x, 1, 1), lambda x: x),
    "flatten a number": (lambda x: shapes.flatten(x[0, 0, 0]), lambda x: x[0, 0, :1]),
    "squeeze": (shapes.squeeze, lambda x: x[:, 0]),
    "squeeze an axis": (lambda x: shapes.squeeze(x, 1), lambda x: x[:, 0]),
    "squeeze from the end": (lambda x: shapes.squeeze(x, -2), lambda x: x[:, 0]),
    "squeeze a long axis": (lambda x: shapes.squeeze(x, 0), lambda x: x),
    "squeeze several": (lambda x: shapes.squeeze(x, (0, 1)), lambda x: x[:, 0]),
    "squeeze a number": (lambda x: shapes.squeeze(x[0, 0, 0], 0), lambda x: x[0, 0, 0]),
    "unsqueeze": (lambda x: shapes.unsqueeze(x, 1), lambda x: x[:, None]),
    "unsqueeze at the end": (lambda x: shapes.unsqueeze(x, -1), lambda x: x[..., None]),
    "transpose": (lambda x: shapes.transpose(x, 0, 2), lambda x: np.swapaxes(x, 0, 2)),
    "permute": (lambda x: shapes.permute(x, (2, 0, 1)), lambda x: np.transpose(x, (2, 0, 1))),
    "t": (lambda x: shapes.t(x[:, 0]), lambda x: x[:, 0].T),
    "t of a vector": (lambda x: shapes.t(x[0, 0]), lambda x: x[0, 0]),
    "movedim": (lambda x: shapes.movedim(x, 0, 2), lambda x: np.moveaxis(x, 0, 2)),
    "broadcast_to": (
        lambda x: shapes.broadcast_to(x, (2, 4, 3)),
        lambda x: np.broadcast_to(x, (2, 4, 3)),
    ),
    "expand": (lambda x: shapes.expand(x, 2, 4, -1), lambda x: np.broadcast_to(x, (2, 4, 3))),
    "expand in front": (
        lambda x: shapes.expand(x, 5, -1, 4, 3),
        lambda x: np.broadcast_to(x, (5, 2, 4, 3)),
    ),
    "flip": (lambda x: shapes.flip(x, (0, 2)), lambda x: np.flip(x, (0, 2))),
    "roll": (lambda x: shapes.roll(x, 1), lambda x: np.roll(x, 1)),
    "roll an axis": (lambda x: shapes.roll(x, 1, 2), lambda x: np.roll(x, 1, 2)),
    "tile": (lambda x: shapes.tile(x, (2, 1, 2)), lambda x: np.tile(x, (2, 1, 2))),
    "repeat_interleave": (
        lambda x: shapes.repeat_interleave(x, 2, 2),
        lambda x: np.repeat(x, 2, 2),
    ),
    "cat": (lambda x: shapes.cat([x, x], 1), lambda x: np.concatenate([x, x], 1)),
    "stack": (lambda x: shapes.stack([x, x], 1), lambda x: np.stack([x, x], 1)),
    "unbind": (lambda x: shapes.unbind(x, -1)[1], lambda x: x[..., 1]),
    "split": (lambda x: shapes.split(x, 2, 2)[0], lambda x: x[..., :2]),
    "the rest of a split": (lambda x: shapes.split(x, 2, 2)[1], lambda x: x[..., 2:]),
    "split by sizes": (lambda x: shapes.split(x, [1, 2], -1)[1], lambda x: x[..., 1:]),
    "chunk": (lambda x: shapes.chunk(x, 2, 2)[0], lambda x: x[..., :2]),
    "more chunks than there are rows": (lambda x: shapes.chunk(x, 5, 2)[2], lambda x: x[..., 2:]),
    "a chunk of nothing": (lambda x: shapes.chunk(x[:0], 2)[0], lambda x: x[:0]),
    "the last chunk of nothing": (lambda x: shapes.chunk(x[:0], 2)[1], lambda x: x[:0]),
    "a split of nothing": (lambda x: shapes.split(x[:0], 2)[0], lambda x: x[:0]),
    "the last chunk": (lambda x: shapes.chunk(x, 2, 2)[1], lambda x: x[..., 2:]),
}


@pytest.mark.parametrize("case", CASES)
def test_shapes_are_those_of_numpy_and_gradients_go_back(case: str) -> None:
    ours, theirs = CASES[case]
    x = tape.tensor(X.copy(), requires_grad=True)
    found, wanted = ours(x), theirs(X)
    np.testing.assert_array_equal(found.detach().numpy(), wanted)
    weights = rng.normal(size=np.shape(wanted))
    (found * weights).sum().backward()
    moved = np.zeros_like(X)
    for place in np.ndindex(X.shape):  # a linear function: its slope is its value at a unit
        unit = np.zeros_like(X)
        unit[place] = 1.0
        moved[place] = np.sum(theirs(unit) * weights)
    np.testing.assert_allclose(x.grad.numpy(), moved, atol=1e-13)


def test_pieces_are_as_many_as_are_asked_for() -> None:
    x = tape.tensor(np.arange(10.0))
    assert [len(piece) for piece in shapes.split(x, 4)] == [4, 4, 2]
    assert [len(piece) for piece in shapes.split(x, 5)] == [5, 5]
    assert [len(piece) for piece in shapes.chunk(x, 3)] == [4, 4, 2]
    assert [len(piece) for piece in shapes.unbind(tape.tensor(np.ones((3, 2))))] == [2, 2, 2]


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4))]
)
def test_one_product_costs_the_same_under_every_name(a: Any, b: Any) -> None:
    assert costs._dot(a, b) == costs._matmul(a, b) > 0
    turned = b if len(b) == 1 else b[::-1]
    assert costs._inner(a, turned) == costs._matmul(a, b)


def test_products_with_numbers_cost_one_for_each_element() -> None:
    assert costs._dot((), (3, 4)) == costs._dot((3, 4), ()) == costs._inner((), (3, 4)) == 12
    assert costs._matmul((5, 2, 3), (3, 4)) == 5 * costs._matmul((2, 3), (3, 4))
