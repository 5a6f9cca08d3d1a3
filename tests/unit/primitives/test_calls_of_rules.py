"""Checks what records say against the calls that the rules are tested with, for every operand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import srcgrad.tape
from srcgrad.analyses.float_names import float_names
from srcgrad.compiler.normal_form import normal_form
from srcgrad.compiler.stages import Stages
from srcgrad.errors import SrcgradError
from srcgrad.frontend.source import find_source
from srcgrad.rules.records import primitive_of
from tests.unit.rules.callers import Caller, callers_of_specs
from tests.unit.rules.layouts import laid_out

assert srcgrad.tape  # some of the functions run on it

CALLERS = [item for item in callers_of_specs() if "." in item.spec.label]
OWN = ("srcgrad.", "_operator.")  # what generated text calls, and reading an entry


def named(chosen: list[Caller]) -> Any:
    return pytest.mark.parametrize("caller", chosen, ids=lambda caller: caller.spec.label)


def called(caller: Caller, leaves: list[Any]) -> dict[str, Any]:
    """Run the call of a rule; return what is bound then, nothing if NumPy does not take that."""
    scope = dict(vars(sys.modules[caller.function.__module__]))
    scope |= {f"x{place}": leaf for place, leaf in enumerate(leaves)}
    with np.errstate(all="ignore"):
        try:
            exec(caller.text.splitlines()[1].strip(), scope)
        except Exception:  # noqa: BLE001 - with integers it may be another function
            return {}
    return scope


def bound_by(caller: Caller) -> list[str]:
    target = caller.text.splitlines()[1].partition(" = ")[0]
    return [name.strip() for name in target.split(",") if name.strip()]


def parts(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from parts(item)
    elif isinstance(value, (np.ndarray, np.generic, float, int)):
        yield np.asarray(value)


def whole(leaf: Any) -> Any:
    found = np.ceil(np.real(leaf)).astype(int)
    return found if np.ndim(leaf) else int(found)


@pytest.mark.filterwarnings("ignore")
@named(CALLERS)
def test_names_of_floats_hold_none_of_integers_whichever_operand_is_whole(caller: Caller) -> None:
    for active in caller.argnums:
        leaves = [leaf if i == active else whole(leaf) for i, leaf in enumerate(caller.leaves)]
        scope = called(caller, leaves)
        integers = {
            name
            for name in bound_by(caller)
            if scope and any(part.dtype.kind in "iub" for part in parts(scope[name]))
        }
        if not integers:
            continue
        try:
            source = find_source(caller.function)
            program, _ = normal_form(source, (f"x{active}",), [], Stages())
        except SrcgradError:
            continue
        assert integers.isdisjoint(float_names(program))


@pytest.mark.filterwarnings("ignore")
@named([item for item in CALLERS if not item.spec.label.startswith(OWN)])
def test_results_lie_in_no_operand_that_the_record_leaves_out(caller: Caller) -> None:
    known = primitive_of(caller.spec.fn)
    views = known.may_view or known.memory == "optional"
    for layout in ("fortran", "strided", "reversed"):
        leaves = [laid_out(layout, leaf) for leaf in caller.leaves]
        scope = called(caller, leaves)
        for name in bound_by(caller) if scope else ():
            for result in parts(scope[name]):
                shared = [i for i, x in enumerate(leaves) if np.shares_memory(result, x)]
                assert not shared or (views and (shared == [0] or known.viewed == "any"))
