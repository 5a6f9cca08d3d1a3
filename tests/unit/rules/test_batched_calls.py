"""Checks the calls that the rules are tested with over a batch against a loop over the examples."""

from __future__ import annotations

import os
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
import srcgrad.tape
from tests.differences import copied
from tests.programs.test_batched import assert_alike, one, together
from tests.refusals import note_refused
from tests.unit.rules.callers import Caller, callers_of_specs

assert srcgrad.tape  # some of the functions run on it


def fits(caller: Caller) -> bool:
    """Say whether a call takes other numbers: what FITPACK does with some may be anything."""
    return "scipy" not in caller.text and bool(caller.leaves)


CALLERS = [item for item in callers_of_specs() if fits(item)]
STEP = int(os.environ.get("SRCGRAD_BATCHED_CALLS_STEP", "13"))  # 1 for the gradients of all
FACTORS = 1.0, 0.97, 1.01  # of the numbers of the examples

every_call = pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.spec.label)
some_calls = pytest.mark.parametrize(  # the same ones when others are added
    "caller",
    [item for item in CALLERS if not zlib.crc32(item.spec.label.encode()) % STEP],
    ids=lambda caller: caller.spec.label,
)


def batches(caller: Caller) -> Iterator[tuple[int, ...]]:
    """Yield which arguments each example has for itself: all, those that vary, each, weights."""
    count, total = len(caller.leaves), len(caller.leaves) + len(caller.weights)
    masks = [range(total), range(count), *([i] for i in range(count)), range(count, total)]
    yield from dict.fromkeys(map(tuple, masks))


def compare(function: Callable[..., Any], caller: Caller, own: tuple[int, ...]) -> bool:
    """Compare a function over a batch with a loop; say whether it was written for a batch."""
    every = [*caller.leaves, *caller.weights]
    axes = tuple(0 if place in own else None for place in range(len(every)))
    args = [
        together([np.asarray(value) * factor for factor in FACTORS]) if place in own else value
        for place, value in enumerate(every)
    ]
    try:
        results = [
            function(*[v if a is None else one(v, number) for v, a in zip(args, axes, strict=True)])
            for number in range(len(FACTORS))
        ]
    except (ValueError, TypeError, np.linalg.LinAlgError):
        return False  # it takes no such numbers, or no arrays of no axes
    given = copied(args)
    try:
        found = sg.vmap(function, axes, fallback="error")(*given)
    except sg.NotBatchedError:
        return False
    assert_alike(found, together(results))
    assert_alike(given, args)
    return True


def compare_all(function: Callable[..., Any], caller: Caller) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        written = [compare(function, caller, own) for own in batches(caller)]
    if not all(written):
        note_refused("or it takes no such numbers", "".join("x" if w else "-" for w in written))
    if not any(written):
        pytest.skip("refused, or it takes no such numbers")


@every_call
def test_a_call_over_a_batch_agrees_with_a_loop(caller: Caller) -> None:
    compare_all(caller.function, caller)


@some_calls
def test_the_gradient_of_a_call_over_a_batch_agrees_with_a_loop(caller: Caller) -> None:
    compare_all(sg.grad(caller.function, caller.argnums[0], fallback="error"), caller)


def test_most_calls_are_written_for_a_batch() -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        chosen = CALLERS[::5]
        written = sum(compare(c.function, c, tuple(range(len(c.leaves)))) for c in chosen)
    assert written > 0.8 * len(chosen)
