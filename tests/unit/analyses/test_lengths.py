"""Symbolic lengths of axes, and sums of whole variables, against numbers put in for them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from srcgrad.analyses.affine import Affine, affine_of, can_hold, number, variable
from srcgrad.analyses.lengths import Lengths, outside, summed_axes
from srcgrad.analyses.spelled_lengths import cut_by, less, share, sliced, upto
from srcgrad.ir import gast
from tests.unit.analyses.running import size

BOUNDS = list(itertools.product((None, -3, -1, 0, 1, 2), (None, -4, -1, 0, 2), (None, 1, 2, -1)))
SHAPES = [s for n in range(4) for s in itertools.product((1, 2, 3), repeat=n)]
LENGTH = ("x", 0)


def _of(length: Any, n: int) -> int | None:
    return size(length, {"x": np.ones(n)})


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_what_a_slice_leaves_is_as_long_as_it_says(bounds: Any) -> None:
    found = sliced(LENGTH, bounds)
    assert found is not None
    for n in range(9):
        wanted = len(range(n)[slice(*bounds)])
        assert _of(found, n) == wanted
        assert sliced(n, bounds) == wanted
    assert sliced(None, (None, None, 2)) is None


PLAIN = {
    (1, None, None): ("less", LENGTH, 1),
    (None, -2, None): ("less", LENGTH, 2),
    (1, -2, 1): ("less", LENGTH, 3),
    (0, None, None): LENGTH,
    (None, None, -1): LENGTH,
    (None, 2, None): ("part", LENGTH, (None, 2, None)),
    (-2, None, None): ("part", LENGTH, (-2, None, None)),
}


@pytest.mark.parametrize("bounds", PLAIN, ids=str)
def test_slices_that_cut_off_ends_are_told_by_what_they_cut_off(bounds: Any) -> None:
    assert sliced(LENGTH, bounds) == PLAIN[bounds]


CUTS = list(itertools.product((-2, -1, 0, 1, 3), repeat=2))


@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_cutting_twice_is_cutting_from_what_is_left(cuts: tuple[int, int]) -> None:
    found = less(less(LENGTH, cuts[0]), cuts[1])
    for n in range(8):
        assert _of(found, n) == less(less(n, cuts[0]), cuts[1])
    assert less(None, 1) is None


def test_shares_are_whole() -> None:
    assert share(LENGTH, 3, 4) == ("share", LENGTH, (3, 4))
    assert [share(9, count, 4) for count in (1, 2, 4)] == [2, 4, 8]
    assert share(None, 1, 2) is share(LENGTH, 0, 2) is share(LENGTH, 1, 1) is None
    assert share(LENGTH, 1, 2) is not None


@pytest.mark.parametrize("first", SHAPES, ids=str)
def test_joined_lengths_are_those_of_broadcasting(first: Any) -> None:
    for second in SHAPES:
        lengths = Lengths({"x": first, "y": second})
        args = {"x": np.ones(first), "y": np.ones(second)}
        ours, theirs = (tuple((k, i) for i in range(v.ndim)) for k, v in args.items())
        joined = lengths.join(ours, theirs)
        try:
            wanted = np.broadcast_shapes(first, second)
        except ValueError:
            assert None in joined
            continue
        assert tuple(size(length, args) for length in joined) == wanted
        assert all(eval(condition, {}, args) for condition in lengths.conditions)
        _undone(lengths.settled(joined), lengths.settled(ours), args["x"], wanted)


def _undone(joined: Any, operand: Any, x: Any, wanted: Any) -> None:
    """Adding up along the axes that were added or stretched gives the operand's shape."""
    found = summed_axes(joined, operand)
    assert found is not None
    added, stretched = found
    assert np.ones(wanted).sum(axis=stretched, keepdims=True).sum(axis=added).shape == x.shape


def test_axes_that_are_not_known_are_not_summed() -> None:
    assert summed_axes((("x", 0),), (("x", 0), ("x", 1))) is None
    assert summed_axes((None,), (None,)) is None
    assert summed_axes((("x", 0),), (("y", 0),)) is None
    assert summed_axes((None, ("x", 1)), (1, ("x", 1))) == ((), (0,))
    assert summed_axes((1, ("x", 1)), (1, ("x", 1))) == ((), ())


