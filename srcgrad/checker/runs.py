"""Holds what one run of a checked program leaves, and what ends it early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from srcgrad.ir.walk import statements

if TYPE_CHECKING:
    from srcgrad.checker.lanes import Lane

MOST_TRIPS: Final = 200_000
"""The trips of loops, and the entries gone through, after which a run may have no end."""


class Disagreement(BaseException):
    """The derivative is not that of the primal."""


class NotCovered(BaseException):
    """Something that the checker does not know stands in its way."""


class Run:
    """What one run of a program leaves behind.

    Attributes:
        asked: Whether anything hung on the seed: if not, a run with another is the same.
        tape: What the statements of the primal leave for the reverse sweep; None if none is made.
            In forward mode, what takes its items and carries tangents.
        trace: The effects that can be seen from outside, in order.
        cut: Results of operations on varied values for which no contribution is known.
        nested: Whether an array was to be stored in an entry of an array.
        steps: How many operations there were.
        most: How many there may be: so many of each statement, and a least number.
    """

    _least: ClassVar = 4_000
    _of_each: ClassVar = 20

    def __init__(self, seed: int, former: Run | None = None, body: Sequence[Any] = ()) -> None:
        """Begin a run of a body, or one that shares its operations with a former run."""
        self._seed = seed
        self.asked = False
        self.tape: Any = None
        self.trace: list[Any] = []
        self.cut: list[Lane] = []
        self.nested = False
        self.steps: int = 0 if former is None else former.steps
        self.most: int = self._most_of(body) if former is None else former.most
        self.memo: dict[Any, Any] = {}
        self._trips = 0

    def _most_of(self, body: Sequence[Any]) -> int:
        count = sum(1 for _ in statements(list(body)))
        return max(self._least, self._of_each * count)

    @property
    def seed(self) -> int:
        """What decides which way tests go and how long loops are."""
        self.asked = True
        return self._seed

    @property
    def way(self) -> tuple[tuple[int, ...], bool]:
        """What decides which way tests go: a draw, and whether all go the opposite ways.

        Of four runs the first and the last are a pair, and so are the two between them.
        """
        self.asked = True
        four, place = divmod(self._seed, 4)
        draw = 2 * four + (place in (1, 2))
        return ((draw,) if draw else ()), place > 1

    def step(self) -> None:
        """Count an operation.

        Raises:
            NotCovered: There have been too many.
        """
        self.steps += 1
        if self.steps > self.most:
            raise NotCovered("the run is too long")

    def go_through(self, count: int = 1) -> None:
        """Count trips of a loop, or entries of a list, which need not calculate anything.

        Raises:
            NotCovered: There have been too many.
        """
        self._trips += count
        if self._trips > MOST_TRIPS:
            raise NotCovered("the run has no end")


class Now:
    """The run that is under way."""

    run: Run = Run(0)
