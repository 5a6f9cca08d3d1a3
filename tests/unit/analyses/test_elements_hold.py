"""What is said of elements that are met once, first or last holds in runs of drawn loops."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest

from srcgrad.analyses.final_elements import FinalElements, Known
from srcgrad.analyses.sharing import Sharing
from srcgrad.analyses.touched_elements import TouchedElements
from srcgrad.compiler.doctesting import parse
from srcgrad.ir.walk import statements
from tests.unit.analyses.element_programs import Drawn, Met, runs

GIVEN = ("x", "s", "a", "c")
INTEGERS = frozenset("nmskij")
_SEEDS = range(60)


def _pure(node: Any) -> bool:
    return True


def _meets_again(log: list[Met], line: int, *, writes: bool = False, others: bool = False) -> bool:
    """Say whether what a line has met is met again: by writes alone, or by other lines alone."""
    return any(
        not one.places.isdisjoint(other.places)
        for at, one in enumerate(log)
        if one.line == line
        for other in log[at + 1 :]
        if (other.writes or not writes) and (other.line != line or not others)
    )


def _said(text: str) -> list[set[int]]:
    """Return the lines that read or store for good, and those that touch first or last."""
    body = parse(text)
    sharing = Sharing(body, _pure)
    final = FinalElements(body, Known(sharing.may_share, _pure, INTEGERS.__contains__), GIVEN)
    touched = TouchedElements(body, GIVEN, INTEGERS.__contains__, sharing)
    asked = (final.is_read_for_good, final.is_stored_for_good, touched.is_first, touched.is_last)
    return [{s.lineno for s in statements(body) if ask(s)} for ask in asked]


def _wrong(text: str, axes: int) -> set[str]:
    read, stored, first, last = _said(text)
    found = set()
    for log in runs(text, axes):
        back = log[::-1]
        found |= {f"{n}: not for good" for n in read | stored if _meets_again(log, n, writes=True)}
        found |= {f"{n}: not the first" for n in first if _meets_again(back, n)}
        found |= {f"{n}: not the last" for n in last if _meets_again(log, n, others=True)}
    return found


@pytest.mark.parametrize(("seed", "axes"), [*itertools.product(_SEEDS, (1, 2))])
def test_what_is_said_of_elements_holds(seed: int, axes: int) -> None:
    rng = Random(f"{seed} {axes}")
    for number in range(8):
        maker = rng.choice(("zeros_like", "zeros_like", "copied"))
        text = Drawn(rng, maker, axes, aliases=number % 2 == 0).draw()
        assert _wrong(text, axes) == set(), text
