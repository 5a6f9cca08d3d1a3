"""Knows calls that only read the numbers in lists: ``sum(row)``, ``max(row)``, ``np.mean(row)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcgrad.ir import gast

if TYPE_CHECKING:
    from srcgrad.analyses.points_to import PointsTo
    from srcgrad.ir.operations import Reader


class PlainReads:
    """The calls of a program that keep nothing of the lists that they are given, nor give it back.

    A list that holds others may be given back in part: ``max(rows)`` is a row.
    """

    def __init__(self, points: PointsTo, reader: Reader) -> None:
        self._points = points
        self._reader = reader
        self._plain: dict[frozenset[int], bool] = {}  # by the displays

    def of(self, call: Any) -> bool:
        """Say whether a call is one."""
        callee = self._reader.scope.resolve(call.func)
        known = self._reader.vocabulary.primitive(callee)
        if not known.name or known.writes or known.stores:
            return False
        if known.may_view and not known.chooses:
            return False
        return not call.keywords and all(map(self._holds_no_other, call.args))

    def _holds_no_other(self, arg: Any) -> bool:
        if not isinstance(arg, gast.Name):
            return True
        displays = self._points.of(arg.id)
        if displays not in self._plain:
            held = (value for display in displays for value in self._points.held(display))
            self._plain[displays] = not any(map(self._points.is_inner, held))
        return self._plain[displays]
