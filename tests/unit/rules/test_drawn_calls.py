"""Calls of every rule by hand, far from its specs: other numbers, and other options together."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

import srcgrad as sg
import srcgrad.tape
from srcgrad.rules.library import canonical_name, rule_for
from tests.text import ledger
from tests.unit.rules.opspec import (
    Call,
    Loss,
    OpSpec,
    along_way,
    as_outputs,
    check_rule,
    gradient_leaves,
    leaves,
    random_way,
    rebuild,
    replaced,
)
from tests.unit.rules.options import drawn, is_smooth
from tests.unit.rules.specs import SPECS
from tests.unit.rules.test_pushforward import assert_transposed

assert srcgrad.tape  # some rules run on it what they are given

FACTORS: Final = (1e-3, 0.1, 3.0, 20.0, -1.0)
CALLS: Final = 8 if ledger.EVERY else 1  # for each spec
STEP: Final = 2e-4
HUGE: Final = 1e30
TINY: Final = 1e-30
every_spec = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.label)


def number_of(spec: OpSpec) -> int:
    return zlib.crc32(spec.label.encode())


def scaled(value: Any, factor: float) -> Any:
    """Return numbers that carry derivatives times a factor."""
    if isinstance(value, (list, tuple)):
        return type(value)(scaled(item, factor) for item in value)
    return value * factor if np.asarray(value).dtype.kind in "fc" else value


def slopes(at: Callable[[float], float], step: float) -> float:
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def differing(spec: OpSpec, factor: float) -> Iterator[str]:
    """Yield where a rule has another slope than differences that are sure of theirs."""
    rng = np.random.default_rng(3)
    args, kwargs, active = spec.make_args(rng)
    for key in active:
        holder: Any = kwargs if isinstance(key, str) else args
        holder[key] = scaled(holder[key], factor)
    try:
        outputs = as_outputs(spec.fn(*args, **kwargs))
        if not all(np.all(np.isfinite(out)) for out in outputs if isinstance(out, np.ndarray)):
            return
        call = Call.of(spec, args, kwargs, active)
        loss = Loss(spec, call.output, rng)
        parts = call.backward(loss.grads(call.output))
    except Exception as error:
        if isinstance(error, (sg.SrcgradError, ValueError, TypeError, np.linalg.LinAlgError)):
            return
        raise
    for value, part in zip(call.inputs(), parts, strict=True):
        for place, leaf in enumerate(leaves(value)):
            if np.asarray(leaf).dtype.kind in "fc" and np.size(leaf):
                way = abs(factor) * random_way(leaf, np.random.default_rng(5))
                at = _along(spec, (args, kwargs), loss, (value, place), way)
                found = along_way(list(gradient_leaves(part, value))[place], way)
                if not _agree(at, found):
                    yield f"{factor}: {found} for {slopes(at, STEP)}"


def _along(spec: OpSpec, given: Any, loss: Loss, where: Any, way: Any) -> Callable[[float], float]:
    """Return the loss as a function of how far one leaf is moved along a way."""
    value, place = where

    def at(move: float) -> float:
        items = list(leaves(value))
        items[place] = replaced(items[place], move * way)
        changed = rebuild(value, iter(items))
        args = [changed if arg is value else arg for arg in given[0]]
        return loss(
            spec.fn(*args, **{k: changed if v is value else v for k, v in given[1].items()})
        )

    return at


def _agree(at: Callable[[float], float], found: float) -> bool:
    """Say whether a slope is that of differences, as far as those can be sure of it."""
    try:
        wide, narrow, size = slopes(at, STEP), slopes(at, STEP / 2), abs(at(0.0))
    except (ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return True
    doubt = abs(wide - narrow)
    unsure = not np.isfinite(wide + narrow) or doubt > 1e-4 * abs(narrow) + 1e-9 * size
    unsure = unsure or size > HUGE or 0 < size < TINY
    if unsure or (np.isnan(found) and narrow == 0):  # which nobody can tell
        return True
    return abs(found - narrow) <= 10 * doubt + 1e-6 * abs(narrow) + 1e-9 * size + 1e-8


@pytest.mark.filterwarnings("ignore")
@every_spec
def test_slopes_far_from_the_spec_are_those_of_differences(spec: OpSpec) -> None:
    first = number_of(spec)
    some = FACTORS if ledger.EVERY else [FACTORS[first % len(FACTORS)]]
    with np.errstate(all="ignore"):
        assert [text for factor in some for text in differing(spec, factor)] == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "spec",
    [spec for spec in SPECS if not spec.squared and not canonical_name(spec.fn).startswith("srcg")],
    ids=lambda spec: spec.label,
)
def test_calls_with_options_drawn_together_have_the_slopes_of_differences(spec: OpSpec) -> None:
    rng = np.random.default_rng(number_of(spec))
    with np.errstate(all="ignore"):
        for _ in range(CALLS):
            other = drawn(spec, rng)
            if not is_smooth(other) or (call := _called(other)) is None:
                continue
            try:
                call.backward(Loss(other, call.output, rng).grads(call.output))
            except sg.SrcgradError:
                continue
            check_rule(other)
            if hasattr(rule_for(spec.fn), "jvp"):
                assert_transposed(other)


def _called(spec: OpSpec) -> Call | None:
    """Return a call of the rule, or None where the function takes no such options, or the rule."""
    args, kwargs, active = spec.make_args(np.random.default_rng(0))
    try:
        spec.fn(*args, **kwargs)
        return Call.of(spec, args, kwargs, active)
    except (sg.SrcgradError, ValueError, TypeError, LookupError, RuntimeError, NameError):
        return None
