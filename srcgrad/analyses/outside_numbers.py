"""Knows the lists, dicts and arrays of numbers from outside that only the function itself sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.other_names import is_seen_elsewhere
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, bound_names, is_store, store_target, targets_of
from srcgrad.ir.walk import names_bound, root_name, statements
from srcgrad.locks import kept_property

_DEEPEST: Final = 20
_NUMBERS: Final = (int, float, np.floating)


class OutsideNumbers:
    """What a program may write into outside as long as what it writes has no derivative.

    The other functions that run meanwhile do not see it, so that all writes are in the program.
    """

    def __init__(
        self, program: Program, integers: Integers, is_number: Callable[[Any], bool]
    ) -> None:
        self._program = program
        self._integers = integers
        self._is_number = is_number

    def holds(self, name: str) -> bool:
        """Say whether a name means such a container."""
        value = self._value(name)
        if isinstance(value, np.ndarray):
            plain = type(value) is np.ndarray and value.dtype.kind == "f"
        elif type(value) in (list, dict):
            items = value.values() if type(value) is dict else value
            plain = all(isinstance(item, _NUMBERS) for item in items) and self._gets_numbers(name)
        else:
            return False
        return plain and not is_seen_elsewhere(self._program, name)

    def _gets_numbers(self, name: str) -> bool:
        """Say whether all that the program puts into a list or dict are numbers, too."""
        for statement in statements(self._program.body):
            change = change_of(statement)
            if change is not None and change.name == name:
                if change.method != "pop" and not self._is_one(change.value, name):
                    return False
            elif is_store(statement) and root_name(place := store_target(statement)) == name:
                entry = isinstance(place, gast.Subscript) and isinstance(place.value, gast.Name)
                if not entry or not self._is_one(statement.value, name):
                    return False
            elif getattr(getattr(statement, "value", None), "id", "") == name:
                return False  # it has another name
        return True

    def _is_one(self, value: Any, holder: str, depth: int = 0) -> bool:
        """Say whether a value is a number if what a list or dict holds are numbers."""
        if self._is_number(value):
            return True
        if isinstance(value, gast.BinOp):
            return all(self._is_one(item, holder, depth) for item in (value.left, value.right))
        if isinstance(value, gast.Subscript):
            return getattr(value.value, "id", "") == holder
        if isinstance(value, gast.Call):  # ``counts.get("calls", 0)``
            func = value.func
            asks = isinstance(func, gast.Attribute) and func.attr in ("get", "pop")
            asks = asks and getattr(func.value, "id", "") == holder
            return asks and all(self._is_one(item, holder, depth) for item in value.args[1:])
        if not isinstance(value, gast.Name) or depth > _DEEPEST:
            return False
        makers = self._makers.get(value.id, [None])
        return all(item is not None and self._is_one(item, holder, depth + 1) for item in makers)

    @kept_property
    def _makers(self) -> dict[str, list[Any]]:
        """What each name is bound to; None where that is no value of its own."""
        found: dict[str, list[Any]] = {}
        for statement in statements(self._program.body):
            targets = targets_of(statement)
            single = isinstance(statement, gast.Assign) and len(targets) == 1
            for name in (name for target in targets for name in names_bound(target)):
                plain = single and isinstance(targets[0], gast.Name)
                found.setdefault(name, []).append(statement.value if plain else None)
        return found

    def reads_number(self, subscript: Any) -> bool:
        """Say whether ``x[i]`` reads a number of such a container, and no view of it."""
        if not isinstance(subscript.value, gast.Name) or not self.holds(subscript.value.id):
            return False
        value = self._value(subscript.value.id)
        if isinstance(value, dict):
            return True
        index = subscript.slice
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        rank = np.ndim(value) if isinstance(value, np.ndarray) else 1
        return len(parts) == rank and all(map(self._integers.of, parts))

    @kept_property
    def numbers_read(self) -> set[str]:
        """The names that are bound to nothing but numbers of such containers."""
        numbers: set[str] = set()
        others = set(self._program.parameters)
        for statement in statements(self._program.body):
            value = getattr(statement, "value", None)
            reads = isinstance(value, gast.Subscript) and self.reads_number(value)
            names = {name for target in targets_of(statement) for name in names_bound(target)}
            (numbers if reads else others).update(names)
        return numbers - others

    def _value(self, name: str) -> Any:
        if name in self._program.parameters or name in self._bound:
            return None
        return self._program.reader.scope.lookup(name)

    @kept_property
    def _bound(self) -> set[str]:
        return bound_names(self._program.body)
