"""The same programs on PyTorch and on srcgrad: values, gradients, errors, warnings, structure.

What PyTorch logged lies in `recorded.json`, so the programs run where it is not installed as well;
``python -m tests.peers.torch.record`` writes that file anew.
"""

import importlib.util
import json
from pathlib import Path

import pytest

from tests.peers.torch import (
    harness,
    programs_basics,
    programs_corners,
    programs_function,
    programs_graph,
)

MODULES = (programs_basics, programs_corners, programs_function, programs_graph)
PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]
RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text())

quiet = pytest.mark.filterwarnings(
    "ignore::UserWarning",
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::RuntimeWarning",
)
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


def compare(found, expected):
    assert len(found) == len(expected), (found, expected)
    for i, (mine, other) in enumerate(zip(found, expected, strict=True)):
        assert harness.same(mine, other), f"entry {i}: ours {mine}, torch {other}"


@quiet
@each_program
def test_program_does_what_torch_did(program):
    found = harness.run(program, harness.ours())
    compare(found, harness.decoded(RECORDED[program.__name__]))


@pytest.mark.peers
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@quiet
@each_program
def test_program_does_the_same_on_both(program):
    expected = harness.run(program, harness.theirs())
    compare(harness.run(program, harness.ours()), expected)


def test_every_program_is_recorded():
    assert sorted(RECORDED) == sorted(program.__name__ for program in PROGRAMS)


def test_the_comparison_notices_a_small_difference():
    log = harness.run(programs_basics.higher_orders, harness.ours())
    kind, array, flag = log[0]
    assert not harness.same((kind, array * 1.000001, flag), log[0])
    assert not harness.same((kind, array, not flag), log[0])
    assert not harness.same(("error", "TypeError", ["a"]), ("error", "TypeError", ["b"]))
