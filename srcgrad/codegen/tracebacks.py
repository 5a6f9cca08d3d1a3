"""Leads an error in generated code back to the line that the user wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

#: The global of a generated module that holds its line map.
LINES: Final = "__srcgrad_lines__"
_OPENING: Final = "while differentiating "


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the user's source."""

    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text.strip()}".rstrip(": ")


@dataclass(frozen=True, slots=True)
class LineMap:
    """Which user line each line of a generated module comes from; both count from 1."""

    entries: Mapping[int, UserLine] = field(default_factory=dict)

    @classmethod
    def of(
        cls, numbers: Sequence[int], file: str, source: Sequence[str] = (), first: int = 1
    ) -> LineMap:
        """Make the map of a module whose statements all come from one file.

        Args:
            numbers: For each generated line the user's line number, 0 for none (`Printed.lines`).
            file: The user's file.
            source: Its lines, or those of the function alone.
            first: The number of the first line of `source`.

        >>> print(LineMap.of([0, 7], "model.py", ["y = x * x"], first=7).at(2))
        model.py:7: y = x * x
        """
        entries = {}
        for index, number in enumerate(numbers):
            if number:
                inside = 0 <= number - first < len(source)
                text = source[number - first] if inside else ""
                entries[index + 1] = UserLine(file, number, text)
        return cls(entries)

    def at(self, line: int) -> UserLine | None:
        """Return the user's line behind a generated line, if there is one.

        Of a derivative of a derivative it is the line behind that of the inner one.
        """
        found = self.entries.get(line)
        inner = _MAPS.get(found.file) if found is not None else None
        if found is None or inner is None or inner is self:
            return found
        return inner.at(found.line) or found


_MAPS: Final[dict[str, LineMap]] = {}
"""The line maps of generated modules, by their files."""


def is_generated(file: str) -> bool:
    """Say whether a file holds a generated module whose lines come from another file."""
    return file in _MAPS


def remember(file: str, lines: LineMap) -> None:
    """Note where the lines of a generated module come from, for derivatives of it."""
    _MAPS[file] = lines


def user_line(error: BaseException) -> UserLine | None:
    """Return the user's line behind the innermost generated frame of an error, if there is one."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        lines = trace.tb_frame.f_globals.get(LINES)
        if lines is not None:
            found = lines.at(trace.tb_lineno) or found
        trace = trace.tb_next
    return found


def annotate(error: BaseException) -> None:
    """Add a note with the user's line to an error that passed through generated code, once."""
    if any(str(note).startswith(_OPENING) for note in getattr(error, "__notes__", ())):
        return  # a call inside has said it, nearer to the place
    line = user_line(error)
    if line is not None:
        error.add_note(f"{_OPENING}{line}")
