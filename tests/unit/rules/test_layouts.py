"""Every compiled gradient for arguments that lie otherwise in memory, or in the same memory."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from tests.unit.rules.callers import Caller, callers_of_specs
from tests.unit.rules.layouts import LAYOUTS, Untouched, assert_own_memory, laid_out
from tests.unit.rules.test_engines import gap, on_tape, spec_label
from tests.unit.rules.variants import chosen

CALLERS = callers_of_specs()
FIRST = {id(spec) for spec in chosen([caller.spec for caller in CALLERS])}
CHOSEN = [c for c in CALLERS if id(c.spec) in FIRST and not c.spec.reads_memory]


def layout_of(caller: Caller) -> str:
    """Return a layout for a call, another one for its neighbours but the same in every run."""
    names = list(LAYOUTS)
    return names[zlib.crc32(caller.text.encode()) % len(names)]


def assert_same(grads: Any, expected: Any) -> None:
    for one, two in zip(grads, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("caller", CHOSEN, ids=spec_label)
def test_the_layout_of_arguments_does_not_matter(caller: Caller) -> None:
    plain = caller.gradient(*caller.leaves, *caller.weights)
    name = layout_of(caller)
    leaves = [laid_out(name, leaf) for leaf in caller.leaves]
    weights = [laid_out(name, weight) for weight in caller.weights]
    with Untouched([*leaves, *weights]):
        grads = caller.gradient(*leaves, *weights)
        taped = on_tape(caller, leaves, weights) if gap(caller) is None else None
    assert_same(grads, plain)
    assert_own_memory(grads, [*leaves, *weights])
    if taped is not None:
        assert_same(taped, plain)


def of_one_kind(caller: Caller) -> bool:
    """Say whether all that varies are arrays of one shape and dtype."""
    kinds = {(np.shape(leaf), np.asarray(leaf).dtype) for leaf in caller.leaves}
    arrays = all(isinstance(leaf, np.ndarray) for leaf in caller.leaves)
    return arrays and len(caller.leaves) > 1 and len(kinds) == 1


ALIKE = [c for c in CHOSEN if of_one_kind(c) and not c.spec.label.startswith("srcgrad.")]


@pytest.mark.parametrize("caller", ALIKE, ids=spec_label)
def test_one_array_may_be_several_arguments(caller: Caller) -> None:
    same = caller.leaves[0]
    copies = [same.copy() for _ in caller.leaves]
    try:
        expected = caller.gradient(*copies, *caller.weights)
    except (ValueError, np.linalg.LinAlgError):
        pytest.skip("the function is not defined there")
    shared = [same for _ in caller.leaves]
    with Untouched([same]):
        grads = caller.gradient(*shared, *caller.weights)
    assert_same(grads, expected)
    assert_own_memory(grads, [same])
