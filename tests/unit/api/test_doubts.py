"""Tests what is found out before a text runs that the checker takes for wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import gradient, verification
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from srcgrad.compiler.module import Module
from srcgrad.compiler.proof import Proof

Break = Callable[[str, str], None]
COUNTS = {"calls": 0}


@pytest.fixture(autouse=True)
def _doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checker, "verdict", lambda *_: Verdict("wrong", "of a test"))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Return what replaces a part, said by a pattern, of the texts that are made from then on."""

    def replace(part: str, other: str) -> None:
        render = Module.render

        def changed(self: Module) -> tuple[str, Any]:
            text, lines = render(self)
            return re.sub(part, other, text), lines

        monkeypatch.setattr(Module, "render", changed)

    return replace


def writes(x, y):
    y[0] = 3.0
    return np.sum(x * x)


def test_a_text_that_leaves_other_contents_does_not_run(broken: Break) -> None:
    broken(r"y\[0\] = 3.0", "pass")
    x, y = np.ones(2), np.ones(2)
    with pytest.warns(sg.FallbackWarning, match="SG180.*other contents in the arguments"):
        assert sg.grad(writes)(x, y).tolist() == [2.0, 2.0]
    assert y.tolist() == [3.0, 1.0]


def prints(x):
    print("size", np.sum(x))
    return np.sum(x * x)


