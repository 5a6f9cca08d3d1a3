"""Compiling goes with the length of a function: each step of it is called so often, too.

Calls are counted, which are the same in every run; times are for `python -m bench.compile_time`.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from cProfile import Profile
from pathlib import Path
from types import CodeType
from typing import Final

import pytest

import srcgrad as sg
from bench import compile_time as sizes

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


def calls_of(text: str, number: int, folder: Path) -> Counter[CodeType]:
    """Return how often each function of the compiler is called for a gradient."""
    function = sizes.function_in(text, "long", number, folder)
    profile = Profile(subcalls=False, builtins=False)
    gc.collect()
    before = sys.getprofile()
    sys.setprofile(None)
    profile.enable()
    try:
        sg.grad(function, fallback="error").source  # noqa: B018 - asked for, it is made
    finally:
        profile.disable()
        sys.setprofile(before)
    found: Counter[CodeType] = Counter()
    for entry in profile.getstats():
        if isinstance(entry.code, CodeType) and "srcgrad" in entry.code.co_filename:
            found[entry.code] += entry.callcount
    return found


@pytest.mark.parametrize(
    "text", [sizes.statements, sizes.entries, sizes.keys, sizes.writes, summed, appended, stored]
)
def test_each_step_is_called_in_proportion_to_the_length(
    text: Callable[[int, int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # a full cache would be swept meanwhile
        monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(Path(folder) / "cache"))
        few, many = (calls_of(text(n, n), n, Path(folder)) for n in (FEW, MANY))
    grown = {
        f"{code.co_filename.rpartition('srcgrad/')[2]}: {code.co_qualname}": (few[code], count)
        for code, count in many.items()
        if count > max(MOST * few[code], SELDOM)
    }
    assert len(many) > 500, "the compiler has not been watched"
    assert not grown
