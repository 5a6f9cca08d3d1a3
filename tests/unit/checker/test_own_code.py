"""Checks that what the compiler loses of a function on the way to its normal form is noticed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.checker.witness import observed
from srcgrad.compiler import module
from srcgrad.frontend.source import FunctionSource
from srcgrad.ir import gast
from srcgrad.ir.walk import walk


def _pure(x: Any) -> Any:
    y = np.sin(x) - x * 2.0
    y = y * x
    return np.sum(y * x)


def _carried(x: Any) -> Any:
    y, count = x * 1.0, 0
    while count < 3:
        y = y * x
        count = count + 1
    return np.sum(y)


def _writing(x: Any) -> Any:
    y = x * 2.0
    y[0] = 1.0
    return np.sum(y * x)


def _branching(x: Any) -> Any:
    y = x * x
    if np.sum(y) > 1.0:
        y = y * 3.0
    return np.sum(y)


def _drop_second(tree: Any) -> None:
    del tree.body[1]


def _swap(tree: Any) -> None:
    node = next(item for item in walk(tree) if isinstance(getattr(item, "op", None), gast.Sub))
    node.left, node.right = node.right, node.left


def _one_trip_less(tree: Any) -> None:
    loop = next(item for item in walk(tree) if isinstance(item, gast.While))
    loop.test.comparators[0].value = 2


def _drop_branch(tree: Any) -> None:
    tree.body = [item for item in tree.body if not isinstance(item, gast.If)]


@pytest.mark.parametrize(
    ("function", "lose"),
    [
        (_pure, _drop_second),
        (_pure, _swap),
        (_carried, _one_trip_less),
        (_writing, _drop_second),
        (_branching, _drop_branch),
    ],
)
def test_what_the_normal_form_loses_is_doubted(
    function: Callable[[Any], Any], lose: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _kinds(function) == {("proven", "")}
    normal_form = module.normal_form

    def losing(source: FunctionSource, *args: Any) -> Any:
        lose(source.tree)
        return normal_form(source, *args)

    monkeypatch.setattr(module, "normal_form", losing)
    assert {kind for kind, _ in _kinds(function)} == {"wrong"}


def test_a_function_that_cannot_be_run_is_said_to_be_unread() -> None:
    def drawn(x: Any) -> Any:
        return np.sum(np.fft.fft(x).real * x)

    ((kind, unread),) = _kinds(drawn)
    assert kind == "proven"
    assert unread
    explanation = sg.grad(drawn).explain()
    said = explanation.to_dict()["own_code_unread"]  # of the text for all shapes
    assert said.split()[:5] == unread.split()[:5] == "on exact numbers it raises".split()
    assert f"did not run its own code: {said}." in str(explanation)
    assert "own code" not in str(sg.grad(_pure).explain())


def test_what_lies_outside_is_left_alone() -> None:
    seen: list[float] = []

    def noting(x: Any) -> Any:
        seen.append(1.0)
        return np.sum(x * x)

    _kinds(noting, call=False)
    assert not seen


def _kinds(function: Callable[[Any], Any], *, call: bool = True) -> set[tuple[str, str]]:
    found: list[Any] = []
    gradient = sg.grad(function, fallback="error")
    with observed(lambda *item: found.append(item[-1])):
        if call:
            gradient(np.array([0.3, 0.6, 0.9, 1.2]))
        else:
            assert gradient.source
    assert found
    return {(item.kind, item.unread) for item in found}


def _whole_parts(x: Any) -> Any:
    return x.astype(int).sum() * x[0]


def test_what_elements_of_ours_warn_of_is_not_told() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sg.vjp(_whole_parts, np.array([1.5, 2.5, -3.0]))
    assert told == []


def test_bytes_that_are_given_by_number_are_not_looked_for() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.lib.stride_tricks.as_strided(x, (2, 3), (1 << 40, 8)))

    told = sg.grad(f).explain().to_dict()
    assert "as_strided" in told["own_code_unread"]
