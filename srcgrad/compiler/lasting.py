"""Finds what the forward pass leaves in arrays for the backward pass to read there again."""

from __future__ import annotations

from typing import Any

from srcgrad.analyses.final_elements import FinalElements, Known
from srcgrad.analyses.float_names import float_names
from srcgrad.analyses.shapes import Shapes
from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.program import Program, bound_by
from srcgrad.ir.walk import blocks_of, root_name, statements
from srcgrad.optimizations.purity import Purity
from srcgrad.transforms.lasting_parts import read_in_place
from srcgrad.transforms.sweep import Facts


class Lasting:
    """The parts of arrays in one derivative, before its records, that stay as they are."""

    def __init__(
        self,
        program: Program,
        body: list[Any],
        purity: Purity,
        facts: Facts,
        *,
        keep_complex: bool,
    ) -> None:
        self._program = program
        self._body = body
        self._purity = purity
        self._facts = facts
        self._keep_complex = keep_complex
        counts = program.reader.scope.resolve(load("range")) is range
        self._final = self._look() if counts and self._has_parts() else None

    def _has_parts(self) -> bool:
        """Say whether parts of anything that the body binds are read or written by themselves.

        In a straight line only copies of parts, and stores, are asked about.
        """
        bound = {name for item in self._body for name in bound_by(item)}
        assigned = [item for item in statements(self._body) if isinstance(item, gast.Assign)]
        straight = not any(map(blocks_of, self._body))
        if straight and not any(
            self._purity.is_copy(item.value) or isinstance(item.targets[0], gast.Subscript)
            for item in assigned
        ):
            return False
        return any(
            isinstance(part, gast.Subscript) and getattr(part.value, "id", "") in bound
            for item in assigned
            for part in (item.value, item.targets[0])
        )

    def _look(self) -> FinalElements:
        known = Known(
            Sharing(self._body, self._purity.of, self._is_number).may_share,
            self._purity.of,
            self._facts.integers.names.__contains__,
            self._program.namer.is_adjoint,
        )
        return FinalElements(self._body, known, self._program.parameters)

    def _is_number(self, name: str) -> bool:
        """Say whether a name is surely bound to numbers, none of them an array without axes."""
        facts = self._facts
        if name in facts.integers.names:
            return True
        return facts.shapes.is_number(load(name)) and name not in facts.storage.axisless

    def is_read_for_good(self, statement: Any) -> bool:
        """Say whether ``t = y[...]`` reads elements that nothing writes any more."""
        if not self._facts.restored.isdisjoint(bound_by(statement)):
            return True  # a part of what is put back before it is read again
        return self._final is not None and self._final.is_read_for_good(statement)

    def read_in_place(self) -> None:
        """Leave out the copies of parts that stay as they are."""
        read_in_place(self._body, self._purity.is_copy, self.is_read_for_good)

    def changed_copies(self) -> set[str]:
        """Return the names of what may be sections of lists, and is changed once it is made.

        A section of a list is a copy, which shows nothing of that when it is taken again. One of
        an array is a view.
        """
        storage = self._facts.storage
        changed = storage.mutated | storage.reshaped
        return {
            name
            for item in statements(self._body)
            if isinstance(item, gast.Assign) and self._may_copy(item.value)
            for name in bound_by(item)
            if name in changed
        }

    def _may_copy(self, value: Any) -> bool:
        """Say whether a value is a section ``xs[i:j]`` of what may be a list."""
        if not isinstance(value, gast.Subscript) or not isinstance(value.slice, gast.Slice):
            return False
        is_array = getattr(value.value, "id", "") in self._facts.storage.arrays
        return not is_array and not self._facts.dimensions.rank(value.value)

    def stored(self) -> set[int]:
        """Return the statements that write values where the backward pass finds them again.

        Arrays of floats take floats as they are, and what is made of an array has its width.
        """
        if self._keep_complex or self._final is None:
            return set()
        stores = [
            item
            for item in statements(self._body)
            if isinstance(item, gast.Assign)
            and isinstance(item.value, gast.Name)
            and isinstance(item.targets[0], gast.Subscript)
        ]
        if not stores:
            return set()
        floats = float_names(self._program)
        wide = {
            name
            for item in self._body
            if _keeps_width(getattr(item, "value", None))
            for name in bound_by(item)
            if name in floats
        }
        return {
            id(item)
            for item in stores
            if root_name(item.targets[0]) in wide - self._facts.restored
            and _fits(item, self._facts.shapes)
            and self._final.is_stored_for_good(item)
        }


def _keeps_width(value: Any) -> bool:
    """Say whether a call like ``np.zeros(n)`` or ``x.copy()`` names no type of its own."""
    return isinstance(value, gast.Call) and not value.keywords and len(value.args) <= 1


def _fits(store: Any, shapes: Shapes) -> bool:
    """Say whether what a statement stores has the shape of the place."""
    target = store.targets[0]
    if not isinstance(target, gast.Subscript):
        return False
    if shapes.is_number(store.value):
        return shapes.element_is_number(target)
    return shapes.same(store.value, target)
