"""Marks the functions that stand for checkpointed loops and calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

_LOOP: Final = "__srcgrad_loop__"
_REPEATED: Final = "__srcgrad_repeated__"
_SAME: Final = "__srcgrad_same__"
_REPEATING: Final = "__srcgrad_repeating__"


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


def repeated(function: FunctionType) -> FunctionType:
    """Return a function like another whose calls are run again in the backward pass."""
    code, home = function.__code__, function.__globals__
    again = FunctionType(code, home, function.__name__, function.__defaults__, function.__closure__)
    again.__kwdefaults__ = function.__kwdefaults__
    again.__module__, again.__qualname__ = function.__module__, function.__qualname__
    again.__dict__.update(function.__dict__)
    mark_repeated(again)
    return again


def mark_repeated(function: FunctionType) -> None:
    """Let the calls of a function be run again in the backward pass."""
    setattr(function, _REPEATED, True)


def is_repeated(function: Any) -> bool:
    """Say whether the calls of a function are run again in the backward pass."""
    return isinstance(function, FunctionType) and hasattr(function, _REPEATED)


def repeated_of(thing: Any) -> FunctionType | None:
    """Return the function behind what `srcgrad.checkpoint` or `compile` returns, if it is that."""
    if isinstance(thing, type):
        return None
    found = getattr(thing, _REPEATED, None) or getattr(thing, _SAME, None)
    return found if isinstance(found, FunctionType) else None


def mark_repeating(function: Callable[..., Any]) -> None:
    """Let a function stand for one that returns what it is given, to be run again backwards."""
    setattr(function, _REPEATING, True)


def is_repeating(function: Any) -> bool:
    """Say whether a function returns what it is given, to be run again in the backward pass."""
    return isinstance(function, FunctionType) and hasattr(function, _REPEATING)
