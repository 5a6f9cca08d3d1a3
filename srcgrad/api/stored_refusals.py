"""Keeps refusals for the processes that come after this one, which are not to compile in vain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from srcgrad import errors
from srcgrad.api import fingerprints
from srcgrad.api.stored_texts import Record
from srcgrad.errors import Diagnostic, UnsupportedError
from srcgrad.spans import Placed, Span

_KINDS: Final = ("UnsupportedError", "UnsupportedSyntaxError", "MutationError", "MissingRuleError")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a function was refused, and of what program.

    Attributes:
        program: What tells the code that it reaches apart.
        kind: The name of the error.
        diagnostics: What the error says.
        after: What the error says that it was raised from.
    """

    program: str
    kind: str
    diagnostics: tuple[Diagnostic, ...]
    after: tuple[Diagnostic, ...]

    def is_of(self, program: Sequence[Any]) -> bool:
        """Say whether it is the refusal of a program."""
        return self.program == fingerprints.of_program(program)

    def error(self) -> UnsupportedError:
        """Return the refusal as an error."""
        made: UnsupportedError = getattr(errors, self.kind)(diagnostics=self.diagnostics)
        if self.after:
            made.__cause__ = UnsupportedError(diagnostics=self.after)
        return made


def read(record: Record | None) -> Refusal | None:
    """Return the refusal that another process has kept, or None."""
    found = None if record is None else record.read(Refusal)
    return found if found is not None and found.kind in _KINDS else None


def write(record: Record | None, program: Sequence[Any], refusal: UnsupportedError) -> None:
    """Let other processes know why a program was refused, if that is said by its text alone."""
    kind = type(refusal).__name__
    if record is None or kind not in _KINDS:
        return
    after = getattr(refusal.__cause__, "diagnostics", ())
    said = [tuple(map(_without_trees, items)) for items in (refusal.diagnostics, after)]
    record.write(lambda: Refusal(fingerprints.of_program(program), kind, *said))


def _without_trees(item: Diagnostic) -> Diagnostic:
    """Return a diagnostic whose sentence tells of places in files, or of none."""
    message = item.message
    if isinstance(message, Placed) and not isinstance(message.place, Span):
        return replace(item, message=str(message))
    return item
