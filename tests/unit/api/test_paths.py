"""Tests that numbers are compared along each branch of a text that the checker doubts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import known_texts, verification
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from srcgrad.codegen.branches import MARK
from srcgrad.compiler.module import Module

Break = Callable[[str, str], None]
UP, DOWN = np.array([0.5, 1.5]), np.array([-0.5, 1.5])
COUNTS = {"calls": 0}


@pytest.fixture(autouse=True)
def _doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    known_texts.forget()
    monkeypatch.setattr(Checker, "verdict", lambda *_: Verdict("wrong", "of a test"))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Return what replaces a part, said by a pattern, of the texts that are made from then on."""

    def replace(part: str, other: str) -> None:
        render = Module.render

        def changed(self: Module) -> tuple[str, Any]:
            text, lines = render(self)
            assert re.search(part, text), text
            return re.sub(part, other, text), lines

        monkeypatch.setattr(Module, "render", changed)

    return replace


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the kinds of what numbers are compared of."""
    kinds: list[str] = []
    former = verification._Check.is_as_on_the_tape

    def counted(self: Any) -> bool:
        kinds.append(self._claim.kind)
        return former(self)

    monkeypatch.setattr(verification._Check, "is_as_on_the_tape", counted)
    return kinds


def turned(x):
    y = x
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def slope(x: np.ndarray) -> list[float]:
    return sg.grad(turned, backend="tape")(x).tolist()


def test_the_other_branch_of_a_gradient_is_compared(broken: Break) -> None:
    broken(r"np\.cos\(x\)", "(np.cos(x) + 0.1)")
    gradient = sg.grad(turned)
    assert gradient(DOWN).tolist() == slope(DOWN)
    assert gradient(DOWN).tolist() == slope(DOWN)
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(gradient(UP), slope(UP))


def straight(x):
    return np.sum(x * x)


def test_where_nothing_stands_is_a_branch_too(broken: Break) -> None:
    broken(r"( +)return 2.0 \* x", r"\1if x[0] <= 0: return 2.1 * x\n\1return 2.0 * x")
    gradient = sg.grad(straight)
    assert gradient(UP).tolist() == (2 * UP).tolist()
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert gradient(DOWN).tolist() == (2 * DOWN).tolist()


def test_what_comes_after_a_branch_that_leaves_is_compared(broken: Break) -> None:
    broken(r"( +)return 2.0 \* x", r"\1if x[0] > 0: return 2.0 * x\n\1return 2.1 * x")
    gradient = sg.grad(straight)
    assert gradient(UP).tolist() == (2 * UP).tolist()
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert gradient(DOWN).tolist() == (2 * DOWN).tolist()


def test_the_other_branch_of_a_tangent_is_compared(broken: Break) -> None:
    broken(r"np\.cos\(x\)", "(np.cos(x) + 0.1)")

    def tangent(x: np.ndarray) -> Any:
        return sg.jvp(turned_along, (x,), (np.ones(2),))[1]

    for _ in range(3):
        assert np.isclose(tangent(DOWN), np.sum(slope(DOWN)))
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.isclose(tangent(UP), np.sum(slope(UP)))


def turned_along(x):
    return turned(x)


def test_the_other_branch_of_a_pullback_is_compared(broken: Break) -> None:
    broken(r"np\.cos\(x\)", "(np.cos(x) + 0.1)")

    def adjoint(x: np.ndarray) -> Any:
        return sg.vjp(turned_again, x)[1](1.0)[0]

    for _ in range(3):
        assert np.allclose(adjoint(DOWN), slope(DOWN))
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(adjoint(UP), slope(UP))


def turned_again(x):
    return turned(x)


def halves(x):
    if x[0] > 0:
        return np.sin(x)
    return x * x


@pytest.mark.parametrize("jacobian", [sg.jacfwd, sg.jacrev])
def test_the_other_branch_of_a_jacobian_is_compared(jacobian: Any, broken: Break) -> None:
    broken(r"np\.cos\(x\)", "(np.cos(x) + 0.1)")

    def half(x):
        return halves(x)

    found = jacobian(half)
    for _ in range(3):
        assert np.allclose(found(DOWN), np.diag(2 * DOWN))
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(found(UP), np.diag([sg.jvp(np.sin, (v,), (1.0,))[1] for v in UP]))


def test_the_branches_of_a_jacobian_go_on_in_stacks(compared: list[str]) -> None:
    found = sg.jacfwd(halves)
    for x in (DOWN, DOWN, UP, UP, DOWN, UP):
        found(x)
    assert compared == ["tangent", "tangent"]


def walked(x, n):
    y = x
    for _ in range(n):
        y = y * x
    return np.sum(y)


def test_a_second_trip_and_none_are_compared(compared: list[str]) -> None:
    gradient = sg.grad(walked, fallback="error")
    for n in (1, 1, 1, 2, 3, 2, 0, 0, 5):
        expected = (n + 1) * UP**n
        assert np.allclose(gradient(UP, n), expected)
    assert compared == ["gradient"] * 3


def marked(x):
    y = x * 2.0
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def test_what_was_compared_has_no_marks() -> None:
    gradient = sg.grad(marked, fallback="error")  # whose text no other test has run
    gradient(UP)
    code = gradient.generated.__code__
    assert MARK in code.co_names
    gradient(UP)
    assert gradient.generated.__code__ is code
    gradient(DOWN)
    assert MARK not in gradient.generated.__code__.co_names


def test_a_call_that_raises_has_compared_nothing(broken: Break) -> None:
    def checked(x, y):
        z = np.sum(x * y)
        if len(y) != 2:
            raise ValueError("two")
        return z

    broken("return .*y.*", "return 1.1 * y")
    gradient = sg.grad(checked)
    for _ in range(2):
        with pytest.raises(ValueError, match="two"):
            gradient(np.ones(3), np.ones(3))
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert gradient(UP, DOWN).tolist() == DOWN.tolist()


def test_a_call_without_numbers_has_compared_nothing(broken: Break) -> None:
    def summed(x, y):
        return np.sum(x * y)

    broken("return .*y.*", "return 1.1 * y")
    gradient = sg.grad(summed)
    assert gradient(np.zeros(0), np.zeros(0)).size == 0
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert gradient(UP, DOWN).tolist() == DOWN.tolist()


def counts(x):
    COUNTS["calls"] += 1
    print("called", COUNTS["calls"])
    if x[0] > 0:
        COUNTS["up"] = COUNTS.get("up", 0) + 1
        return np.sum(np.sin(x))
    return np.sum(x * x)


def test_effects_come_once_along_each_branch(
    compared: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    COUNTS.clear()
    COUNTS["calls"] = 0
    gradient = sg.grad(counts, fallback="error")
    for number, x in enumerate((DOWN, DOWN, UP, UP, DOWN), 1):
        gradient(x)
        assert COUNTS["calls"] == number
        assert capsys.readouterr().out == f"called {number}\n"
    assert COUNTS["up"] == 2
    assert compared == ["gradient"] * 2


def test_a_wrong_branch_with_effects_does_not_run(broken: Break) -> None:
    COUNTS.clear()
    COUNTS["calls"] = 0
    broken(r"np\.cos\(x\)", "(np.cos(x) + 0.1)")
    gradient = sg.grad(counts)
    assert gradient(DOWN).tolist() == (2 * DOWN).tolist()
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(gradient(UP), sg.grad(lambda x: np.sum(np.sin(x)))(UP))
    assert COUNTS == {"calls": 2, "up": 1}


def catches(x):
    try:
        y = x * 2.0
        if x[0] > 0:
            y = np.sin(x)
    except Exception:  # noqa: BLE001 - all that there is
        y = x
    return np.sum(y)


def test_who_catches_all_does_not_catch_a_stop(broken: Break) -> None:
    broken(r"np\.cos\(x\)", "(np.cos(x) + 0.1)")
    gradient = sg.grad(catches)
    assert gradient(DOWN).tolist() == [2.0, 2.0]
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        assert np.allclose(gradient(UP), sg.grad(lambda x: np.sum(np.sin(x)))(UP))


def test_functions_of_one_text_share_what_was_compared(compared: list[str]) -> None:
    for rate in (1.0, 2.0, 3.0):

        def scaled(x):
            if x[0] > 0:
                return np.sum(rate * x)  # noqa: B023 - it is called at once
            return np.sum(x * x)

        gradient = sg.grad(scaled, fallback="error")
        assert gradient(UP).tolist() == [rate, rate]
        assert gradient(DOWN).tolist() == (2 * DOWN).tolist()
    assert compared == ["gradient"] * 2


def stopped(x):
    y = x * 3.0
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def test_the_generated_function_itself_refuses_a_new_branch() -> None:
    gradient = sg.grad(stopped, fallback="error")  # whose text no other test has run
    gradient(UP)
    run = gradient.generated
    with pytest.raises(sg.NotProvenError, match="no numbers were compared"):
        run(DOWN)
