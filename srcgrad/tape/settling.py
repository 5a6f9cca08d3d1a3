"""Leaves nothing of the tape behind: plain values in the place of tensors that a call has kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcgrad.runtime.objects import is_named_tuple
from srcgrad.tape.core import Core
from srcgrad.tape.userspace import KEEPERS, Reached, is_users, slots_of

Unwrap = Callable[[Any], Any]


class Settler:
    """Replaces the tensors in lists, dicts, objects, globals and closures by plain values."""

    def __init__(self, reached: Reached, unwrap: Unwrap) -> None:
        self._reached = reached
        self._unwrap = unwrap
        self._seen: dict[int, Any] = {}

    def settle(self, *roots: Any) -> None:
        """Go through all that the call may have left a value in."""
        for scope, names in self._reached.namespaces.values():
            for name in names & scope.keys():
                new = self.plain(scope[name])
                if new is not scope[name]:
                    scope[name] = new
        for cell in self._reached.cells:
            self._cell(cell)
        for owner in self._reached.classes:
            self._class(owner)
        for root in (*self._reached.holders, *roots):
            self.plain(root)

    def _cell(self, cell: Any) -> None:
        try:
            new = self.plain(cell.cell_contents)
        except ValueError:  # not bound
            return
        if new is not cell.cell_contents:
            cell.cell_contents = new

    def _class(self, owner: type) -> None:
        for name, item in list(vars(owner).items()):
            if not name.startswith("__") and (new := self.plain(item)) is not item:
                setattr(owner, name, new)

    def plain(self, value: Any) -> Any:
        """Return what stands for a value without the tape; lists and dicts are changed in place."""
        if isinstance(value, Core):
            return value if self._reached.knew(value) else self._unwrap(value)
        kind = type(value)
        if kind in (float, int, str, bool) or value is None:
            return value
        if id(value) in self._seen:
            return value
        self._seen[id(value)] = value
        if isinstance(value, (list, deque)):
            for i, item in enumerate(value):
                if (new := self.plain(item)) is not item:
                    value[i] = new
        elif isinstance(value, dict):
            self._dict(value)
        elif kind in (tuple, set, frozenset) or is_named_tuple(kind):
            return self._rebuilt(value)
        elif isinstance(value, (FunctionType, *KEEPERS)):
            self._dict(vars(value))
        elif is_users(kind.__module__) and not isinstance(value, type):
            self._fields(value)
        return value

    def _fields(self, value: Any) -> None:
        self._dict(getattr(value, "__dict__", {}))
        for name in slots_of(value):
            item = getattr(value, name)
            if (new := self.plain(item)) is not item:
                object.__setattr__(value, name, new)

    def _dict(self, value: dict[Any, Any]) -> None:
        for key, item in list(value.items()):
            new_key, new = self.plain(key), self.plain(item)
            if new_key is not key:
                del value[key]
            if new is not item or new_key is not key:
                value[new_key] = new

    def _rebuilt(self, value: Any) -> Any:
        items = [self.plain(item) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
