"""What functions choose by the kinds of their arguments, asked with stand-ins, and what stays."""

from __future__ import annotations

from enum import Enum, IntEnum
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from srcgrad.frontend.expand.blind import answer_for
from srcgrad.frontend.settled import may_choose
from srcgrad.runtime.objects import is_member

MADE: dict[Any, Any] = {}
SEEN: list[Any] = []


class Backend:
    """A library, which counts."""

    def __init__(self) -> None:
        self.calls = 0

    def suits(self, x: Any) -> bool:
        self.calls += 1
        return isinstance(x, np.ndarray)


class Quiet(Backend):
    def suits(self, x: Any) -> bool:
        return isinstance(x, np.ndarray)


COUNTING, QUIET = Backend(), Quiet()


def by_kind(x: Any) -> ModuleType:
    if isinstance(x, np.ndarray):
        return np
    raise TypeError


def by_kind_or_default(x: Any) -> Any:
    return [np] if isinstance(x, list) else np


def by_truth(x: Any) -> Any:
    return x or np


def by_word(x: Any) -> Any:
    if x == "quiet":
        return QUIET
    return np


def by_kind_of_word(x: Any) -> Any:
    return QUIET if isinstance(x, str) else np


def by_length(x: Any) -> Any:
    return np if len(x) > 2 else QUIET


def by_exact_type(x: Any) -> Any:
    return np if type(x) is np.ndarray else QUIET


def by_identity(x: Any, y: Any) -> Any:
    return np if x is y else QUIET


def by_value(x: Any) -> Any:
    return np if np.asarray(x).ndim else QUIET


def by_a_method_that_counts(x: Any) -> Any:
    return COUNTING if COUNTING.suits(x) else np


def by_a_method(x: Any) -> Any:
    if QUIET.suits(x):
        return QUIET
    raise TypeError


def kept(x: Any) -> Any:
    MADE["last"] = x
    return np


def noted(x: Any) -> Any:
    SEEN.append(x)
    return np


def remembered(x: Any) -> Any:
    if not isinstance(x, np.ndarray):
        raise TypeError
    if "quiet" not in MADE:
        MADE["quiet"] = Quiet()
    return MADE["quiet"]


def worked_out(x: Any) -> Any:
    for _ in range(10**7):
        pass
    return np


def made_anew(x: Any) -> Any:
    return Quiet()


def asked(function: Any, count: int = 1) -> Any:
    told = answer_for(function, [None] * count) if may_choose(function, frozenset()) else None
    return told and told.value


def test_a_choice_by_kind_is_known():
    assert asked(by_kind) is np
    assert asked(by_a_method) is QUIET


def test_what_is_remembered_is_not_made_by_asking():
    MADE.clear()
    assert asked(remembered) is None
    assert not MADE


@pytest.mark.parametrize(
    "function",
    [
        *(by_kind_or_default, by_length, by_exact_type, by_value, made_anew),
        *(by_truth, by_word, by_kind_of_word),
    ],
)
def test_what_hangs_on_more_is_not_known(function):
    assert asked(function) is None


def test_whether_two_are_one_is_not_known():
    assert asked(by_identity, 2) is None


def test_nothing_is_changed_by_asking():
    MADE.clear()
    SEEN.clear()
    assert asked(kept) is None
    assert asked(noted) is None
    assert asked(by_a_method_that_counts) is None
    assert not MADE
    assert not SEEN
    assert not COUNTING.calls


def test_tracing_goes_on_after_asking():
    import sys

    before = sys.gettrace(), sys.getprofile()
    asked(by_length)
    assert (sys.gettrace(), sys.getprofile()) == before


class Own(Enum):
    """Members that are compared in their own way."""

    A = 1

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = Enum.__hash__


class Plain(Enum):
    A = 1


def test_members_are_known_where_they_are_compared_as_objects():
    turn = IntEnum("turn", "LEFT")
    assert [is_member(item) for item in (Plain.A, Own.A, turn.LEFT)] == [True, False, False]


def test_what_takes_long_is_no_question():
    """As where a function imports a library, every line of which would be watched."""
    assert answer_for(worked_out, [None]) is None
