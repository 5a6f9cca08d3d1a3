"""Checks Jacobians of the calls that the rules are tested with, in both modes and both engines.

In forward mode a call meets tangents of one element, in reverse mode adjoints of one: sums of its
results, which other tests take, do not tell where they end up.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import copied, numerical_jacobian
from tests.unit.rules.callers import Caller, callers_of_specs, module_of

STEP = int(os.environ.get("SRCGRAD_JACOBIANS_STEP", "11"))  # 1 for all of them


def raw_text(number: int, caller: Caller) -> str:
    """Return a function that returns the first result of a call itself."""
    line, last = caller.text.splitlines()[1:3]
    target = line.partition(" = ")[0].strip()
    first = f"{target}[0]" if f"{target}[" in last else target.partition(",")[0]
    names = ", ".join(f"x{place}" for place in range(len(caller.leaves)))
    return f"def raw_{number}({names}):\n{line}\n    return {first} * 1.0\n"


def raw_functions(chosen: list[Caller]) -> list[Callable[..., Any]]:
    """Return a function of one module for each call."""
    texts = [raw_text(number, caller) for number, caller in enumerate(chosen)]
    module = module_of("raw_callers", texts, chosen)
    return [getattr(module, f"raw_{number}") for number in range(len(chosen))]


CALLERS = [caller for caller in callers_of_specs() if caller.leaves][::STEP]
PAIRS = list(zip(CALLERS, raw_functions(CALLERS), strict=True))


def is_real(value: Any) -> bool:
    return not isinstance(value, (list, tuple)) and np.asarray(value).dtype.kind == "f"


def _name(item: Any) -> str:
    return item.spec.label if isinstance(item, Caller) else "raw"


@pytest.mark.parametrize(("caller", "function"), PAIRS, ids=_name)
@pytest.mark.filterwarnings("ignore")
def test_jacobians_agree_with_differences(caller: Caller, function: Callable[..., Any]) -> None:
    ways = (
        sg.jacrev,
        sg.jacfwd,
        lambda f, place: sg.jacrev(f, place, backend="tape"),
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not all(map(is_real, [function(*caller.leaves), *caller.leaves])):
            pytest.skip("it is not of real arrays")
        for place in range(len(caller.leaves)):
            wanted = numerical_jacobian(function, list(caller.leaves), place)
            finite = np.isfinite(wanted) & (np.abs(wanted) < 1e6)
            size = np.abs(wanted[finite]).max(initial=1.0)
            for way in ways:
                try:
                    found = np.asarray(way(function, place)(*copied(caller.leaves)))
                except sg.SrcgradError:
                    continue
                assert found.shape == wanted.shape
                np.testing.assert_allclose(
                    found[finite], wanted[finite], rtol=2e-4, atol=2e-4 * size
                )
