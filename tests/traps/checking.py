"""Runs one function through both engines, each of which must be right or refuse."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

import srcgrad as sg
from tests.differences import assert_same, copied, numerical_gradient

Engines = dict[str, Any]
# what the compiler refuses, it refuses by name; plain code may also trip over the tape's tensors
LOUD = {"source": (), "tape": (AttributeError, RuntimeError, TypeError)}


def without_source(function: Callable[..., Any]) -> FunctionType:
    """Return the same function as if it had been typed at a prompt: only the tape can run it."""
    assert isinstance(function, FunctionType)
    made = FunctionType(
        function.__code__.replace(co_filename="<nowhere>"),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def checked(function: Callable[..., Any], *args: Any, argnums: Iterable[int] = (0,)) -> Engines:
    """Check that each engine returns the right value and gradients, or refuses; return both.

    An engine that refuses has the error as its entry, the other its gradients.
    """
    chosen = tuple(argnums)
    used = copied(args)
    value = function(*used)
    expected = [numerical_gradient(function, copied(args), i) for i in chosen]
    found: Engines = {}
    for engine, subject in (("source", function), ("tape", without_source(function))):
        given = copied(args)
        fallback = "error" if engine == "source" else "tape"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                result, grads = sg.value_and_grad(subject, chosen, fallback=fallback)(*given)
        except (sg.SrcgradError, *LOUD[engine]) as refusal:
            found[engine] = refusal
            continue
        assert_same(result, value, 1e-12)
        for mine, numeric in zip(grads, expected, strict=True):
            assert_same(mine, numeric, 1e-5, 1e-6)
        _assert_written(given, used, args, engine)
        found[engine] = grads
    return found


def right(function: Callable[..., Any], *args: Any, argnums: Iterable[int] = (0,)) -> None:
    """Check as `checked` does, and that at least one engine does not refuse."""
    found = checked(function, *args, argnums=argnums)
    refusals = [item for item in found.values() if isinstance(item, Exception)]
    assert len(refusals) < len(found), refusals[0]


def _assert_written(given: Any, used: Any, before: Any, engine: str) -> None:
    """Arguments are as the function leaves them; the tape may leave them alone instead."""
    try:
        assert_same(given, used, 0, 0)
    except AssertionError:
        if engine != "tape":
            raise
        assert_same(given, before, 0, 0)
