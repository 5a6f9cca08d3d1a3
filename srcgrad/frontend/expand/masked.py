"""Answers what functions of `np.ma` ask of arrays, none of which is masked.

A masked array is refused as an argument, and what makes one is refused in the text.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.values import Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.walk import root_name
from srcgrad.runtime.own_arithmetic import calculates_otherwise

Bound = dict[str, Value]


class Masked(Part):
    """The part of the expansion that deals with questions whether something is masked."""

    def never_is(self, value: Value, classes: tuple[type, ...]) -> bool:
        """Say whether a value is surely of none of some classes, since these are refused."""
        refused = [_is_refused(kind) for kind in classes]
        return bool(classes) and all(refused) and self._is_plain(value)

    def _is_plain(self, value: Value) -> bool:
        return not isinstance(value, Static) and self.frame.varies(value)

    def said_of(self, call: Any) -> Value | None:
        """Return what a call of ``np.ma.is_masked`` gives, without writing anything."""
        root = self.frame.look(root_name(call.func) or "")
        plain = len(call.args) == 1 and isinstance(call.args[0], gast.Name)
        if not plain or not isinstance(getattr(root, "value", None), ModuleType):
            return None
        callee = getattr(self.frame.value(clone(call.func)), "value", None)
        asks = callee is np.ma.isMaskedArray or callee is np.ma.is_masked
        return self.frame.value(clone(call)) if asks else None

    @function(np.ma.isMaskedArray, np.ma.is_masked)
    def _asked(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        known = len(args) == 1 and self._is_plain(args[0])
        return gast.Constant(False, None) if known else None

    @function(np.ma.getmask)
    def _mask(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        known = len(args) == 1 and self._is_plain(args[0])
        return self.frame.constant(np.ma.nomask, "nomask") if known else None

    @function(np.ma.getdata, np.ma.filled)
    def _data(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if not args or not self._is_plain(args[0]):
            return None
        return at(gast.Call(self.frame.constant(np.asarray, "asarray"), args[:1], []), node)


def _is_refused(kind: Any) -> bool:
    return issubclass(kind, np.ndarray) and calculates_otherwise(kind)
