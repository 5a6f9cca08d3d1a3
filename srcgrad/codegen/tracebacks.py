"""Leads an error in generated code back to the line that the user wrote."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import TracebackType
from typing import Final
from weakref import WeakValueDictionary

from srcgrad.errors import SrcgradError
from srcgrad.spans import printable

#: The global of a generated module that holds its line map.
LINES: Final = "__srcgrad_lines__"
Place = tuple[int, int]
#: The comment at which the backward half of a function begins.
BACKWARD: Final = "# backward"
_OPENING: Final = "while differentiating "


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the user's source; `start` and `end` are those of the expression, if known."""

    file: str
    line: int
    text: str = ""
    start: Place | None = field(default=None, compare=False)
    end: Place | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return printable(f"{self.file}:{self.line}: {self.text.strip()}".rstrip(": "))


@dataclass(frozen=True, slots=True)
class Part:
    """An expression in generated text, and the user's line that it comes from.

    `start` and `end` are lines, counted from 1, with columns, counted in bytes from 0.
    """

    start: Place
    end: Place
    user: UserLine


@dataclass(frozen=True, slots=True, weakref_slot=True)
class LineMap:
    """Which user line each line of a generated module comes from; both count from 1.

    `parts` are expressions of another line than that of the statement they are in, the outer first.
    """

    entries: Mapping[int, UserLine] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()

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

    def maps_behind(self) -> tuple[LineMap, ...]:
        """Return the maps of the generated modules that lines come from."""
        files = {line.file for line in self.entries.values()}
        files.update(part.user.file for part in self.parts)
        return tuple(found for file in sorted(files) if (found := _MAPS.get(file)) is not None)

    def at(self, line: int) -> UserLine | None:
        """Return the user's line behind a generated line, if there is one.

        Of a derivative of a derivative it is the line behind that of the inner one.
        """
        return self.innermost(self.entries.get(line))

    def all_at(self, line: int) -> list[UserLine]:
        """Return the lines that a generated line and the expressions in it come from."""
        own = self.entries.get(line)
        return [own, *(part.user for part in self.parts if part.start[0] == line)] if own else []

    def behind(self, start: Place, end: Place) -> UserLine | None:
        """Return the user's line behind an expression in generated text, given where that stands.

        >>> part = Part((3, 8), (3, 13), UserLine("model.py", 7))
        >>> lines = LineMap({3: UserLine("model.py", 9)}, (part,))
        >>> print(lines.behind((3, 8), (3, 9)), lines.behind((3, 8), (3, 20)))
        model.py:7 model.py:9
        """
        found = self.entries.get(start[0])
        for part in self.parts:
            if part.start <= start and end <= part.end:
                found = part.user
        return self.innermost(found)

    def behind_node(self, node: ast.AST | None) -> UserLine | None:
        """Return the user's line behind a node of the parsed text, if it has a place there."""
        if not isinstance(node, ast.expr) or not hasattr(node, "lineno"):
            return None
        end_line, end_column = node.end_lineno, node.end_col_offset
        if end_line is None or end_column is None:
            return self.at(node.lineno)
        return self.behind((node.lineno, node.col_offset), (end_line, end_column))

    def innermost(self, found: UserLine | None) -> UserLine | None:
        """Return the line behind one that may be of a generated text itself."""
        inner = _MAPS.get(found.file) if found is not None else None
        if found is None or inner is None or inner is self:
            return found
        if found.start is not None and found.end is not None:
            return inner.behind(found.start, found.end) or found
        return inner.at(found.line) or found


_MAPS: Final[WeakValueDictionary[str, LineMap]] = WeakValueDictionary()
"""The line maps of loaded modules, by their files."""


def is_generated(file: str) -> bool:
    """Say whether a file holds a generated module whose lines come from another file."""
    return file in _MAPS


def remember(file: str, lines: LineMap) -> LineMap:
    """Note where the lines of a generated module come from, for derivatives of it.

    It is known for as long as the map lives that is returned.
    """
    known = _MAPS.get(file)
    if known == lines:
        return known
    _MAPS[file] = lines
    return lines


def user_line(error: BaseException) -> UserLine | None:
    """Return the user's line behind the innermost generated frame of an error, if there is one."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        lines = trace.tb_frame.f_globals.get(LINES)
        if lines is not None:
            found = _line_of(trace, lines) or found
        trace = trace.tb_next
    return found


def failed_in_tangent(error: BaseException) -> bool:
    """Say whether an error left a statement of a generated text that binds or returns a tangent."""
    innermost = _innermost(error)
    if innermost is None:
        return False
    code = innermost.tb_frame.f_code
    text = linecache.getlines(code.co_filename, innermost.tb_frame.f_globals)
    line = "".join(text[innermost.tb_lineno - 1 : innermost.tb_lineno])
    return "_dot" in line


def _innermost(error: BaseException) -> TracebackType | None:
    """Return the innermost place in a generated text that an error has left."""
    innermost = None
    trace = error.__traceback__
    while trace is not None:
        innermost = trace if LINES in trace.tb_frame.f_globals else innermost
        trace = trace.tb_next
    return innermost


def failed_going_back(error: BaseException) -> bool:
    """Say whether an error left the backward half of a generated text, not the user's own steps."""
    innermost = _innermost(error)
    if innermost is None:
        return False
    code = innermost.tb_frame.f_code
    if code.co_name.endswith("_backward"):
        return True
    text = linecache.getlines(code.co_filename, innermost.tb_frame.f_globals)
    before = text[code.co_firstlineno : innermost.tb_lineno - 1]
    return any(line.strip() == BACKWARD for line in before)


def _line_of(trace: TracebackType, lines: LineMap) -> UserLine | None:
    """Return the user's line behind the expression that one generated frame was busy with."""
    code = trace.tb_frame.f_code
    place = next(islice(code.co_positions(), trace.tb_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = place
    if line is None or end_line is None or column is None or end_column is None:
        return lines.at(trace.tb_lineno)  # as under `python -X no_debug_ranges`
    return lines.behind((line, column), (end_line, end_column))


def annotate(error: BaseException) -> None:
    """Add a note with the user's line to an error that passed through generated code, once."""
    if isinstance(error, SrcgradError) and any(item.span for item in error.diagnostics):
        return  # it points at a line of the user's itself
    if any(str(note).startswith(_OPENING) for note in getattr(error, "__notes__", ())):
        return  # a call inside has said it, nearer to the place
    line = user_line(error)
    if line is not None:
        error.add_note(f"{_OPENING}{line}")
