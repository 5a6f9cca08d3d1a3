"""What is known of the axes of a function's arguments before its body is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.lengths import Lengths, Seen
from srcgrad.analyses.spelled_lengths import Vector
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program


class Operands(Protocol):
    """Knows the operands of a call."""

    def of(self, node: Any) -> Vector | None:
        """Return the axes of an operand, or None."""

    def is_integer(self, node: Any) -> bool:
        """Say whether an operand is surely an integer."""

    def numbers_in(self, node: Any) -> str:
        """Return what leads from a list to numbers, if it holds nothing else: ``[*][*]``."""


Result = Vector | str | None
"""The axes of a result of a call; of a list of numbers what leads to these, ``[*]``."""
Follow = Callable[[Any, Operation, Operands, Lengths], tuple[Result, ...]]
"""Returns what the results of a call are, by its statement, operation and operands."""

_RANKS: Final = {"int": 0, "number": 0, "vector": 1, "matrix": 2}


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of arguments.

    Attributes:
        seen: The shapes of the arguments at hand; the text holds for such only, and checks it.
        given: The axes of arguments, by lengths of whoever calls.
        lengths: What is known of those lengths; None to begin anew.
        follow: How to find what calls of the user's functions return.
    """

    seen: Seen = field(default_factory=dict)
    given: Mapping[str, Vector | None] = field(default_factory=dict)
    lengths: Lengths | None = None
    follow: Follow | None = None

    def vectors(self, program: Program, integers: Integers) -> dict[str, Vector]:
        """Return the axes of the parameters of which they are known."""
        found: dict[str, Vector] = {}
        for name in program.parameters:
            fact = "int" if name in integers.names else program.given.get(name)
            shape = self.seen.get(name)
            passed = self.given.get(name)
            if passed is not None:
                found[name] = passed
            elif fact in _RANKS:
                found[name] = tuple((name, axis) for axis in range(_RANKS[fact]))
            elif isinstance(shape, tuple):
                found[name] = tuple((name, axis) for axis in range(len(shape)))
        return found


NOTHING: Final = Knowledge()


def axes_of_data(value: Any) -> Vector | None:
    """Return the axes of data of outside; their lengths may be others at the next call.

    >>> axes_of_data(np.ones((2, 3))), axes_of_data(2.0), axes_of_data([1.0])
    ((None, None), (), None)
    """
    if isinstance(value, (int, float, np.number)):
        return ()
    return (None,) * value.ndim if type(value) is np.ndarray else None


def rank_condition(root: str, shape: tuple[int, ...]) -> str:
    """Return what is taken for granted of an argument's kind and axes, or of all its elements'.

    >>> rank_condition("x", (3, 4)), rank_condition("xs[*][0]", (3,))
    ('x.ndim == 2', 'all(item[0].ndim == 1 for item in xs)')
    >>> rank_condition("xs[*][*]", ())
    'all(all(isinstance(item, (int, float)) for item in row) for row in xs)'
    """
    name, any_index, rest = root.partition("[*]")
    if any_index:
        item = "row" if "[*]" in rest else "item"
        item = item if item != name else f"{item}_2"
        return f"all({rank_condition(f'{item}{rest}', shape)} for {item} in {name})"
    return f"{root}.ndim == {len(shape)}" if shape else f"isinstance({root}, (int, float))"
