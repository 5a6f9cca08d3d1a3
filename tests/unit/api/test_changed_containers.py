"""Products with Hessians of functions that change the containers that they are given.

What the function leaves in them is there, and the derivative is by what was there before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

Tree = Any
X = np.array([0.3, 0.4])
Y = np.array([0.7, -1.4])


def swapping(parts: Tree) -> Any:
    parts[0], parts[1] = parts[1], parts[0]
    return np.sum(parts[0] * parts[1] ** 2)


def emptying(parts: Tree) -> Any:
    first = parts[0]
    parts[0] = 1
    return np.sum(first * parts.pop() ** 2)


def growing(parts: Tree) -> Any:
    parts.append(parts[0] * parts[1] ** 2)
    return np.sum(parts[-1])


def renaming(parts: Tree) -> Any:
    parts["c"] = parts.pop("a") * 2.0
    return np.sum(parts["c"] * parts["b"] ** 2)


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


def exchanging(parts: Tree) -> Any:
    parts.a, parts.b = parts.b, 0.0 * parts.a.sum()
    return np.sum(parts.a**3)


def leaves(parts: Tree) -> list[Any]:
    parts = vars(parts) if isinstance(parts, Pair) else parts
    return [*parts.items()] if isinstance(parts, dict) else [*enumerate(parts)]


CASES = {
    "swap": (swapping, lambda a, b: [a, b]),
    "pop": (emptying, lambda a, b: [a, b]),
    "append": (growing, lambda a, b: [a, b]),
    "rename": (renaming, lambda a, b: {"a": a, "b": b}),
    "object": (exchanging, Pair),
}


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_hessian_products_leave_containers_as_the_function_does(name: str, backend: str) -> None:
    function, made = CASES[name]
    parts, plain = made(X.copy(), Y.copy()), made(X.copy(), Y.copy())
    found = sg.hvp(function, (parts,), (made(Y, X),), backend=backend)
    function(plain)
    for (key, ours), (name_, theirs) in zip(leaves(parts), leaves(plain), strict=True):
        assert key == name_
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours, theirs)

    def slope(t: float) -> list[Any]:
        moved = made(X + t * Y, Y + t * X)
        grads = sg.grad(function, backend="tape")(moved)
        return [item for _, item in leaves(grads)]

    eps = 1e-6
    for (_, ours), up, down in zip(leaves(found), slope(eps), slope(-eps), strict=True):
        np.testing.assert_allclose(ours, (up - down) / (2 * eps), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("later", [list.clear, lambda parts: parts.append(1.0)])
def test_pullbacks_are_by_the_list_as_it_was(later: Any) -> None:
    parts = [X.copy(), Y.copy()]
    _, pull = sg.vjp(lambda parts: np.sum(parts[0] * parts[1] ** 2), parts)
    later(parts)
    (found,) = pull(1.0)
    assert len(found) == 2
    np.testing.assert_allclose(found[0], Y**2)


def _noting(params, x):
    params["steps"] = 0.5
    return x


def test_adjoints_of_a_pullback_have_the_entries_that_were_there_at_the_call() -> None:
    for x in (np.arange(3.0), np.arange(3.0) + 1j):
        params = {"rate": np.ones(2)}
        _, pull = sg.pullback(_noting, argnums=(0, 1))(params, x)
        first, second = pull(np.ones_like(x))
        assert list(first) == ["rate"]
        assert not first["rate"].any()
        np.testing.assert_allclose(second, np.ones(3))
