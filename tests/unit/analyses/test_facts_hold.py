"""What analyses say of a program's values holds for the values of a run."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from srcgrad.checker import witness
from tests.differences import copied
from tests.programs.corpus import Program, programs_by, sample
from tests.programs.test_forward import moved, random_tangent
from tests.unit.analyses.running import Found, found_of, run, size

OTHERS = ("axisless.", "scipy_paths.", "scipy_results.", "scipy_solvers.")
"""Programs that write into arrays without axes, whose normal form is not one to be run, and those
with roots and paths, whose values are taken for steady and whose derivatives are added."""
UNFIT = {
    "comprehensions.zero_trips": "the sum of nothing is a whole zero",
    "given_arrays.entries_of_a_list_updated": "what is taken for granted is asked of arrays",
    "given_arrays.entries_of_a_list_exchanged_and_updated": "the same",
    "given_arrays.entry_of_a_dict_replaced_and_updated": "the same",
    "given_arrays.entries_of_a_tuple_beside_a_list_written": "the same",
    "idioms.largest_taken_off_along_a_wrong_axis": "part of an extreme that is taken off",
    "idioms.logarithm_of_a_sum_of_exponentials": "the same",
    "lent.entries_added_on_some_paths": "it comes by a part that is left out",
    "lent.entries_of_an_argument_swapped": "what is taken for granted is asked of arrays",
    "lent.entries_of_an_argument_written_in_a_loop": "the same",
    "lists_in_place.lists_and_dicts_emptied": "the sum of nothing is a whole zero",
    "own_operators.turns_of_a_vector": "a tuple of what varies is only asked whether it is empty",
    "recursion.determinant_by_minors": "inner calls have arguments of other shapes",
    "recursion.horner_from_the_front": "the same",
    "recursion.smoothed": "the same",
    "recursion.sum_of_halves": "the same",
    "scipy_sparse.iterations_with_a_matrix_of_constants": "a sparse matrix is not compared",
    "scipy_sparse.products_with_a_matrix_of_constants": "the same",
    "writes.runge_kutta_in_work_arrays": "memory that is written under another name",
}
"""Programs that the run says nothing of, and why."""
STEP = int(os.environ.get("SRCGRAD_FACTS_STEP", "4"))  # 1 for all of them
PROGRAMS = [
    program
    for program in sample(programs_by("source").values(), STEP)
    if not program.name.startswith(OTHERS) and program.name not in UNFIT
]


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the texts unproven, which other tests see to."""
    monkeypatch.setenv(witness.VARIABLE, "0")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_values_are_what_was_said_of_them(program: Program) -> None:
    args = program.arguments()
    for found in found_of(program, copied(args)):
        given = run(found, args)
        if given is None:
            continue
        assert set(found.wrong(given)) == set()
        assert [*_moved(found, program, args)] == []


def _moved(found: Found, program: Program, args: tuple[Any, ...]) -> list[str]:
    """Return the names that were said not to vary, and do if the arguments are moved a little."""
    rng = np.random.default_rng(7)
    there = tuple(
        moved(a, random_tangent(a, rng), 1e-7) if i in program.argnums else a
        for i, a in enumerate(copied(args))
    )
    before, found.bindings = found.bindings, {}
    run(found, args)
    again, found.bindings = found.bindings, {}
    run(found, there)
    return [
        name
        for name in found.steady & set(before)
        if _same(before[name], again.get(name))  # what `np.empty` gives is anything
        and not _same(before[name], found.bindings.get(name))
    ]


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        pairs = zip(before, after, strict=False)
        return len(before) == len(after) and all(_same(a, b) for a, b in pairs)
    if isinstance(before, dict) and isinstance(after, dict):
        return all(_same(before[key], after.get(key)) for key in before)
    if isinstance(before, float) or getattr(before, "dtype", None) == np.float64:
        return bool(np.array_equal(before, after, equal_nan=True))
    return True


def test_what_is_wrong_is_seen() -> None:
    """The run finds what is no integer, number, array or float, and axes of another length."""
    axes = {"a": (("a", 0), 3)}
    found = Found("f", "", {}, (), {"i"}, {"n"}, {"v", "a"}, {"x"}, axes, set())
    a = np.ones((2, 3))
    wholes = np.arange(3)
    found.bindings = {"i": [1, 2.0], "n": [1.0, np.ones(1)], "x": [1.0, 1, wholes], "a": [a]}
    found.bindings["v"] = [[1.0, 2.0]]
    assert len(set(found.wrong({"a": a}))) == 5
    found.bindings = {"a": [np.ones((3, 3)), np.ones(2)]}
    assert len(set(found.wrong({"a": a}))) == 2


LENGTHS = {
    ("x", 1): 7,
    ("n", "value"): 4,
    ("p['w']", 0): 2,
    ("less", ("x", 1), 3): 4,
    ("less", ("x", 0), 9): 0,
    ("part", ("x", 1), (1, None, 2)): 3,
    ("share", ("x", 1), (2, 3)): 4,
    ("cut", ("x", 1), ((), None, None)): None,
    ("q", 0): None,
}


@pytest.mark.parametrize("length", LENGTHS, ids=str)
def test_lengths_are_those_of_the_arguments(length: Any) -> None:
    args = {"x": np.ones((5, 7)), "n": 4, "p": {"w": np.ones(2)}}
    assert size(length, args) == LENGTHS[length]
