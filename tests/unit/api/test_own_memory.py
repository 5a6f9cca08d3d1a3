"""Derivatives lie in memory of their own: not in that of arguments, constants or each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.api.trees import Layer, flat, floats, like

WEIGHTS = np.arange(4.0)
FIRST, SECOND = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, -1.0, 2.0, 0.1])


def of_a_dict(d: Any) -> Any:
    return np.sum((d["a"] + d["b"]) * WEIGHTS)


def of_a_list(values: Any) -> Any:
    return np.sum(sum(values) * WEIGHTS)


def of_fields(layer: Any) -> Any:
    return np.sum((layer.w + layer.b) * WEIGHTS)


def of_two(a: Any, b: Any) -> Any:
    return np.sum((a + b) * WEIGHTS)


def of_a_product(a: Any) -> Any:
    return a @ WEIGHTS


def added(a: Any, b: Any) -> Any:
    return a + b


def added_entries(d: Any) -> Any:
    return d["a"] + d["b"]


def itself(a: Any) -> Any:
    return a


def twice(a: Any) -> Any:
    return [a, a.reshape(2, 2)]


def sums(a: Any, b: Any) -> Any:
    return {"sum": a + b, "first": a, "difference": a - b}


BOTH = {"a": FIRST, "b": SECOND}
NUMBERS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (of_a_dict, (BOTH,)),
    (of_a_list, ([FIRST, SECOND, 2 * FIRST],)),
    (of_fields, (Layer(FIRST, SECOND),)),
    (of_two, (FIRST, SECOND)),
    (of_a_product, (FIRST,)),
]
ARRAYS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (added, (FIRST, SECOND)),
    (added_entries, (BOTH,)),
    (itself, (FIRST,)),
    (twice, (FIRST,)),
    (sums, (FIRST, SECOND)),
]


def assert_apart(found: Any, others: Any) -> None:
    """Assert that arrays can be written, and share no memory with each other or with others."""
    arrays = [item for item in floats(found) if isinstance(item, np.ndarray)]
    assert arrays
    assert all(item.flags.writeable for item in arrays)
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))
    given = [item for item in floats(others) if isinstance(item, np.ndarray)]
    assert not any(np.shares_memory(a, b) for a in arrays for b in [*given, WEIGHTS])


def named(cases: Any) -> Any:
    return pytest.mark.parametrize(("f", "args"), cases, ids=[f.__name__ for f, _ in cases])


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@named(NUMBERS)
def test_gradients_share_no_memory(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    every = tuple(range(len(args)))
    assert_apart(sg.grad(f, every)(*args), args)
    assert_apart(sg.value_and_grad(f, every)(*args)[1], args)
    assert_apart(sg.vjp(f, *args)[1](1.0), args)
    assert_apart(sg.hvp(f, args, args), args)


@named(ARRAYS)
def test_pullbacks_and_tangents_share_no_memory(
    f: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    result = f(*args)
    seed = like(result, np.arange(1.0, 1.0 + flat(result).size))
    _, pull = sg.vjp(f, *args)
    pulled = pull(seed), pull(seed)
    assert_apart(pulled, (args, seed))
    directions = tuple(like(item, flat(item) + 1.0) for item in args)
    tangent = sg.jvp(f, args, directions)[1]
    given = [item for item in floats((args, directions)) if isinstance(item, np.ndarray)]
    assert not any(np.shares_memory(a, b) for a in floats(tangent) for b in given)


def test_tangents_share_no_memory_where_the_values_share_none() -> None:
    def shifted(x: Any) -> Any:
        y = x * 2.0
        return {"first": y + 1.0, "rest": [y + 2.0, y, y[1:]]}

    x = np.arange(3.0)
    tangent = sg.jvp(shifted, (x,), (np.ones(3),))[1]
    first, rest = tangent["first"], tangent["rest"]
    assert not any(np.shares_memory(first, item) for item in rest)
    assert not np.shares_memory(rest[0], rest[1])


def square_of_all_sums(p: Any) -> Any:
    return sum(np.sum(v) for v in p) ** 2


def square_of_the_sum_of_both(p: Any) -> Any:
    return np.sum((p[0] + p[1]) ** 2)


def the_same_twice(p: Any) -> Any:
    return [p[0] - 0.0, p[0] + 0.0]


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("f", [square_of_all_sums, square_of_the_sum_of_both, the_same_twice])
def test_tangents_of_a_list_lie_in_memory_of_their_own(f: Any, backend: Any) -> None:
    p = [np.arange(3.0), np.arange(3.0) + 1.0]
    along = [np.ones(3), np.ones(3)]
    subject = f if f is the_same_twice else sg.grad(f, backend=backend)
    value, tangent = sg.jvp(subject, (p,), (along,), backend=backend)
    assert not np.shares_memory(value[0], value[1])
    assert not np.shares_memory(tangent[0], tangent[1])
    if f is not the_same_twice:
        product = sg.hvp(f, (p,), (along,), backend=backend)
        assert not np.shares_memory(product[0], product[1])
