"""Checks that what the compiler loses of a function is noticed in its tangent function, too."""

from __future__ import annotations

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

X = np.array([0.3, 0.6, 0.9, 1.2])


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


def _of_several(x: Any, *, scale: Any = 2.0, shift: Any = 1.0) -> Any:
    y = x * scale
    y = y - shift
    return np.sum(y * y), y


def _in_place(x: Any) -> Any:
    x *= 2.0
    x += 1.0
    return np.sum(x * x)


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
        (_of_several, _drop_second),
        (_of_several, _swap),
        (_in_place, _drop_second),
        (_branching, _drop_branch),
    ],
)
def test_what_the_normal_form_loses_is_doubted(
    function: Callable[..., Any], lose: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _kinds(function) == {("proven", "")}
    normal_form = module.normal_form

    def losing(source: FunctionSource, *args: Any) -> Any:
        lose(source.tree)
        return normal_form(source, *args)

    monkeypatch.setattr(module, "normal_form", losing)
    assert {kind for kind, _ in _kinds(function)} == {"wrong"}


def test_tangents_by_parameters_that_are_given_by_name_alone_are_read() -> None:
    assert _kinds(_of_several, argnames="scale") == {("proven", "")}
    assert _kinds(_of_several, argnames=("x", "shift")) == {("proven", "")}


def test_numbers_decide_where_the_own_code_of_a_function_is_not_run() -> None:
    def unread(x: Any) -> Any:
        return np.sum(np.fft.fft(x).real * x)

    ((kind, why),) = _kinds(unread)
    assert kind == "proven"
    assert why


def _kinds(function: Callable[..., Any], **by: Any) -> set[tuple[str, str]]:
    """Return what the checker says of the tangent function, made anew."""
    found: list[Any] = []
    with observed(lambda *item: found.append(item[-1])):
        proof = sg.pushforward(_again(function), fallback="error", **by).plan().generated.proof
        assert proof.verdict.kind
    assert found
    return {(item.kind, item.unread) for item in found}


def _again(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return another function of the same code, whose text is made anew."""
    made: Any = type(function)(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made
