"""The same programs on PyTorch and on srcgrad: values, gradients, errors, warnings, structure."""

import importlib.util

import pytest

from tests.peers.torch import (
    harness,
    programs_basics,
    programs_function,
    programs_graph,
)

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed"),
]
MODULES = (programs_basics, programs_function, programs_graph)
PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program_does_the_same_on_both(program):
    expected = harness.run(program, harness.theirs())
    found = harness.run(program, harness.ours())
    assert len(found) == len(expected), (found, expected)
    for i, (mine, other) in enumerate(zip(found, expected, strict=True)):
        assert harness.same(mine, other), f"entry {i}: ours {mine}, torch {other}"
