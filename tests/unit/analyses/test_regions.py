"""The elements that indices name, against those that NumPy takes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from srcgrad.analyses.affine import Affine, can_hold, number, variable
from srcgrad.analyses.constants import bounds_of
from srcgrad.analyses.regions import EVERYTHING, Region, meet, regions
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of

INDICES = [
    *("i", "i - 1", "-1", "2", "i, j", "i, 0", "i, -1", "i:", ":i", "1:-1", "::2", "::-1"),
    *("i:j", "i:j, 1", ":, i", "i, :j", "...", "i // 2", "k[i]", ":k[0]", "-2:", "i + 1:i + 3"),
]
SIZES = (4, 5)
EVERY = set(itertools.product(range(4), range(5)))
AT = list(itertools.product(range(4), repeat=2))


def _index(source: str) -> Any:
    return gast.parse(f"y[{source}]", mode="eval").body.slice


def _taken(source: str, i: int, j: int) -> set[tuple[int, int]]:
    """Return the elements that an index takes."""
    places = np.arange(SIZES[0] * SIZES[1]).reshape(SIZES)
    taken = eval(f"places[{source}]", {"places": places, "i": i, "j": j, "k": [i, j, 1, 2]})
    return {(int(p) // SIZES[1], int(p) % SIZES[1]) for p in np.ravel(taken)}


def _value(item: Affine, i: int, j: int) -> int:
    at = {"i": i, "j": j, "y.shape[0]": SIZES[0], "y.shape[1]": SIZES[1]}
    return item.constant + sum(factor * at[name] for name, factor in item.terms.items())


def _named(found: list[Region], i: int, j: int) -> set[tuple[int, int]]:
    """Return the elements of the blocks of which the index means one."""
    named = set()
    for region in found:
        if all(_value(item, i, j) >= 0 for item in region.sums):
            ends = [
                range(_value(x.first, i, j), _value(x.last, i, j) + 1) for x in region.intervals
            ]
            ends += [range(size) for size in SIZES[len(ends) :]]
            named |= set(itertools.product(*ends))
    return named


@pytest.mark.parametrize("around", [[], [variable("i"), variable("j")]], ids=["any", "positive"])
@pytest.mark.parametrize("source", INDICES)
def test_an_index_takes_elements_of_the_blocks_it_names(source: str, around: list[Affine]) -> None:
    found = regions("y", _index(source), variable, around)
    understood = source not in ("...", "i // 2", "k[i]", ":k[0]", "::2")
    for i, j in AT:
        taken, named = _taken(source, i, j), _named(found, i, j)
        assert taken <= named
        if understood:
            assert taken == named & EVERY


BLOCKS = {"i - 1": 2, "i": 1, "-1": 1, "2": 1, "i - 1:j - 1": 4, "i - 1, j - 1": 4, "i // 2": 1}


@pytest.mark.parametrize("source", BLOCKS)
def test_what_may_count_from_the_end_is_two_blocks(source: str) -> None:
    around = [variable("i"), variable("j")]
    assert len(regions("y", _index(source), variable, around)) == BLOCKS[source]
    surely = [item - number(1) for item in around]
    assert len(regions("y", _index(source), variable, surely)) == 1


def test_of_very_many_blocks_all_elements_are_taken() -> None:
    ends = ", ".join(f"a{n}:b{n}" for n in range(2))
    assert len(regions("y", _index(ends), variable, [])) == 16
    assert regions("y", _index(f"{ends}, c"), variable, []) == [EVERYTHING]


@pytest.mark.parametrize(("one", "other"), list(itertools.product(INDICES[:16], repeat=2)))
def test_blocks_meet_where_indices_take_one_element(one: str, other: str) -> None:
    around = [variable(n) for n in "ij"] + [number(3) - variable(n) for n in "ij"]
    around += [variable(f"y.shape[{axis}]") - number(size) for axis, size in enumerate(SIZES)]
    around += [number(size) - variable(f"y.shape[{axis}]") for axis, size in enumerate(SIZES)]
    pairs = itertools.product(*(regions("y", _index(s), variable, around) for s in (one, other)))
    may = any(can_hold([*around, *meet(first, second)]) for first, second in pairs)
    truly = any(_taken(one, i, j) & _taken(other, i, j) for i, j in AT)
    exact = "::2" not in (one, other)
    assert may == truly if exact else may or not truly


CONSTANTS: dict[str, Any] = {
    "1:": (1, None, None),
    ":-2": (None, -2, None),
    "::-1": (None, None, -1),
    "0:3:2": (0, 3, 2),
    "n:": None,
    ":-n": None,
    "1.5:": None,
    "True:": None,
}


@pytest.mark.parametrize("source", CONSTANTS)
def test_bounds_of_slices_are_read_where_they_are_constants(source: str) -> None:
    assert bounds_of(_index(source)) == CONSTANTS[source]


AXES: dict[str, Any] = {
    "1": (1,),
    "-1": (-1,),
    "(0, -2)": (0, -2),
    "n": None,
    "(0, n)": None,
    "None": None,
    "-n": None,
    "1.0": None,
}


@pytest.mark.parametrize("source", AXES)
def test_axes_are_read_where_they_are_literals(source: str) -> None:
    assert axes_of(gast.parse(source, mode="eval").body) == AXES[source]
