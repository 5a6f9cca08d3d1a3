"""Compiles a few programs of the corpus; `python -m tests.targets.counts 1` does all of them."""

from __future__ import annotations

import pytest

import srcgrad as sg
from tests.programs.corpus import programs_by, sample
from tests.targets.counts import MODES, outcome

pytest.importorskip("numba", reason="needs Numba")

CHOSEN = sample(
    [item for name, item in programs_by("source").items() if not name.startswith("scipy")], 130
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", CHOSEN, ids=lambda item: item.name)
def test_a_program_gives_what_numpy_gives_or_says_why_not(program, mode):
    try:
        kind, why = outcome(program, mode)
    except sg.SrcgradError as refusal:
        pytest.skip(f"it has none by source: {refusal}")
    assert kind in ("compiled", "in parts", "refused"), why
