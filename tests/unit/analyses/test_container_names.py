"""Holds what is said of containers and of shared memory against programs that run."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.analyses.container_names import ContainerNames
from srcgrad.analyses.sharing import Sharing
from srcgrad.checker import witness
from srcgrad.ir import gast

WAYS = {
    "joined": "r = [a[0]] + [a[1]]",
    "joined to a list with a name": "q = [a[1]]\nr = [b] + q",
    "repeated": "r = [a] * 2",
    "copied": "q = [a, b]\nr = q.copy()",
    "copied by `list`": "q = (a, b)\nr = list(q)",
    "a part": "q = [b, a]\nr = q[1:]",
    "joined dicts": "q = {'k': a}\nr = q | {'l': b}",
    "spread": "r = [*a]",
    "spread dicts": "q = {'k': a}\nr = {**q}",
    "collected": "r = [v for v in a]",
    "collected by key": "r = {i: v for i, v in enumerate(a)}",
    "one or the other": "r = None or a",
    "one of two": "r = a if len(b) else b",
    "grown": "r = []\nr += [a]",
    "grown by another": "q = [a]\nr = []\nr = r + q",
    "of an inner list": "q = [[a], [b]]\nr = q[0] + [b]",
    "of an inner list of a loop": "for q in [[a]]:\n    r = q + [b]",
    "of an unpacked list": "p, q = [a], [b]\nr = p + q",
    "new": "r = a + b",
    "new in a list": "q = [a + b]\nr = q + [b * 2]",
    "another": "r = [b] + [b]",
    "a number of tuples": "q = [(a, 2.0)]\nfor v, k in q:\n    r = k * b",
}


def _arrays(value: object) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    held = value.values() if isinstance(value, dict) else value
    return [array for item in held for array in _arrays(item)]  # type: ignore[union-attr]


@pytest.mark.parametrize("way", WAYS)
def test_what_shares_memory_is_said_to(way: str) -> None:
    body = gast.ast_to_gast(ast.parse(WAYS[way])).body
    scope = {"a": np.ones((2, 3)), "b": np.zeros((2, 3))}
    exec(WAYS[way], scope)
    sharing = Sharing(body, lambda _: True)
    for name in "ab":
        shares = any(np.shares_memory(scope[name], array) for array in _arrays(scope["r"]))
        assert sharing.may_share(name, "r") or not shares


@pytest.mark.parametrize("way", ["new", "new in a list", "another", "a number of tuples"])
def test_what_is_new_shares_nothing(way: str) -> None:
    body = gast.ast_to_gast(ast.parse(WAYS[way])).body
    assert not Sharing(body, lambda _: True).may_share("a", "r")


@pytest.mark.parametrize("way", WAYS)
def test_containers_are_known(way: str) -> None:
    body = gast.ast_to_gast(ast.parse(WAYS[way])).body
    scope = {"a": np.ones((2, 3)), "b": np.zeros((2, 3))}
    exec(WAYS[way], scope)
    held = {name for name, value in scope.items() if isinstance(value, (list, tuple, dict))}
    found = ContainerNames(body).depths.keys()
    assert found == held - {"__builtins__"}


def test_entries_of_a_copied_list_of_the_caller_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The copy is another list, of the same arrays; the check of derivatives would see it, too."""
    monkeypatch.setenv(witness.VARIABLE, "0")

    def f(x, held):
        copied = held.copy()
        copied[0][1] = 5.0
        return np.sum(held[0] * x)

    held = [np.ones(3), np.ones(3)]
    np.testing.assert_array_equal(sg.grad(f)(np.arange(3.0), held), [1.0, 5.0, 1.0])
    np.testing.assert_array_equal(held[0], [1.0, 5.0, 1.0])
