"""Writes loops over objects as loops over what their `__iter__` returns."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Known, Object
from srcgrad.frontend.source import find_source, has_source
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, method
from srcgrad.runtime.objects import is_plain_class

_RUNNING: Final = (enumerate, zip, list, tuple, sum, sorted, max, min, map)


class Iterating(Part):
    """The part of the expansion that runs through objects."""

    def iterated(self, node: Any) -> Any:
        """Return an iterable with ``obj.__iter__()`` for each object that it runs through."""
        if not self.frame.hoistable:
            return node
        if isinstance(node, gast.Call) and self.runs(node):
            node.args = [self.iterated(item) for item in node.args]
            return node
        owner = self._object(node)
        if owner is None:
            return node
        named = self.frame.named(owner)
        plain = _field_run_through(owner.cls, named)
        if plain is not None:
            return at(plain, node)
        return at(method(named, "__iter__"), node)

    def unpacked(self, owner: Object, node: Any) -> list[Any] | None:
        """Return what an object gives where it is unpacked, if its `__iter__` shows that."""
        if not _says_what_it_holds(owner.cls):
            return None
        shown = _field_run_through(owner.cls, self.frame.named(owner))
        parts = shown.elts if isinstance(shown, (gast.Tuple, gast.List)) else None
        return None if parts is None else [self.frame.value(at(part, node)) for part in parts]

    def runs(self, call: Any) -> bool:
        """Say whether a function is called that runs through its arguments."""
        callee = self.frame.looked_at(call.func) if isinstance(call.func, gast.Name) else None
        return isinstance(callee, Known) and callee.value in _RUNNING

    def _object(self, node: Any) -> Object | None:
        """Return the object of the user's that an expression is, if its class says what it holds.

        One that a call makes is made here; what holds nothing that varies is left to the run.
        """
        if isinstance(node, (gast.Name, gast.Attribute)):
            value = self.frame.looked_at(node)
        elif isinstance(node, gast.Call) and self.frame.varies(node) and self._makes(node):
            value = self.frame.value(node)
        else:
            return None
        return value if isinstance(value, Object) and _says_what_it_holds(value.cls) else None

    def _makes(self, call: Any) -> bool:
        callee = self.frame.looked_at(call.func)
        cls = callee.value if isinstance(callee, Known) else None
        return isinstance(cls, type) and is_plain_class(cls) and _says_what_it_holds(cls)


def _says_what_it_holds(cls: type) -> bool:
    if issubclass(cls, tuple):
        return False
    return isinstance(inspect.getattr_static(cls, "__iter__", None), FunctionType)


def _field_run_through(cls: type, owner: Any) -> Any:
    """Return ``obj.items`` if the `__iter__` of an object is ``return iter(self.items)``.

    It may be one of a display, too: ``return iter((self.x, self.y))``.
    """
    function = inspect.getattr_static(cls, "__iter__")
    if inspect.isgeneratorfunction(function) or not has_source(function):
        return None
    tree = find_source(function).tree
    lines = [line for line in tree.body if not isinstance(line, gast.Expr)]
    returns = len(lines) == 1 and isinstance(lines[0], gast.Return)
    call: Any = lines[0].value if returns else None
    runs = isinstance(call, gast.Call) and getattr(call.func, "id", "") == "iter"
    held: Any = clone(call.args[0]) if runs and len(call.args) == 1 else None
    parts = held.elts if isinstance(held, (gast.Tuple, gast.List)) else [held]
    if not all(map(_is_own_field, parts)):
        return None
    for part in parts:
        part.value = clone(owner)
    return held


def _is_own_field(value: Any) -> bool:
    return isinstance(value, gast.Attribute) and getattr(value.value, "id", "") == "self"
