"""Tests that passes do work in proportion to the length of a body, by the calls that they make."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from typing import Any

import pytest

from srcgrad.analyses.sharing import Sharing
from srcgrad.analyses.touched_elements import TouchedElements
from srcgrad.compiler.doctesting import parse, program_of
from srcgrad.optimizations.assign_first import assign_first
from srcgrad.optimizations.forward_substitute import ForwardSubstitution
from srcgrad.optimizations.gather_additions import AdditionGathering
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.repeat_tests import RepeatedTests
from srcgrad.optimizations.share_calls import share_calls
from srcgrad.optimizations.share_results import ResultSharing
from srcgrad.optimizations.width import width

PURITY = Purity(program_of("def f(x): return x").reader, frozenset())


def substituted(count: int) -> Callable[[], Any]:
    """Values that wait while there are stores, and are read far below."""
    values = [f"t{i} = x * {i}" for i in range(count)]
    stores = [f"y[{i}] = 1.0" for i in range(count)]
    reads = [f"z[{i}] = t{i}" for i in range(count)]
    body = parse("\n".join([*values, *stores, *reads]))
    return lambda: ForwardSubstitution(PURITY, lambda name: name[0] == "t", width).run(body)


def gathered(count: int) -> Callable[[], Any]:
    """Additions to adjoints that wait for the next ones."""
    lines = [f"grad_a{i} += x * {i}" for i in range(count)]
    body = parse("\n".join([*lines, *lines]))
    return lambda: AdditionGathering(PURITY, width).run(body)


def asked(count: int) -> Callable[[], Any]:
    """A chain of tests, each with a name, beside stores."""
    tests = [f"t{i} = n > {i}\nw{i} = y[{i}]\nw{i}[0] = 1.0" for i in range(count)]
    branches = [f"elif t{i}:\n    z = {i}" for i in range(1, count)]
    body = parse("\n".join([*tests, "if t0:\n    z = 0", *branches]))
    repeated = RepeatedTests(lambda name: name[0] == "t", ("n", "y"), {"n"})
    return lambda: repeated.run(body, PURITY.of)


def shared(count: int) -> Callable[[], Any]:
    """Calls that are made again, each in the line before the one that binds it."""
    lines = [f"a{i} = x * np.sin(b{i})\nc{i} = np.sin(b{i})" for i in range(count)]
    body = parse("\n".join(lines))
    parameters = ("x", *(f"b{i}" for i in range(count)))
    return lambda: share_calls(body, parameters, {"np"})


def computed_twice(count: int) -> Callable[[], Any]:
    """Products that are computed again further down, some of them under a name of their own."""
    lines = [f"a{i} = x * b{i}\nc{i} = np.exp(b{i}) + x * b{i}" for i in range(count)]
    more = [f"d{i} = x * b{i}\ne{i} = 2 * np.exp(b{i})" for i in range(count)]
    body = parse("\n".join([*lines, *more]))
    sharing = ResultSharing(PURITY, lambda name: True, is_array=lambda name: True)
    return lambda: sharing.run(body)


def added_first(count: int) -> Callable[[], Any]:
    """Additions to parts of adjoints of zeros."""
    lines = [f"grad_a{i} = zeros_like(x)\ngrad_a{i}[0] += x[{i}] * 2" for i in range(count)]
    body = parse("\n".join(lines))

    def look(body: list[Any]) -> TouchedElements:
        sharing = Sharing(body, PURITY.of, is_array=lambda name: True)
        return TouchedElements(body, ("x",), lambda name: False, sharing)

    return lambda: assign_first(body, PURITY, lambda name: True, look)


def calls_of(work: Callable[[], Any]) -> int:
    """Return how many calls a piece of work makes."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "made", [substituted, gathered, asked, shared, computed_twice, added_first]
)
def test_twice_the_length_is_twice_the_work(made: Callable[[int], Callable[[], Any]]) -> None:
    few, many = (calls_of(made(count)) for count in (50, 100))
    assert few > 500
    assert many < 2.2 * few
