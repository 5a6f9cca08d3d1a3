"""Says of which classes an object may be that the run keeps as a dict of its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Several:
    """The kind of an object that is of one class or another."""

    classes: tuple[type, ...]


def classes_of(kind: Any) -> tuple[type, ...]:
    """Return the classes that an object may be of; none of what is no object."""
    if isinstance(kind, Several):
        return kind.classes
    return (kind,) if isinstance(kind, type) else ()