AGREE = {
    "the same": (("x", 0), ("x", 0), True, ()),
    "equal ones": (("x", 0), ("y", 0), True, ("len(y) == len(x)",)),
    "others": (("x", 0), ("y", 1), False, ()),
    "a number": (("x", 0), 4, True, ("len(x) == 4",)),
    "another number": (("x", 0), 5, False, ()),
    "two numbers": (3, 4, False, ()),
    "nothing": (None, ("x", 0), False, ()),
    "nothing twice": (None, None, False, ()),
    "what is left": (("less", ("x", 0), 1), ("y", 1), True, ("y.shape[1] == len(x) - 1",)),
    "what is more": (("less", ("y", 1), -1), ("x", 0), True, ("len(x) == y.shape[1] + 1",)),
    "a share": (("share", ("x", 0), (3, 4)), ("y", 1), True, ("y.shape[1] == len(x) // 4 * 3",)),
    "an integer": (("n", "value"), ("y", 1), True, ("y.shape[1] == n",)),
    "what is not seen": (("z", 0), ("y", 1), False, ()),
    "no axis": (("x", 1), ("y", 1), False, ()),
    "a part": (("part", ("x", 0), (None, None, 2)), 2, False, ()),
    "less than nothing": (("less", ("x", 0), 5), 0, False, ()),
    "a share of what is left": (
        ("share", ("less", ("x", 0), 1), (1, 3)),
        1,
        True,
        ("(len(x) - 1) // 3 == 1",),
    ),
}


@pytest.mark.parametrize("case", AGREE)
def test_lengths_agree_if_they_do_for_the_arguments(case: str) -> None:
    one, other, agree, conditions = AGREE[case]
    seen = {"x": (4,), "y": (4, 3), "n": 3}
    lengths = Lengths(seen)
    assert lengths.agree(one, other) is agree
    assert lengths.agree(one, other) is agree
    assert lengths.conditions == conditions
    args = {"x": np.ones(4), "y": np.ones((4, 3)), "n": 3}
    assert all(eval(condition, {}, args) for condition in conditions)
    assert agree is False or lengths.find(one) == lengths.find(other)


def _drawn(draw: np.random.Generator, depth: int = 2) -> Any:
    """Return any length of a vector, a matrix or a number."""
    kind = draw.integers(5) if depth else 0
    if not kind:
        atoms: list[Any] = [("x", 0), ("y", 0), ("y", 1), ("n", "value"), int(draw.integers(1, 4))]
        return atoms[draw.integers(len(atoms))]
    whole, number = _drawn(draw, depth - 1), int(draw.integers(0, 3))
    if kind == 1:
        return less(whole, number - 1)
    if kind == 2:
        return sliced(whole, (number, number + 2, None))
    if kind == 3:
        return upto(whole, number, _drawn(draw, depth - 1))
    return share(whole, 1, 2)


