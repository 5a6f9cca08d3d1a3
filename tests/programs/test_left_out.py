"""Parts that are left out: what the text says, who takes over where a call comes by, and when not.

The programs of `left_out.py` agree with differences in all ways, as all of the corpus do.
"""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import srcgrad as sg
from tests.differences import numerical_gradient

X = np.array([0.5, -1.2, 2.0])
Y = np.array([3.0, 0.4, 0.1, 0.2])
LOG: list[Any] = []


def sorted_where_long(x):
    """Write into its argument, and elsewhere, where it is long."""
    if len(x) > 3:
        LOG.append(np.sort(x))
        LOG[-1][0] *= 2.0
        x = LOG[-1]
    return np.sum(x * np.arange(1.0, len(x) + 1))


def through_a_helper(x):
    return sorted_where_long(np.sin(x)) * 2.0


def through_two(x, times=2):
    total = 0.0
    for _ in range(times):
        total += through_a_helper(x)
    return total


def sorted_elsewhere(x):
    """Write elsewhere in what it chooses where its argument is long."""
    y = LOG.append(np.sort(x)) or LOG[-1] * 2.0 if len(x) > 3 else np.sin(x)
    return np.sum(y * np.arange(1.0, len(x) + 1))


FUNCTIONS = [sorted_where_long, through_a_helper, through_two, sorted_elsewhere]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_text_raises_where_the_part_stood_and_the_tape_takes_over(
    function: Callable[..., Any],
) -> None:
    gradient = sg.grad(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert np.allclose(gradient(X), numerical_gradient(function, (X,), 0), atol=1e-6)
    assert "raise LeftOutError(" in gradient.source
    with pytest.warns(sg.FallbackWarning, match="LOG"):
        first = gradient(Y)
    assert np.allclose(first, numerical_gradient(function, (Y,), 0), atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (X, Y):
            assert np.allclose(gradient(x), numerical_gradient(function, (x,), 0), atol=1e-6)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_it_is_refused_with_its_line_where_the_tape_may_not_take_over(
    function: Callable[..., Any],
) -> None:
    gradient = sg.grad(function, fallback="error")
    assert np.allclose(gradient(X), numerical_gradient(function, (X,), 0), atol=1e-6)
    with pytest.raises(sg.UnsupportedError) as caught:
        gradient(Y)
    assert not isinstance(caught.value, sg.LeftOutError)
    assert "test_left_out.py" in str(caught.value)
    assert caught.value.diagnostics[0].hint


@pytest.mark.parametrize(
    "derived",
    [
        lambda f, x: sg.vjp(f, x)[1](1.0)[0],
        lambda f, x: sg.value_and_grad(f)(x)[1],
        lambda f, x: sg.jacobian(f)(x),
        lambda f, x: sg.jacfwd(f)(x),
        lambda f, x: sg.pullback(f)(x)[1](1.0),
        lambda f, x: np.array([sg.jvp(f, (x,), (d,))[1] for d in np.eye(len(x))]),
    ],
)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_every_derivative_goes_either_way(derived: Callable[..., Any]) -> None:
    for x in (X, Y):
        expected = numerical_gradient(through_a_helper, (x,), 0)
        assert np.allclose(derived(through_a_helper, x), expected, atol=1e-6)


def test_second_derivatives_go_either_way() -> None:
    def gradient(x: Any) -> Any:
        return sg.grad(through_a_helper, fallback="tape")(x)

    for x in (X, Y):
        steps = [1e-6 * d for d in np.eye(len(x))]
        expected = np.array([(gradient(x + s) - gradient(x - s)) / 2e-6 for s in steps])
        with contextlib.suppress(sg.UnsupportedError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.allclose(sg.hessian(through_a_helper)(x), expected, atol=1e-4)


def test_explain_lists_what_is_left_out() -> None:
    explained = sg.grad(sorted_where_long).explain(X)
    assert explained.engine == "source"
    (item,) = explained.to_dict()["left_out"]
    assert "LOG" in item["message"]
    assert "Left out" in str(explained)
    assert not explained.to_dict()["not_proven"]


def test_an_exported_module_raises_there() -> None:
    space: dict[str, Any] = {}
    exec(sg.grad(through_a_helper).export(), space)
    expected = numerical_gradient(through_a_helper, (X,), 0)
    assert np.allclose(space["through_a_helper_grad"](X), expected, atol=1e-6)
    with pytest.raises(NotImplementedError, match=r"LOG\[-1\]"):
        space["through_a_helper_grad"](Y)


def catches_all(x):
    try:
        if x[0] > 1.0:
            return special.pro_cv(0, 0, x[0])
    except Exception:  # noqa: BLE001 - as users write
        return 0.0
    return np.sum(x * x)


def catches_in_a_helper(x):
    def rooted(v):
        if v[0] > 1.0:
            v = special.pro_cv(0, 0, v[0])
        return v * v

    try:
        return np.sum(rooted(x))
    except RuntimeError:
        return np.sum(x)


def suppresses(x):
    total = np.sum(x)
    with contextlib.suppress(Exception):
        if x[0] > 1.0:
            total = special.pro_cv(0, 0, x[0])
    return total


def writes_before(x):
    x[0] = 2.0
    if x[1] > 100.0:
        return special.pro_cv(0, 0, x[0])
    return np.sum(x * x)


@pytest.mark.parametrize("function", [catches_all, catches_in_a_helper, suppresses, writes_before])
def test_nothing_is_left_out_of_what_would_hide_it(function: Callable[..., Any]) -> None:
    """An error that is caught, or comes after a write, would not be as if the tape had run."""
    with pytest.raises(sg.UnsupportedError):
        sg.grad(function, fallback="error")(X.copy())


def needed_by_every_call(x):
    return np.sum(x) * special.pro_cv(0, 0, x[0])


def needed_in_every_branch(x):
    if x[0] > 0.0:
        return special.pro_cv(0, 0, x[0])
    return special.pro_cv(1, 1, x[0])


def test_what_every_call_comes_by_is_refused_as_ever() -> None:
    for function in (needed_by_every_call, needed_in_every_branch):
        with pytest.raises(sg.MissingRuleError, match=r"pro_cv.*\n.*test_left_out.py"):
            sg.grad(function, fallback="error")(X)


def test_what_is_defined_later_is_found_by_the_next_call() -> None:
    def f(x):
        if x[0] > 1.0:
            return np.sum(missing(x))  # noqa: F821 - defined below
        return np.sum(x * x)

    space = globals()
    space.pop("missing", None)
    gradient = sg.grad(f)
    assert np.allclose(gradient(X), 2.0 * X)
    space["missing"] = np.sin
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.allclose(gradient(Y), np.cos(Y))
    finally:
        del space["missing"]


def draws_before(x):
    y = x + np.random.normal(size=3)  # noqa: NPY002 - as users write
    if x[0] > 1.0:
        return special.pro_cv(0, 0, x[0])
    return np.sum(y * y)


def test_nothing_is_left_out_of_what_draws_at_random() -> None:
    """The tape would draw once more, so that a seed would not say what comes out."""
    with pytest.raises(sg.MissingRuleError):
        sg.grad(draws_before, fallback="error")(X)


INNER = """
import fractions


def is_fraction(v):
    return isinstance(v, fractions.Fraction)


def halved(v):
    if is_fraction(v):
        return v.limit_denominator(v)
    else:
        return v / 2.0
"""
OUTER = """
import inner_of_two


def pair(v, unit="whole"):
    if unit != "whole":
        v = v * 3.0
    half = inner_of_two.halved(v)
    return half * half + half
"""


def test_a_part_of_a_helper_of_a_helper_in_other_files_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner_of_two.py").write_text(INNER)
    (tmp_path / "outer_of_two.py").write_text(OUTER)
    monkeypatch.syspath_prepend(str(tmp_path))
    outer = importlib.import_module("outer_of_two")

    def function(x):
        return np.sum(outer.pair(x[0]) * x) + outer.pair(x[1], "thirds")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sg.grad(function, fallback="error")(X)
    assert np.allclose(found, numerical_gradient(function, (X,), 0), atol=1e-6)
