"""Names that the compiler makes up, where they mean something outside of the function, too."""

import ast
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.programs import test_agreement  # noqa: F401 - imports every program
from tests.programs.corpus import Program, programs_by, without_module_names

_EVERY = 7
_MEANINGS = (lambda *_: None, 3.0, np.ones(2), [1.0], {"a": 1.0}, int, 2, None)


def _sample() -> list[Program]:
    programs = [item for item in programs_by("source").values() if not item.function.__closure__]
    return programs[::_EVERY]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, types.CodeType):
            yield from _codes(item)


def _made_up(text: str, function: Callable[..., Any]) -> list[str]:
    """Return the variables of a text that are none of the function's, and none that it reads."""
    codes = _codes(function.__code__)
    own = {name for code in codes for name in (*code.co_names, *code.co_varnames)}
    tree = ast.parse(text)
    given = {name.arg for name in ast.walk(tree) if isinstance(name, ast.arg)}
    bound = {
        name.id
        for name in ast.walk(tree)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    return sorted(bound - own - given)


def _twin(function: Any) -> Callable[..., Any]:
    """Return another function of the same module with the same code."""
    space = function.__globals__
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    made.__kwdefaults__, made.__module__ = function.__kwdefaults__, function.__module__
    made.__qualname__ = function.__qualname__
    return made


@pytest.mark.parametrize("mode", ["grad", "pushforward"])
@pytest.mark.parametrize("program", _sample(), ids=lambda program: program.name)
def test_a_name_of_ours_may_mean_anything_outside(
    program: Program, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    take: Any = sg.grad if mode == "grad" else sg.pushforward
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            text = take(program.function, program.argnums).source
        except sg.UnsupportedError as refusal:
            pytest.skip(f"forward mode refuses it: {refusal.code}")
        for place, name in enumerate(_made_up(text, program.function)):
            meaning = _MEANINGS[place % len(_MEANINGS)]
            monkeypatch.setitem(program.function.__globals__, name, meaning)
        twin = _twin(program.function)
        if program.function.__globals__.get(twin.__name__) is program.function:
            monkeypatch.setitem(
                program.function.__globals__, twin.__name__, twin
            )  # it calls itself
        again = take(twin, program.argnums)
        assert without_module_names(again.source) == without_module_names(text)
