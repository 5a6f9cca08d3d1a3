"""Every spec in forward mode, by source where its rule tells and on the tape else."""

from __future__ import annotations

import warnings
import zlib
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.compiler import Request, compile_tangents
from srcgrad.rules.base import Elementwise
from srcgrad.rules.library import RULES
from tests.refusals import skip_refused
from tests.unit.rules.callers import Caller, callers_of_specs

CALLERS = callers_of_specs()

LEAST_BY_SOURCE = 0.75
"""The share of calls whose tangent an attribute of their rule tells, or a `jvp`."""


def label(caller: Caller) -> str:
    return caller.spec.label


def random_like(value: Any, rng: np.random.Generator) -> Any:
    tangent = rng.normal(size=np.shape(value))
    if np.iscomplexobj(value):
        tangent = tangent + 1j * rng.normal(size=np.shape(value))
    return tangent if np.ndim(value) else tangent.item() if np.ndim(tangent) == 0 else tangent


@pytest.mark.parametrize("caller", CALLERS, ids=label)
def test_the_tangent_agrees_with_differences(caller: Caller) -> None:
    rng = np.random.default_rng(7)
    tangents = [random_like(leaf, rng) for leaf in caller.leaves]
    held = [None] * len(caller.weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        try:
            _, tangent = sg.jvp(
                caller.function, (*caller.leaves, *caller.weights), (*tangents, *held)
            )
        except (sg.SrcgradError, RuntimeError, TypeError) as refusal:
            skip_refused(refusal)
    expected = sum(
        np.sum(np.real(np.conj(grad) * t))
        for grad, t in zip(caller.differences, tangents, strict=True)
    )
    np.testing.assert_allclose(np.real(tangent), expected, rtol=1e-5, atol=1e-6)


SEVERAL = [caller for caller in CALLERS if len(caller.leaves) > 1]
SOME = [caller for caller in SEVERAL if zlib.crc32(label(caller).encode()) % 3 == 0]


@pytest.mark.parametrize("caller", SOME, ids=label)
def test_the_tangent_of_each_argument_alone_agrees_with_differences(caller: Caller) -> None:
    """The others are held, as constants are: a rule is given None for their tangents."""
    rng = np.random.default_rng(8)
    for place, leaf in enumerate(caller.leaves):
        tangents: list[Any] = [None] * (len(caller.leaves) + len(caller.weights))
        tangents[place] = random_like(leaf, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sg.FallbackWarning)
            try:
                args = (*caller.leaves, *caller.weights)
                _, tangent = sg.jvp(caller.function, args, tuple(tangents))
            except (sg.SrcgradError, RuntimeError, TypeError) as refusal:
                skip_refused(refusal)
        expected = np.sum(np.real(np.conj(caller.differences[place]) * tangents[place]))
        np.testing.assert_allclose(np.real(tangent), expected, rtol=1e-5, atol=1e-6)


def by_source(caller: Caller) -> bool:
    names = tuple(f"x{i}" for i in range(len(caller.leaves)))
    mixed = any(np.iscomplexobj(item) for item in [*caller.leaves, *caller.weights])
    try:
        compile_tangents(Request(caller.function, names, keep_complex=mixed))
    except sg.UnsupportedError:
        return False
    return True


def test_most_calls_have_their_tangent_by_source() -> None:
    some = CALLERS[::5]
    assert sum(map(by_source, some)) >= LEAST_BY_SOURCE * len(some)


def test_no_rule_says_two_things_of_its_tangent() -> None:
    for rule in RULES.values():
        said = [bool(rule.linear), bool(rule.multilinear), rule.elementwise, rule.reduces]
        assert sum(said) + issubclass(rule, Elementwise) <= 1, rule