def test_a_text_that_prints_less_does_not_run(
    broken: Break, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(r"(?m)^    print\(.*", "    pass")
    with pytest.warns(sg.FallbackWarning, match="SG180.*prints something else"):
        assert sg.grad(prints)(np.ones(2)).tolist() == [2.0, 2.0]
    assert capsys.readouterr().out.count("size") == 1


def prints_too(x):
    print("size", np.sum(x * x))
    return np.sum(x * x)


def test_prints_that_agree_are_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert sg.grad(prints_too, fallback="error")(np.ones(2)).tolist() == [2.0, 2.0]
    assert capsys.readouterr().out.count("size") == 1


def raises(x):
    return np.sum(x * x * 3.0)


def test_a_text_that_alone_raises_does_not_run(broken: Break) -> None:
    broken("# backward", "[][0]")
    with pytest.warns(sg.FallbackWarning, match="SG180.*raises IndexError"):
        assert sg.grad(raises)(np.ones(2)).tolist() == [6.0, 6.0]


def counts(x):
    COUNTS["calls"] += 1
    return np.sum(x * x)


def test_a_text_that_leaves_other_contents_outside_does_not_run(broken: Break) -> None:
    broken(r"(?m)^    COUNTS\[.calls.\] .*", "    pass")
    COUNTS["calls"] = 0
    with pytest.warns(sg.FallbackWarning, match="SG180.*other contents outside"):
        assert sg.grad(counts)(np.ones(2)).tolist() == [2.0, 2.0]
    assert COUNTS["calls"] == 1


def draws(x):
    return np.sum(x * x) * np.random.uniform(1.0, 2.0)  # noqa: NPY002 - of the module


def test_a_text_that_draws_twice_does_not_run(broken: Break) -> None:
    broken("# backward", "np.random.uniform(1.0, 2.0)")
    with pytest.warns(sg.FallbackWarning, match="SG180.*draws otherwise"):
        sg.grad(draws)(np.ones(2))


def shares(x, y):
    return np.sum(x * y)


def test_a_gradient_in_the_memory_of_an_argument_is_not_returned(broken: Break) -> None:
    broken("return .*x.*", "return y, 1.0 * x")
    x, y = np.ones(2), np.full(2, 2.0)
    with pytest.warns(sg.FallbackWarning, match="SG180.*shares memory with the argument `y`"):
        first, _ = sg.grad(shares, (0, 1))(x, y)
    first += 1.0
    assert y.tolist() == [2.0, 2.0]


def shares_too(x, y):
    return np.sum(y * x)


def test_gradients_in_one_memory_are_not_returned(broken: Break) -> None:
    broken("return .*x.*", "both = 1.0 * y; return both, both")
    x = np.ones(2)
    with pytest.warns(sg.FallbackWarning, match="SG180.*another of its results"):
        first, second = sg.grad(shares_too, (0, 1))(x, x.copy())
    assert not np.shares_memory(first, second)


def product(x):
    return np.sum(np.sin(x) * x)


def test_what_is_right_is_run_three_times_on_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    for name in ("_run", "_watched"):
        former = getattr(verification._Check, name)

        def counted(self: Any, *args: Any, name: str = name, former: Any = former) -> Any:
            runs.append(name)
            return former(self, *args)

        monkeypatch.setattr(verification._Check, name, counted)
    sg.grad(product, fallback="error")(np.ones(3))
    assert runs == ["_watched", "_watched", "_run"]  # the function, the text, the tape


def doubled(x):
    return 2.0 * np.sum(x * x)


def test_a_text_that_returns_another_value_does_not_run(broken: Break) -> None:
    broken(r"return (.*), (.*)", r"return 1.5 * (\1), \2")
    with pytest.warns(sg.FallbackWarning, match="SG180.*another value"):
        assert sg.value_and_grad(doubled)(np.ones(2))[0] == 4.0


def test_a_text_for_many_seeds_is_doubted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    claims: list[str] = []
    former = verification._Check.fault

    def counted(self: Any) -> str:
        claims.append(self._claim.kind)
        return former(self)

    monkeypatch.setattr(verification._Check, "fault", counted)
    found = sg.jacobian(lambda x: x * x * x[0])(np.array([1.0, 2.0]))
    assert np.allclose(found, [[3.0, 0.0], [4.0, 4.0]])
    assert len(claims) <= 2


def writes_it(x):
    y = x
    total = 2.0 * y
    x *= 0.5
    return total * y


def writes_its_elements(x):
    last = x * x
    x[0] = 7.0
    return last + x


def writes_another(x, y):
    total = x * y
    y *= 3.0
    return total * y


@pytest.mark.parametrize("derive", [sg.jacfwd, sg.jacrev])
@pytest.mark.parametrize("function", [writes_it, writes_its_elements, writes_another])
def test_a_text_for_many_seeds_may_write_what_the_function_does(
    function: Callable[..., Any], derive: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuted: list[str] = []
    refute = Proof.refute

    def noted(self: Proof, error: Any) -> None:
        refuted.append(str(error))
        refute(self, error)

    monkeypatch.setattr(Proof, "refute", noted)
    x = np.array([1.0, 2.0, 3.0])
    derive(function)(*[x.copy() for _ in range(function.__code__.co_argcount)])
    assert not refuted


def elements(x):
    return np.sum(x[0] * x[1])


def test_a_text_is_not_compared_at_arguments_that_it_is_not_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[bool] = []
    verify = gradient.verify_gradient

    def noted(self: Any, plan: Any, run: Any, bound: Any) -> None:
        compared.append(plan.fits(tuple(bound.values()), {}))
        verify(self, plan, run, bound)

    monkeypatch.setattr(gradient, "verify_gradient", noted)
    slope = sg.grad(elements)
    pair = (np.array([2.0, 5.0]), 3.0)
    assert slope(pair)[1] == 7.0
    assert slope(np.array([2.0, 3.0])).tolist() == [3.0, 2.0]
    assert compared == [True, True]


def clock(x, state={"now": 0.0}):  # noqa: B006 - it is to be another at each call
    return np.sum(x * x)


def test_an_effect_that_the_function_itself_does_not_repeat_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = iter(range(100))
    monkeypatch.setattr(verification, "difference", lambda *_: f"at {next(ticks)}")
    assert sg.grad(clock, fallback="error")(np.ones(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "second",
    [
        lambda f, x, d: sg.hvp(f, (x,), (d,)),
        lambda f, x, d: sg.hessian(f)(x) @ d,
        lambda f, x, d: sg.grad(lambda y: np.dot(sg.grad(f)(y), d))(x),
        lambda f, x, d: sg.jvp(sg.grad(f), (x,), (d,))[1],
        lambda f, x, d: sg.vjp(sg.grad(f), x)[1](d)[0],
        lambda f, x, d: sg.jacfwd(sg.jacfwd(f))(x) @ d,
    ],
)
def test_what_is_doubted_is_not_differentiated_once_more(second: Any, broken: Break) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.sin(x) * x[0])

    x, d = np.array([0.3, 0.7]), np.array([1.0, -0.5])
    broken(r"np\.cos", "np.sin")
    with pytest.warns(sg.FallbackWarning, match="SG180"):
        found = second(f, x, d)
    slope = sg.grad(f, backend="tape")
    slopes = [slope(y) for y in (x + 1e-6 * d, x - 1e-6 * d)]
    np.testing.assert_allclose(found, (slopes[0] - slopes[1]) / 2e-6, atol=1e-6)
