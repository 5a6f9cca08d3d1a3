"""Random programs over a batch and in forward mode: right as for one example, or refused."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

import srcgrad as sg
from tests.differences import assert_same, copied
from tests.properties.programs import programs
from tests.properties.storage import storage_programs
from tests.properties.test_random_programs import (
    EXAMPLES,
    arguments,
    every,
    load,
    primal,
    smooth_gradients,
)
from tests.properties.whole_language import whole_programs

COUNT = 3
AXES = [(0, 0, 0), (0, None, None), (None, 0, 0), (0, 0, None), (None, None, 0)]
KINDS = {
    "plain": programs(views=False),
    "views": programs(views=True),
    "whole": whole_programs(arguments=False),
    "writes": whole_programs(arguments=True),
    "storage": storage_programs(),
}


def batch(axes: tuple[int | None, ...]) -> tuple[Any, ...]:
    """Return arguments, of all examples along the first axis where they have their own."""
    rng = np.random.default_rng(11)
    own = [
        np.stack([np.asarray(arg) + rng.normal(size=np.shape(arg)) * 0.3 for _ in range(COUNT)])
        for arg in arguments()
    ]
    return tuple(
        mine if axis == 0 else arg for mine, arg, axis in zip(own, arguments(), axes, strict=True)
    )


def examples(axes: tuple[int | None, ...]) -> list[tuple[Any, ...]]:
    """Return the arguments of each example, with numbers as a program gets them."""
    return [
        tuple(
            arg if axis is None else arg[i].copy() if np.ndim(arg) > 1 else float(arg[i])
            for arg, axis in zip(batch(axes), axes, strict=True)
        )
        for i in range(COUNT)
    ]


def check_batch(text: str, axes: tuple[int | None, ...], folder: Path) -> bool:
    """Compare a program over a batch with each example; return False where it is refused."""
    note(f"{text}\nover {axes}")
    module = load(text, folder)
    try:
        each = examples(axes)
        wanted = [primal(module.program, args) for args in each]
        together = sg.vmap(module.program, in_axes=axes, fallback="error")
        for _ in range(2):
            args = batch(axes)
            try:
                with np.errstate(all="ignore"):
                    found = together(*args)
            except sg.UnsupportedError:
                return False
            assert np.shape(found) == (COUNT,)
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-10)
            for place, axis in enumerate(axes):
                left = [item[place] for item in each]
                mine = args[place]
                if axis == 0 and np.ndim(mine) > 1:  # what is written into each example's own
                    np.testing.assert_allclose(mine, np.stack(left), rtol=1e-9, atol=1e-10)
        return True
    finally:
        del sys.modules[module.__name__]


def check_tangent(text: str, folder: Path) -> bool:
    """Compare tangents by source with differences; return False where they are refused."""
    note(text)
    module = load(text, folder)
    try:
        used = arguments()
        value = primal(module.program, used)
        try:
            slopes = smooth_gradients(module.program, arguments())
        except (ArithmeticError, IndexError, ValueError):
            assume(False)  # a step away it raises
        ways = (np.array([1.0, -0.5, 0.3, 0.8]), np.array([0.2, 0.7, -1.1, 0.4]), 0.6)
        wanted = sum(np.sum(a * b) for a, b in zip(slopes, ways, strict=True))
        args = arguments()
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("error", sg.FallbackWarning)
                found, tangent = sg.jvp(module.program, args, copied(ways))
        except (sg.FallbackWarning, sg.UnsupportedError):
            return False
        assert_same(found, value, 1e-14, 0.0)
        assert_same(tangent, wanted, 1e-3, 1e-3)
        assert_same(args, used, 0, 0)
        return True
    finally:
        del sys.modules[module.__name__]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_programs_over_a_batch_are_those_of_each_example(kind: str, tmp_path: Path) -> None:
    tally: Counter[bool] = Counter()

    @settings(every, max_examples=max(EXAMPLES // 2, 1))
    @given(KINDS[kind], st.sampled_from(AXES))
    def run(text: str, axes: tuple[int | None, ...]) -> None:
        tally[check_batch(text, axes, tmp_path)] += 1

    run()
    assert tally[True] > 0, tally


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_programs_have_the_right_tangent_or_a_refusal(kind: str, tmp_path: Path) -> None:
    tally: Counter[bool] = Counter()

    @settings(every, max_examples=max(EXAMPLES // 2, 1))
    @given(KINDS[kind])
    def run(text: str) -> None:
        tally[check_tangent(text, tmp_path)] += 1

    run()
    assert tally[True] > 0, tally
