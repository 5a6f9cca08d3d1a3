"""Says of the names of a derivative, and of the adjoints among them, what they surely hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
        vectors: Those of arrays with one axis.
        matrices: Those of arrays with two.
    """

    every: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    vectors: frozenset[str] = frozenset()
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
            frozenset(name for name in every if rank(load(name)) == 1),
            frozenset(name for name in every if rank(load(name)) == 2),
        )

    def in_text(
        self,
        program: Program,
        chosen: frozenset[str],
        *,
        of_adjoints: bool = True,
        now: Mapping[str, str] | None = None,
    ) -> Callable[[str], bool]:
        """Say which names are of variables all of whose values are `chosen`, and so their adjoints.

        Names that are versions of one variable may have changed places by now. If several are asked
        for at once, `now` are the names of the text, which are found out for all of them.
        """
        namer: Namer = program.namer
        bases = self.names_now(program) if now is None else now
        if bases.keys().isdisjoint(chosen):
            return lambda _: False  # as of matrices in most functions
        mixed = {base for name, base in bases.items() if name not in chosen}
        found = {base for name, base in bases.items() if name in chosen} - mixed
        of = namer.variable_of if of_adjoints else namer.base
        return lambda name: of(name) in found

    def names_now(self, program: Program) -> Mapping[str, str]:
        """Return all names of a text as it is now, each with the variable it is a version of."""
        every = self.every.union(bound_names(program.body), program.parameters)
        base = program.namer.base
        return {name: base(name) for name in every}


NOTHING_KNOWN: Final = NameKinds()
