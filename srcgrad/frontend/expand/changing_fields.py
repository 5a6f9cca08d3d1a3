"""Says what comes to light of the fields of objects while a function is rewritten.

It is noted then, and the function is rewritten once more.
"""

from __future__ import annotations

from typing import Any


class ChangingFieldError(Exception):
    """A field of an object is bound anew on some path or trip, which was taken for what it is told.

    Attributes:
        field: The class of the object, and the name.
    """

    def __init__(self, cls: type, name: str) -> None:
        super().__init__(name)
        self.field = cls, name

    def note(self, session: Any) -> None:
        """Let the session know of the field."""
        session.changing.add(self.field)


class GrowingFieldError(ChangingFieldError):
    """Functions are put into a list that a field of an object holds, which began empty."""

    def note(self, session: Any) -> None:
        """Let the session know of the field."""
        session.growing.add(self.field)
