"""Checks every program as a user would who asks for it: by the tape and by differences."""

from __future__ import annotations

import warnings

import pytest

import srcgrad as sg
from tests.programs.corpus import Program, programs_by

PROGRAMS = programs_by("source")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_the_first_call_verifies_the_text(program: Program) -> None:
    gradient = sg.grad(program.function, program.argnums, fallback="error", verify=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", sg.VerificationWarning)  # nothing was compared
        gradient(*program.arguments())
