"""What functions are said to write into, beside what a run changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.effects import ELSEWHERE, written_parameters

TABLE = np.ones(3)
HELD = [np.ones(3)]


def fresh(a):
    return a * 2.0


def same(a):
    return a


def outside(_):
    return TABLE


def default(_, out=HELD):
    return out[0]


def again(a, n=3):
    return a if n == 0 else again(a, n - 1)


def twice(a, n=3):
    return fresh(a) if n == 0 else twice(a, n - 1)


def part_of_what_is_handed_back(a):
    return same(again(a))[1:]


def holding(a):
    return {"a": [a]}["a"][0]


def by_name(**named):
    return named["a"]


def named(a):
    return by_name(a=a)


FUNCTIONS = [fresh, same, outside, default, again, twice]
FUNCTIONS += [part_of_what_is_handed_back, holding, named]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_write_into_what_another_function_returns(function: Callable[..., Any]) -> None:
    def writes(a: Any) -> None:
        found = function(a)
        found[0] = 5.0

    TABLE[:] = HELD[0][:] = 1.0
    given = np.ones(3)
    writes(given)
    changed = {"a"} if given.max() > 1.0 else set()
    if max(TABLE.max(), HELD[0].max()) > 1.0:
        changed.add(ELSEWHERE)
    written = written_parameters(writes, VOCABULARY)
    assert changed <= written
    if function in (fresh, same, outside, twice):  # of which nothing else is feared
        assert changed == written
