"""Checks every program as a user would who asks for it: by the tape and by differences."""

from __future__ import annotations

import os
import warnings

import pytest

import srcgrad as sg
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from tests.programs.corpus import Program, programs_by, sample

PROGRAMS = programs_by("source")
STEP = int(os.environ.get("SRCGRAD_VERIFIED_STEP", "3"))  # 1 for all of them
VERIFIED = sample(PROGRAMS.values(), STEP)


@pytest.mark.parametrize("program", VERIFIED, ids=lambda item: item.name)
def test_the_first_call_verifies_the_text(program: Program) -> None:
    gradient = sg.grad(program.function, program.argnums, fallback="error", verify=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", sg.VerificationWarning)  # nothing was compared
        gradient(*program.arguments())


@pytest.mark.parametrize("program", sample(PROGRAMS.values(), 12), ids=lambda item: item.name)
def test_what_is_doubted_without_reason_runs(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Checker, "verdict", lambda *_: Verdict("wrong", "of a test"))
    gradient = sg.grad(program.function, program.argnums, fallback="error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gradient(*program.arguments())
