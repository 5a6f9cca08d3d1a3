"""Compiling goes with the length of a function: each step of it is called so often, too.

Calls are counted, which are the same in every run; times are for `python -m bench.compile_time`.
"""

from __future__ import annotations

import gc
import inspect
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from cProfile import Profile
from pathlib import Path
from types import CodeType
from typing import Any, Final

import numpy as np
import pytest

import srcgrad as sg
from bench import compile_time as sizes
from srcgrad.api.tape_gradient import on_tape
from srcgrad.api.tape_push import push_on_tape

FEW: Final = 16
MANY: Final = 4 * FEW
MOST: Final = 6  # times as many calls: of each with each there are 16
SELDOM: Final = 1000  # calls that nobody minds


def stored(count: int, number: int) -> str:
    """Return a function that stores so many values into a dict, and reads each."""
    stores = [f'    p["k{i}"] = np.sin(x * {i}.5)\n' for i in range(count)]
    reads = [f'    total = total + np.sum(p["k{i}"])\n' for i in range(count)]
    head = f"def long(x):\n    p = {{}}\n    total = {number}.0\n"
    return f"{head}{''.join([*stores, *reads])}    return total\n"


def appended(count: int, number: int) -> str:
    """Return a function that appends so many values to a list."""
    lines = "".join(f"    p.append(x * {i}.5)\n" for i in range(count))
    head = f"def long(x):\n    p = []\n{lines}    total = {number}.0\n"
    return f"{head}    for v in p:\n        total = total + np.sum(np.sin(v))\n    return total\n"


def summed(count: int, number: int) -> str:
    """Return a function that puts so many numbers into a list, and reads each."""
    shown = ", ".join(f"np.sum(x) * {i}.5" for i in range(count))
    lines = "".join(f"    total = total + np.sin(p[{i}])\n" for i in range(count))
    return f"def long(x):\n    p = [{shown}]\n    total = {number}.0\n{lines}    return total\n"


def source_of(function: Callable[..., Any]) -> None:
    """Compile the gradient of a function."""
    sg.grad(function, fallback="error").source  # noqa: B018 - asked for, it is made


def curvature_on_the_tape(function: Callable[..., Any]) -> None:
    """Push a tangent along a gradient that the tape computes."""
    x = np.array([0.1, 0.2])
    gradient = on_tape(sg.grad(function))
    push_on_tape(gradient, inspect.signature(function), ["x"], {"x": x}, [np.ones(2)])


def calls_of(
    text: str, number: int, folder: Path, do: Callable[[Any], None] = source_of
) -> Counter[CodeType]:
    """Return how often each function of ours is called for what is done with a function."""
    function = sizes.function_in(text, "long", number, folder)
    profile = Profile(subcalls=False, builtins=False)
    gc.collect()
    before = sys.getprofile()
    sys.setprofile(None)
    profile.enable()
    try:
        do(function)
    finally:
        profile.disable()
        sys.setprofile(before)
    found: Counter[CodeType] = Counter()
    for entry in profile.getstats():
        if isinstance(entry.code, CodeType) and "srcgrad" in entry.code.co_filename:
            found[entry.code] += entry.callcount
    return found


@pytest.mark.parametrize(
    "text",
    [
        *[sizes.statements, sizes.entries, sizes.keys, sizes.writes, sizes.rows],
        *[sizes.loops, sizes.choices, summed, appended, stored],
    ],
)
def test_each_step_is_called_in_proportion_to_the_length(
    text: Callable[[int, int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a full cache would be swept meanwhile
        monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(Path(folder) / "cache"))
        few, many = (calls_of(text(n, n), n, Path(folder)) for n in (FEW, MANY))
    assert len(many) > 500, "the compiler has not been watched"
    assert not grown_between(few, many)


def test_the_tape_pushes_each_call_without_a_look_at_those_before(tmp_path: Path) -> None:
    few, many = (
        calls_of(sizes.statements(n, n), n, tmp_path, curvature_on_the_tape) for n in (FEW, MANY)
    )
    assert any(code.co_name == "leading_to" for code in many)
    assert not grown_between(few, many)


def grown_between(few: Counter[CodeType], many: Counter[CodeType]) -> dict[str, tuple[int, int]]:
    """Return the functions that are called much oftener than the length tells."""
    return {
        f"{code.co_filename.rpartition('srcgrad/')[2]}: {code.co_qualname}": (few[code], count)
        for code, count in many.items()
        if count > max(MOST * few[code], SELDOM)
    }
