"""Gives tangents of what may be a view or a copy, as the run alone tells, the same memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analyses.mirroring import Mirroring
from srcgrad.ir.build import call, clone, load
from srcgrad.ir.operations import Operation, may_return_operand, operands_viewed
from srcgrad.ir.program import Program
from srcgrad.ir.walk import names_read
from srcgrad.transforms.externals import Externals
from srcgrad.transforms.tangent_rules import NoTangentError


class TangentViews:
    """Asks which values may be views of an operand, and lets their tangents be the same.

    `dot(name)` is the name of a tangent, or None where the value has none.
    """

    def __init__(
        self,
        program: Program,
        names: Mirroring,
        externals: Externals,
        dot: Callable[[str], str | None],
    ) -> None:
        self._vocabulary = program.reader.vocabulary
        self._names = names
        self._externals = externals
        self._dot = dot

    def may_be_copies(self, operation: Operation) -> bool:
        """Say whether the run alone tells if the value of a primitive is a view of an operand."""
        if operation.primal is self._vocabulary.getitem:
            return False
        known = self._vocabulary.primitive(operation.primal)
        return may_return_operand(known, operation) or known.memory == "layout"

    def of(self, name: str, tangent: Any, operation: Operation) -> Any:
        """Return the tangent of such a value, which is a view of another where the value is one.

        Of another layout it might be none. Where nothing writes into their memory again, none of
        that matters.

        Raises:
            NoTangentError: There are several such operands. Or nothing but a caller may write into
                the memory: of a function that is put in its place it shows whether that does.
        """
        seen = set(names_read(tangent))
        written = {item for item in self._names.written if self._dot(item) in seen}
        if self._names.lasts(name, written):
            return tangent
        if name not in self._names.own and seen.isdisjoint(map(self._dot, self._names.own)):
            raise NoTangentError
        known = self._vocabulary.primitive(operation.primal)
        wholes = operands_viewed(known, operation)
        dot = self._dot(getattr(wholes[0], "id", "")) if len(wholes) == 1 else None
        if dot is None:
            raise NoTangentError
        view = self._externals.use_runtime("tangent_of_view")
        return call(view, tangent, load(dot), load(name), clone(wholes[0]))
