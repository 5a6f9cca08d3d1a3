"""What functions say that they select: where else the gradient of an operand is zero, and nowhere.

The masks are compared with the gradients of sums with weights that are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad import tape
from srcgrad.runtime import any_selected
from srcgrad.tape.core import edge_of
from srcgrad.tape.selection import SELECTORS

RNG = np.random.default_rng(11)
X, Y, Z = RNG.normal(size=(3, 4, 3))
LESS = X < 0.2
HOLES = np.where(X > 0.7, np.nan, X)

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "where": (lambda x, y: np.where(LESS, x, y), (X, Y)),
    "where, of numbers": (lambda x, y: np.where(LESS, x, y), (X, Y[0])),
    "where, of a list": (lambda x, y: np.where([True, False, True], x, y), (X, Y)),
    "maximum": (np.maximum, (X, Y)),
    "maximum of equals": (np.maximum, (X, np.where(LESS, X, Y))),
    "minimum": (np.minimum, (X, Y)),
    "minimum of equals": (np.minimum, (X, np.where(LESS, X, Y))),
    "fmax": (np.fmax, (X, Y)),
    "fmin": (np.fmin, (X, Y)),
    "clip": (lambda x: np.clip(x, -0.5, 0.5), (X,)),
    "clip, from below": (lambda x: np.clip(x, -0.5, None), (X,)),
    "select": (lambda x, y, z: np.select([LESS, Y < 0], [x, y], z), (X, Y, Z)),
    "select, else nothing": (lambda x, y: np.select([LESS, Y < 0], [x, y]), (X, Y)),
    "sum": (lambda x: np.sum(x, axis=0, where=LESS), (X,)),
    "sum of all": (np.sum, (X,)),
    "mean": (lambda x: np.mean(x, axis=1, where=LESS), (X,)),
    "prod": (lambda x: np.prod(x, axis=0, where=LESS), (X,)),
    "std": (lambda x: np.std(x, where=LESS), (X,)),
    "var": (lambda x: np.var(x, axis=None, where=LESS), (X,)),
    "max": (lambda x: np.max(x, axis=0), (X,)),
    "max, of equals": (lambda x: np.max(x, axis=1, keepdims=True), (np.round(X),)),
    "max, where": (lambda x: np.max(x, where=X < 1, initial=-9.0), (X,)),
    "min": (lambda x: np.min(x, axis=-1), (X,)),
    "amax": (lambda x: np.amax(x, axis=0), (X,)),
    "amin": (lambda x: np.amin(x, axis=0), (X,)),
    "nanmax": (lambda x: np.nanmax(x, axis=0), (HOLES,)),
    "nanmin": (lambda x: np.nanmin(x, axis=0), (HOLES,)),
    "nansum": (lambda x: np.nansum(x, axis=0), (HOLES,)),
    "nanmean": (lambda x: np.nanmean(x, axis=0), (HOLES,)),
    "take": (lambda x: np.take(x, [2, 0], axis=0), (X,)),
    "take, of all": (lambda x: np.take(x, [[2, 7], [2, 3]]), (X,)),
    "take, beyond": (lambda x: np.take(x, [-1, 5], axis=1, mode="clip"), (X,)),
    "compress": (lambda x: np.compress([True, False, True], x, axis=0), (X,)),
    "compress, of all": (lambda x: np.compress([True, False, True], x), (X,)),
    "extract": (lambda x: np.extract(LESS, x), (X,)),
    "choose": (lambda x, y: np.choose(LESS.astype(int), [x, y]), (X, Y)),
    "nan_to_num": (np.nan_to_num, (HOLES,)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_gradient_is_other_than_zero_where_the_mask_says_so(name):
    function, values = CASES[name]
    leaves = [tape.tensor(value, requires_grad=True) for value in values]
    result = function(*leaves)
    node: Any = result._edge[0]
    assert node.op.primal.__name__ == name.partition(",")[0].partition(" ")[0]
    masks = SELECTORS[node.op.primal](node)
    weights = np.random.default_rng(3).uniform(1, 2, np.shape(result._array))
    np.sum(result * weights).backward()
    seen = 0
    for place, edge in enumerate(node._edges):
        if edge is None:
            continue
        leaf = next(leaf for leaf in leaves if edge[0] is edge_of(leaf)[0])
        mask = any_selected(masks.get(place, np.ones(np.shape(result._array), bool)), leaf.shape)
        np.testing.assert_array_equal(mask, leaf.grad.numpy() != 0)
        seen += 1
    assert seen == len(leaves)


def test_every_function_that_selects_is_among_the_cases():
    names = {name.partition(",")[0].partition(" ")[0] for name in CASES}
    assert {primal.__name__ for primal in SELECTORS} == names
