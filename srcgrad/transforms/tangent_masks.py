"""Masks tangents of steep steps where a constant was selected before (see `Unmoved`)."""

from __future__ import annotations

from collections.abc import Callable, Set

from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.unmoved import Unmoved
from srcgrad.ir.build import load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program
from srcgrad.ir.walk import names_read
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.tangent_rules import Pushed


class TangentMasks:
    """Gives the tangents of one program the masks that they need."""

    def __init__(
        self,
        program: Program,
        dot: Callable[[str], str | None],
        written: Set[str],
        externals: Externals,
        shapes: Shapes,
    ) -> None:
        self._externals = externals
        self._number = shapes.is_number
        self._unmoved = Unmoved(
            program, lambda name: dot(name) is not None, lambda name: name not in written
        )

    def within(self, pushed: Pushed, operation: Operation, targets: list[str]) -> Pushed:
        """Return the tangent of a step, which is nothing where its operand is a constant."""
        mask = self._unmoved.of_step(operation, targets[0]) if len(targets) == 1 else None
        if mask is None:
            return pushed
        if "within" in names_read(mask.condition):
            self._externals.use_runtime("within")
        if self._number(load(targets[0])):
            pushed.tangent = mask.of_number(pushed.tangent)
        else:
            self._externals.use_numpy()
            pushed.tangent = mask.of(pushed.tangent)
        return pushed
