"""Holds what a text relies on beside names: classes of objects, methods, lists of functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.frontend.expand.values import Root


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that was found when a function was compiled, and that the text relies on."""

    read: Root
    expected: Any

    def holds(self, arguments: Mapping[str, Any]) -> bool:
        """Say whether it is still so."""
        try:
            found = self.read(arguments)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            return False
        if found is self.expected:
            return True
        plain = isinstance(self.expected, (int, str, tuple)) and not callable(self.expected)
        return plain and type(found) is type(self.expected) and bool(found == self.expected)


@dataclass(frozen=True, slots=True)
class InClasses:
    """Reads what a name means in classes, the first one that has it."""

    bases: tuple[type, ...]
    name: str

    def __call__(self, arguments: Mapping[str, Any]) -> Any:
        """Return what it means now."""
        return next((vars(base)[self.name] for base in self.bases if self.name in vars(base)), None)
