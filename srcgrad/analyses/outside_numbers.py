"""Knows the lists, dicts and arrays of numbers from outside that only the function itself sees."""

from __future__ import annotations

from typing import Any, Final

import gast
import numpy as np

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.other_names import is_seen_elsewhere
from srcgrad.ir.program import Program, bound_names, targets_of
from srcgrad.ir.walk import names_bound, statements
from srcgrad.locks import kept_property

_NUMBERS: Final = (int, float, np.floating)


class OutsideNumbers:
    """What a program may write into outside as long as what it writes has no derivative.

    The other functions that run meanwhile do not see it, so that all writes are in the program.
    """

    def __init__(self, program: Program, integers: Integers) -> None:
        self._program = program
        self._integers = integers

    def holds(self, name: str) -> bool:
        """Say whether a name means such a container."""
        value = self._value(name)
        if isinstance(value, np.ndarray):
            plain = type(value) is np.ndarray and value.dtype.kind == "f"
        elif type(value) in (list, dict):
            items = value.values() if type(value) is dict else value
            plain = all(isinstance(item, _NUMBERS) for item in items)
        else:
            return False
        return plain and not is_seen_elsewhere(self._program, name)

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
