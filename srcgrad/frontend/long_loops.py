"""Marks the functions that stand for checkpointed loops and calls."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

_LOOP: Final = "__srcgrad_loop__"


@dataclass(frozen=True, slots=True)
class LongLoop:
    """A checkpointed loop, of which a function was made that takes its place.

    The function takes what the loop runs over, the states, the constants, and the budget if there
    is one; it returns the states.

    Attributes:
        step: The function of one trip, from the states to the next ones.
        states: The variables that a trip may change, those whose memory it writes into first.
        constants: The variables that it only reads.
        written: How many of the states are written into.
        stops: Whether the loop may be left, which the step says by one more result.
        numbers: The variables that are checked to be no arrays.
    """

    step: FunctionType
    states: tuple[str, ...]
    constants: tuple[str, ...]
    written: int
    stops: bool
    numbers: frozenset[str]


def mark_loop(function: FunctionType, loop: LongLoop) -> None:
    """Say which loop a function stands for."""
    setattr(function, _LOOP, loop)


def loop_of(function: Any) -> LongLoop | None:
    """Return the loop that a function stands for, if it does."""
    found: LongLoop | None = getattr(function, _LOOP, None)
    return found
