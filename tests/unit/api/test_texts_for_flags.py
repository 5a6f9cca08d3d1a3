"""A call that reaches a part left out of the text for all gets a text for its own flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import UnsupportedError
from tests.differences import numerical_gradient

X = np.array([0.1, 0.2])


def chosen_by_name(x: Any, kind: str = "square") -> Any:
    if kind == "square":
        return np.sum(x * x)
    by_name = getattr(np, kind)
    return np.sum(by_name(x) * x)


def always_reached(x: Any, kind: str = "square") -> Any:
    if kind == "square":
        return np.sum(x * x)
    return np.sum(np.frombuffer(x.tobytes()))


def test_a_text_for_the_flags_of_a_call_does_what_the_one_for_all_leaves_out() -> None:
    pulled = sg.pullback(chosen_by_name, fallback="error")
    for kind in ("square", "sin", "cos", "square", "exp", "sin"):
        _, back = pulled(X, kind)
        expected = numerical_gradient(chosen_by_name, (X, kind), 0)
        np.testing.assert_allclose(back(1.0), expected, rtol=1e-6)


def test_what_is_refused_for_its_flags_too_is_told() -> None:
    pulled = sg.pullback(always_reached, fallback="error")
    np.testing.assert_allclose(pulled(X)[1](1.0), 2.0 * X)
    for _ in range(2):
        with pytest.raises(UnsupportedError):
            pulled(X, "other")


def missing_one(a: Any, b: Any = None, c: Any = None) -> Any:
    """Solve ``a * b == c`` for what is left out; the refused ways stand before and behind."""
    if a is None and b is not None and c is not None:
        return np.frombuffer((c / b).tobytes())
    if c is None and b is not None:
        return np.sum(a * b)
    if b is None and c is not None:
        return np.sum(c / a)
    return np.frombuffer((a * b - c).tobytes())


def bound_to_none(x: Any, size: Any = None) -> Any:
    for _ in range(2):
        x = x * 2.0 if size is None else x * size
        size = None
    if size is None:
        return np.sum(x * x)
    return np.frombuffer(x.tobytes())


def captured(x: Any, size: Any = None) -> Any:
    def forget() -> None:
        nonlocal size
        size = None

    forget()
    if size is not None:
        return np.frombuffer(x.tobytes())
    return np.sum(x * x)


def shadowed(x: Any, size: Any = None) -> Any:
    none = [size is None for size in (1.0, None)]
    if size is None:
        return np.frombuffer(x.tobytes())
    return np.sum(x * size) if none == [False, True] else np.sum(x)


def test_what_is_given_instead_of_none_settles_branches() -> None:
    others = {"b": np.array([3.0, 4.0]), "c": np.array([5.0, 6.0])}
    for names in (["b"], ["c"], ["b"], ["c"]):
        given = {name: others[name] for name in names}
        expected = numerical_gradient(lambda a, given=given: missing_one(a, **given), (X,), 0)
        for gradient in (
            sg.grad(missing_one, fallback="error")(X, **given),
            sg.pullback(missing_one, fallback="error")(X, **given)[1](1.0),
        ):
            np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    pulled = sg.pullback(missing_one, argnames=("a", "b"), fallback="error")
    np.testing.assert_allclose(pulled(X, others["b"])[1](1.0)[1], X)
    assert "is None" not in pulled.source
    with pytest.raises(UnsupportedError):
        pulled(X, others["b"], others["c"])


@pytest.mark.parametrize("function", [bound_to_none, captured, shadowed])
def test_a_name_that_is_bound_anew_is_asked_again(function: Any) -> None:
    gradient = sg.grad(function, fallback="tape")(X, 3.0)
    np.testing.assert_allclose(gradient, numerical_gradient(function, (X, 3.0), 0), rtol=1e-6)


def test_each_product_shows_the_text_that_it_ran() -> None:
    others = {"b": np.array([3.0, 4.0]), "c": np.array([5.0, 6.0])}
    made = {name: sg.pullback(missing_one, argnames="a", fallback="error") for name in others}
    untouched = sg.pullback(missing_one, argnames="a", fallback="error")
    before = untouched.source
    for name, pulled in made.items():
        pulled(X, **{name: others[name]})
    texts = {name: pulled.source for name, pulled in made.items()}
    assert len({*texts.values(), before}) == 3
    assert untouched.source == before
    made["b"](X, c=others["c"])
    assert made["b"].source == texts["c"]
