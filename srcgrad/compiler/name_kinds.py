"""Says of the names of a derivative, and of the adjoints among them, what they surely hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.shapes import Shapes
from srcgrad.ir.build import load
from srcgrad.ir.names import Namer
from srcgrad.ir.program import Program, bound_names


@dataclass(frozen=True, slots=True)
class NameKinds:
    """What the names of a program are bound to; one that is not in a set may be anything.

    Attributes:
        every: All names there were, those too that are gone by now.
        numbers: Those of single numbers.
        integers: Those of whole numbers.
        arrays: Those of arrays with axes.
        matrices: Those of arrays with two.
    """

    every: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    matrices: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        program: Program,
        shapes: Shapes,
        rank: Callable[[Any], int | None],
        integers: Integers,
    ) -> NameKinds:
        """Return what analyses have found out."""
        every = frozenset({*program.parameters, *bound_names(program.body)})
        return cls(
            every,
            frozenset(name for name in every if shapes.is_number(load(name))),
            every & frozenset(integers.names),
            frozenset(name for name in every if rank(load(name))),
            frozenset(name for name in every if rank(load(name)) == 2),
        )

    def in_text(
        self, program: Program, chosen: frozenset[str], *, of_adjoints: bool = True
    ) -> Callable[[str], bool]:
        """Say which names are of variables all of whose values are `chosen`, and so their adjoints.

        Names that are versions of one variable may have changed places by now.
        """
        namer: Namer = program.namer
        every = bound_names(program.body) | set(program.parameters) | self.every
        if every.isdisjoint(chosen):
            return lambda _: False  # as of matrices in most functions
        mixed = set(map(namer.base, every - chosen))
        found = set(map(namer.base, every & chosen)) - mixed
        of = namer.variable_of if of_adjoints else namer.base
        return lambda name: of(name) in found


NOTHING_KNOWN: Final = NameKinds()
