"""What functions write into that call what they are given, beside what a run changes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.effects import written_parameters


def applied(f, a):
    return f(a)


def applied_by_default(a, f=np.sin):
    return f(a)


def handed_on(f, *given, **named):
    return f(*given, **named)


def doubled(a):
    return a * 2.0


def cleared(a):
    a[0] = 5.0
    return a


def reads(a, b):
    return applied(doubled, a) + applied_by_default(b) + applied(np.cos, a)


def writes_by_name(a, b):
    return applied(cleared, a) + b


def writes_by_a_keyword(a, b):
    return applied_by_default(a, f=cleared) + b


def writes_by_a_lambda(a, b):
    return applied(lambda v: cleared(v) * 2.0, a) + applied(lambda v: v * 2.0, b)


def calls_itself_with_a_function(a, b, key=None):
    if key is None:
        return calls_itself_with_a_function(a, b, key=doubled)
    return key(a) + b


def reads_by_one_that_calls_itself(a, b):
    return calls_itself_with_a_function(a, b)


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        def with_names(function: Any, args: Any, kwargs: Any) -> Any:
            if len(args) > 5:
                return function(*args[:5], **kwargs)
            return function(*args, **kwargs)

        return with_names(function, args, kwargs)

    return wrapper


@checked
def sums(a, b):
    return a + b


@checked
def clears(a, b):
    return cleared(a) + b


def reads_by_a_wrapper(a, b):
    return sums(a, b)


def writes_by_a_wrapper(a, b):
    return clears(a, b)


def defined_inside(a, b):
    def both(p, q):
        return p * q

    return both(a, b)


def writes_inside(a, b):
    def both(p, q):
        p[0] = 5.0
        return p * q

    return both(b, q=a) + a


def writes_by_one_of_two(a, b):
    def run(f, v):
        return f(v)

    return run(doubled, a) + run(cleared, b)


def turned_around(a, b):
    def run(f, g, v, n=1):
        if n:
            return run(g, f, v, 0)
        return f(v)

    return run(doubled, cleared, a) + b


READING = [reads, reads_by_one_that_calls_itself, reads_by_a_wrapper, defined_inside]
WRITING = [writes_by_name, writes_by_a_keyword, writes_by_a_lambda, writes_by_a_wrapper]
WRITING += [writes_inside, writes_by_one_of_two, turned_around]


@pytest.mark.parametrize("function", [*READING, *WRITING])
def test_what_is_called_is_what_a_call_gives(function: Callable[..., Any]) -> None:
    given = {name: np.ones(3) for name in "ab"}
    function(**given)
    changed = {name for name, value in given.items() if value.max() > 1.0}
    assert bool(changed) == (function in WRITING)
    written = written_parameters(function, VOCABULARY)
    assert changed <= written
    if function in READING:  # of which nothing else is feared
        assert not written


def test_what_is_called_by_a_parameter_may_write() -> None:
    """Who looks at such a function alone knows of no function that it is given."""
    assert written_parameters(applied, VOCABULARY) == {"a"}
    assert written_parameters(handed_on, VOCABULARY) >= {"given"}
