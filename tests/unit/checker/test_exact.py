"""Checks that entry by entry what lanes do not tell is proven, and nothing that is broken."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.checker import arrays
from srcgrad.checker.check import Checker
from srcgrad.checker.elements import Element, LongRun, applied
from srcgrad.checker.field import PRIME
from srcgrad.checker.runs import NotCovered, Now
from srcgrad.checker.verdict import Verdict
from srcgrad.checker.witness import observed
from tests.programs.corpus import programs_by
from tools.mutants import count, proven

PROGRAMS = programs_by("source")
DOUBTED_BY_LANES = (
    "views.two_overlapping_views",
    "views.matrix_product_in_place",
    "shared_memory.parts_of_each_other_on_one_line",
    "selection.unit_rows",
    "stencils.multigrid_restriction_and_prolongation",
    "simulations.lennard_jones",
    "simulations.spring_chain_with_contact",
    "simulations.charges_in_cells",
    "simulations.nine_directions",
    "simulations.option_in_a_list",
    "callables.double_recursion",
    "closures.mutually_recursive_nested_functions",
    "lists.lists_given_and_returned",
    "outside.numbers_written_outside_after_they_were_read",
    "counters.counts_in_a_loop",
)
SAMPLE = sorted(PROGRAMS, key=lambda name: zlib.crc32(name.encode()))[:20]


@pytest.fixture
def without_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = Verdict("unproven", "lanes are not asked")
    monkeypatch.setattr(Checker, "_along_paths", lambda _: verdict)


@pytest.fixture(autouse=True)
def _run() -> Any:
    former, Now.run = Now.run, LongRun(0)
    yield
    Now.run = former


def verdicts(name: str) -> list[Verdict]:
    found: list[Any] = []
    program = PROGRAMS[name]
    with observed(lambda *item: found.append(item[-1])):
        sg.grad(program.function, program.argnums, fallback="error")(*program.arguments())
    return found


@pytest.mark.parametrize("name", DOUBTED_BY_LANES)
def test_what_lanes_do_not_tell_is_proven(name: str) -> None:
    found = verdicts(name)
    assert [item.kind for item in found] == ["proven"] * len(found), found


@pytest.mark.parametrize("name", DOUBTED_BY_LANES)
def test_what_is_broken_is_not_proven(name: str) -> None:
    if proven(PROGRAMS[name]) is None:
        pytest.skip("it has several texts")
    total = count([PROGRAMS[name]], 15, 15)
    assert total.caught.total() >= 0.9 * total.wrong.total(), total.survivors


@pytest.mark.usefixtures("without_lanes")
@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_that_is_broken_is_proven_entry_by_entry_alone(name: str) -> None:
    if proven(PROGRAMS[name]) is None:
        pytest.skip("entry by entry it is not told")
    total = count([PROGRAMS[name]], 6, 6)
    assert total.caught.total() >= total.wrong.total() - 1, total.survivors


# -- elements


@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "sqrt", "arctan", "log1p", "cbrt"])
def test_tangents_of_functions_are_linear_and_follow_the_chain(name: str) -> None:
    function = getattr(np, name)
    once = applied(function, Element(12345, 1))
    assert once.dot
    assert applied(function, Element(12345, 7)).dot == once.dot * 7 % PRIME
    twice = applied(function, Element(12345, 1) * Element(2)) - applied(function, Element(24690))
    assert twice.value == 0
    assert twice.dot == applied(function, Element(24690, 2)).dot


def test_algebra_is_exact() -> None:
    x, y = Element(3, 1), Element(5, 2)
    assert (x / y * y - x).value == (x / y * y - x).dot == 0
    assert (x**3 - x * x * x).dot == (x**-2 - 1.0 / (x * x)).dot == 0
    assert (x**2.5 / x**1.5 - x * 0).value != 0  # of powers that are no integers nothing is known
    assert ((x + y) * (x - y) - (x * x - y * y)).dot == 0
    assert abs(x).value in (3, PRIME - 3)


def test_order_is_one_and_the_opposite_in_each_second_run() -> None:
    items = [Element(value) for value in range(20)]
    first = sorted(items, key=lambda item: sum(item < other for other in items))
    Now.run = LongRun(1)
    second = sorted(items, key=lambda item: sum(item < other for other in items))
    assert [item.value for item in first] == [item.value for item in reversed(second)]


def test_numbers_that_nobody_knows_are_made_small_integers() -> None:
    made = [int(Element(PRIME // 3 + k)) for k in range(20)]
    assert set(made) == {0, 1, 2}
    assert int(Element(7)) == 7
    assert int(Element(7, 1)) in (0, 1, 2)


def test_numbers_of_outside_are_copied_once() -> None:
    table = np.arange(3.0)
    taken = arrays.outside([table, table])
    taken[0][0] = Element(9)
    assert taken[1][0] == 9
    assert table.tolist() == [0.0, 1.0, 2.0]


class Asked:
    def __hash__(self) -> int:
        raise AssertionError("code of the user's is run")

    def __call__(self) -> None:
        raise AssertionError("code of the user's is run")


def test_nothing_of_the_users_is_run() -> None:
    arrays.outside(Asked())
    with pytest.raises(NotCovered):
        arrays.outside(lambda values: values)([1.0])
    with pytest.raises(NotCovered):
        arrays.outside(np).random.normal(np.ones(2))
    with pytest.raises(NotCovered):
        arrays.outside(np).save("nowhere", np.ones(2))
    with pytest.raises(NotCovered):
        arrays.outside(np).set_printoptions({})


def test_what_is_too_large_is_left() -> None:
    with pytest.raises(NotCovered):
        arrays.outside(np).zeros((1000, 1000))
    with pytest.raises(NotCovered):
        arrays.outside(np.ones((1000, 1000)))


def test_a_gradient_in_the_memory_of_another_is_not_proven() -> None:
    subject = proven(PROGRAMS["views.two_overlapping_views"])
    assert subject is not None
    text = subject.text.replace("return grad_y * 1.0", "x[...] = grad_y; return x")
    assert subject.checker.verdict(text).kind != "proven"
    text = subject.text.replace("return grad_y * 1.0", "print(1); return grad_y * 1.0")
    assert subject.checker.verdict(text).kind != "proven"