@pytest.mark.parametrize("seed", range(120))
def test_what_stands_for_a_length_is_as_long(seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = tuple(map(int, draw.integers(1, 6, 2)))
    args = {"x": np.ones(draw.integers(1, 6)), "y": np.ones(shape), "n": int(draw.integers(-1, 6))}
    lengths = Lengths({"x": args["x"].shape, "y": shape, "n": args["n"]})
    met = [length for _ in range(12) if (length := _drawn(draw)) is not None]
    for one, other in itertools.pairwise(met):
        lengths.join((one,), (other,))
    for condition in lengths.conditions:
        assert eval(condition, {}, args), condition
    for length in met:
        assert size(lengths.find(length), args) == size(length, args), (
            length,
            lengths.find(length),
        )
    words = {("x", 0): ("a", 0), ("y", 0): ("b", 0)}
    theirs = {"a": args["x"], "b": args["y"][:, 0]}
    for one, other in lengths.told(words):
        known = size(one, theirs), size(other, theirs)
        assert None in known or known[0] == known[1], (one, other)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_assumed_of_lengths_is_enough(seed: int) -> None:
    draw = np.random.default_rng(1000 + seed)
    seen = {"x": (4,), "y": (4, 3), "n": 3}
    lengths = Lengths(seen)
    met = [length for _ in range(8) if (length := _drawn(draw)) is not None]
    for one, other in itertools.pairwise(met):
        lengths.join((one,), (other,))
    for x, y, z, n in itertools.product(range(5), range(5), range(1, 4), range(-1, 5)):
        args = {"x": np.ones(x), "y": np.ones((y, z)), "n": n}
        if all(eval(condition, {}, args) for condition in lengths.conditions):
            for length in met:
                found = lengths.find(length)
                assert size(found, args) == size(length, args), (length, found, args)


def test_equal_shapes_are_told_at_once() -> None:
    lengths = Lengths({"x": (4, 3), "y": (4, 3), "z": (4, 3, 2)})
    for axis in range(2):
        assert lengths.agree(("x", axis), ("y", axis))
    assert lengths.conditions == ("y.shape == x.shape",)
    for axis in range(2):  # one of them has an axis more
        assert lengths.agree(("x", axis), ("z", axis))
    assert lengths.conditions[1:] == ("len(z) == len(x)", "z.shape[1] == x.shape[1]")


MEETS = {
    "equal": ((("x", 0),), (("y", 0),), 1),
    "others": ((("x", 0),), (("y", 1),), 0),
    "one of two": ((("x", 0), ("x", 0)), (("y", 0), ("y", 1)), 1),
    "more": ((("x", 0),), (("y", 0), ("y", 1)), None),
    "nothing": (None, (("y", 0),), None),
}


@pytest.mark.parametrize("case", MEETS)
def test_what_two_values_have_in_common(case: str) -> None:
    first, second, known = MEETS[case]
    for one, other in ((first, second), (second, first)):
        met = Lengths({"x": (4,), "y": (4, 3)}).meet(one, other)
        assert known == (None if met is None else sum(item is not None for item in met))


BETWEEN = {
    "a quarter": ((1, 4), (2, 4), (1, 4)),
    "the first": (None, (1, 4), (1, 4)),
    "from 0": (0, (3, 4), (3, 4)),
    "the last": ((3, 4), None, (1, 4)),
    "none": ((2, 4), (2, 4), None),
    "backwards": ((3, 4), (2, 4), None),
    "too much": ((1, 4), (5, 4), None),
    "of others": ((1, 4), (1, 2), None),
    "from 1": (1, (2, 4), None),
    "to 5": ((1, 4), 5, None),
}


@pytest.mark.parametrize("case", BETWEEN)
def test_slices_between_shares_are_shares(case: str) -> None:
    def bound(given: Any) -> Any:
        return share(LENGTH, *given) if isinstance(given, tuple) else given

    lower, upper, wanted = BETWEEN[case]
    found = Lengths({"x": (8,)}).between(LENGTH, bound(lower), bound(upper))
    assert found == (None if wanted is None else share(LENGTH, *wanted))


def test_lengths_of_other_functions_are_known_without_our_integers() -> None:
    cut = ("cut", LENGTH, (((("i", 1),), 0), None, (((("j", 2),), 1))))
    assert cut_by(cut) == cut_by(("less", cut, 1)) == {"i", "j"}
    assert cut_by(LENGTH) == cut_by(3) == cut_by(("part", LENGTH, (1, None, None))) == frozenset()
    assert outside((LENGTH, cut, 3)) == (LENGTH, None, 3)
    assert outside(None) is None


AFFINE = {
    "i - 1": ({"i": 1}, -1),
    "-(i - j)": ({"i": -1, "j": 1}, 0),
    "2 * i + i * 3": ({"i": 5}, 0),
    "i - i + 2": ({}, 2),
    "3 * 2": ({}, 6),
    "i * j": None,
    "i // 2": None,
    "1.5": None,
    "i + k[0]": None,
    "True": None,
    "+i": None,
}


@pytest.mark.parametrize("source", AFFINE)
def test_expressions_of_integers_are_read_as_sums(source: str) -> None:
    found = affine_of(gast.parse(source, mode="eval").body, variable)
    wanted = AFFINE[source]
    assert found == (None if wanted is None else Affine(*wanted))


def _holds(sums: list[Affine], at: dict[str, int]) -> bool:
    return all(s.constant + sum(f * at[n] for n, f in s.terms.items()) >= 0 for s in sums)


@pytest.mark.parametrize("seed", range(120))
def test_what_cannot_hold_holds_nowhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = "ijk"
    inside = [variable(n) for n in names] + [number(4) - variable(n) for n in names]
    differences = seed % 2  # whole numbers hold there if any numbers do
    drawn = []
    for _ in range(rng.integers(1, 6)):
        one, other = rng.permutation(list(names))[:2]
        factor = 1 if differences else int(rng.integers(1, 4))
        sign = -1 if differences else int(rng.choice([-2, -1, 1]))
        constant = number(int(rng.integers(-5, 5)))
        drawn.append(variable(one).times(factor) + variable(other).times(sign) + constant)
    sums = inside + drawn
    places = itertools.product(range(5), repeat=3)
    truly = any(_holds(sums, dict(zip(names, place, strict=True))) for place in places)
    assert can_hold(sums) or not truly
    assert not differences or can_hold(sums) == truly


def test_of_very_many_sums_nothing_is_known() -> None:
    first, second = ([variable(f"{n}{i}") - variable("z") for i in range(80)] for n in "ab")
    more = [variable("z") - variable(f"c{i}") for i in range(80)]
    assert can_hold([*first, *second, *more, number(0)])
    assert not can_hold([*first, number(-1)])
