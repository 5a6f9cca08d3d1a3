"""Says which functions return an iterator, which has no length and is used up by one loop."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.remembered import remembered
from srcgrad.frontend.returned_lists import results_of
from srcgrad.ir import gast

_MAKERS: Final = (iter, map, filter, zip, enumerate, reversed)


def makes_iterator(callee: Any) -> bool:
    """Say whether what a function returns is an iterator, on some path and for all that is known.

    >>> makes_iterator(zip), makes_iterator(sorted)
    (True, False)
    """
    if isinstance(callee, FunctionType):
        return bool(_returns_iterator(callee, frozenset()))
    of_itertools = isinstance(callee, type) and callee.__module__ == "itertools"
    return of_itertools or any(callee is kind for kind in _MAKERS)


@remembered(bool)
def _returns_iterator(function: Any, seen: frozenset[Any]) -> bool:
    if inspect.isgeneratorfunction(function):
        return True
    found = results_of(function)
    if found is None:
        return False
    scope = found.scope

    def is_iterator(value: Any) -> bool:
        if isinstance(value, gast.IfExp):
            return is_iterator(value.body) or is_iterator(value.orelse)
        if not isinstance(value, gast.Call):
            return isinstance(value, gast.GeneratorExp)
        callee = scope.resolve(value.func)
        if isinstance(callee, FunctionType):
            return bool(_returns_iterator(callee, seen))
        return makes_iterator(callee)

    return any(
        is_iterator(value)
        for result in found.values
        for value in (result, *found.bound.get(getattr(result, "id", ""), []))
    )
