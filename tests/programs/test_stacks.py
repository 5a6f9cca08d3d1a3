"""Checks that a run with a stack of seeds says the same as one run for each, on every program."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.halves import Adjoints
from srcgrad.api.pushforward import Tangents
from srcgrad.runtime.stacks import CannotStackError
from tests.differences import assert_same, copied
from tests.programs import test_agreement
from tests.programs.corpus import PROGRAMS, Program, sample
from tests.refusals import skip_refused

assert test_agreement.__doc__  # it fills the corpus

STEP = int(os.environ.get("SRCGRAD_STACKED_PROGRAMS_STEP", "53"))  # 1 for all of them
some_programs = pytest.mark.parametrize(
    "program",
    sample((p for p in PROGRAMS.values() if p.by != "refused"), STEP),
    ids=lambda p: p.name,
)


def _seed_by_seed(*_: Any) -> Any:
    raise CannotStackError("told so")


def both(
    make: Callable[..., Any], program: Program, monkeypatch: pytest.MonkeyPatch
) -> tuple[Any, Any]:
    """Return a derivative of a program with stacks, and without."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            stacked = make(program.function, program.argnums)(*copied(program.arguments()))
            monkeypatch.setattr(Tangents, "rows", _seed_by_seed)
            monkeypatch.setattr(Adjoints, "rows", _seed_by_seed)
            return stacked, make(program.function, program.argnums)(*copied(program.arguments()))
        except (sg.SrcgradError, RuntimeError, NotImplementedError) as refusal:
            skip_refused(refusal)


@some_programs
def test_many_tangents_at_once_agree_with_one_at_a_time(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same(*both(sg.jacfwd, program, monkeypatch), 1e-9, 1e-11)


@some_programs
def test_second_derivatives_at_once_agree_with_one_at_a_time(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same(*both(sg.hessian, program, monkeypatch), 1e-9, 1e-11)


def _without_keys(program: Program, request: pytest.FixtureRequest) -> None:
    if program.name == "dicts.step_of_all_parameters":
        reason = "reversed() of a dict is taken for that of a list where a gradient is reversed"
        request.applymarker(pytest.mark.xfail(raises=KeyError, reason=reason))


@some_programs
def test_many_adjoints_at_once_agree_with_one_at_a_time(
    program: Program, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    _without_keys(program, request)

    def make(f: Callable[..., Any], argnums: Any) -> Any:
        return sg.jacrev(sg.grad(f, argnums, fallback="error"), argnums)

    assert_same(*both(make, program, monkeypatch), 1e-9, 1e-11)
