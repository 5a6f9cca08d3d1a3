"""Notes which lines of a text were run: of what no run takes, nothing is known.

A run that is not compared tells nothing of the lines it takes, but for where both raise: of that.

The text is compiled with a mark at the start of each row of statements that are run one after the
other: so a run costs little more. Python's own tracing would make runs twice as slow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Final

from srcgrad.checker.runs import MOST_TRIPS, NotCovered

MARK: Final = "__ran"
_STRINGS: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_BRACKETS: Final = re.compile(r"[][(){}]")
_LEFT_OUT: Final = "raise LeftOutError("
_CLAUSE: Final = re.compile(r"(elif|else|except|finally|case)\b")
_BRANCHES: Final = re.compile(r"^ +(if|for|while|try|with|match)\b", re.MULTILINE)


class Reached:
    """The marks of one text that were run.

    Attributes:
        code: The text as it is to be run, with `note` by the name of `MARK`.
    """

    def __init__(self, text: str, code: CodeType | None) -> None:
        found = _marked(text) if _BRANCHES.search(text) else None
        self._rows: tuple[Row, ...] = ()
        self._seen: set[int] = set()
        self._now: list[int] = []
        if found is None:
            self.code = code or compile(text, "<derivative>", "exec")
        else:
            self.code, self._rows = found
        self._left_out = _rows_left_out(text, self._rows)

    def note(self, row: int) -> None:
        """Note a row of statements that is about to be run.

        Raises:
            NotCovered: So many were that the run may have no end.
        """
        self._now.append(row)
        if len(self._now) > MOST_TRIPS:
            raise NotCovered("the run has no end")

    def begin(self) -> None:
        """Forget what the run before took, unless that was kept."""
        self._now.clear()

    def keep(self, *, alone: bool = False) -> None:
        """Count what the run has taken; `alone` the row that it came to last."""
        self._seen.update(self._now[-1:] if alone else self._now)

    @property
    def has_rows(self) -> bool:
        """Whether the text has branches, or loops."""
        return bool(self._rows)

    @property
    def missed(self) -> list[int]:
        """The lines that were not run, of functions that were, but for those that only raise."""
        seen = self._seen
        entered = {row.function for place, row in enumerate(self._rows) if place in seen}
        return [
            line
            for place, row in enumerate(self._rows)
            if not (place in seen or place in self._left_out) and row.function in entered
            for line in row.lines
        ]


@dataclass(frozen=True, slots=True)
class Row:
    """Statements that are run one after the other: the lines of them, and of which function."""

    function: int
    lines: list[int]


def _rows_left_out(text: str, rows: tuple[Row, ...]) -> set[int]:
    """Return the rows that stand in the place of parts that are left out: they say nothing else."""
    if _LEFT_OUT not in text:
        return set()
    lines = text.split("\n")
    return {
        place
        for place, row in enumerate(rows)
        if row.lines and lines[row.lines[0] - 1].lstrip().startswith(_LEFT_OUT)
    }


@lru_cache(maxsize=16)
def _marked(text: str) -> tuple[CodeType, tuple[Row, ...]] | None:
    """Return a text compiled with marks, and what they stand for; None if that cannot be done."""
    marker = _Marker()
    for number, line in enumerate(text.split("\n"), 1):
        marker.add(number, line)
    try:
        code = compile("\n".join(marker.lines), "<derivative>", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return code, tuple(marker.rows)


class _Marker:
    """Puts marks into a text as the compiler prints it, line by line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.rows: list[Row] = []
        self._functions: list[tuple[int, int]] = [(-1, 0)]
        self._headers: list[tuple[int, bool]] = []
        self._former = 0
        self._depth = 0
        self._in_text = False

    def add(self, number: int, line: str) -> None:
        """Take the next line of the text."""
        stripped = line.lstrip(" ")
        inside = self._depth > 0 or self._in_text
        if stripped and not (inside or stripped[0] == "#"):
            self._begin(number, stripped, len(line) - len(stripped))
        elif inside and self.rows and not self._in_text:
            self.rows[-1].lines.append(number)
        self._measure(stripped)
        self.lines.append(line)

    def _begin(self, number: int, stripped: str, indent: int) -> None:
        """Put a mark before a statement, if it begins a row."""
        while self._functions[-1][0] >= indent:
            self._functions.pop()
        while self._headers and self._headers[-1][0] >= indent:
            self._headers.pop()
        tried = bool(self._headers) and self._headers[-1][1]
        is_clause = _CLAUSE.match(stripped)
        if indent and not is_clause and (indent != self._former or tried):
            self.lines.append(f"{' ' * indent}{MARK}({len(self.rows)})")
            self.rows.append(Row(self._functions[-1][1], []))
        if indent and not is_clause and not stripped.startswith(('"""', "def ")):
            self.rows[-1].lines.append(number)
        if stripped.startswith("def "):
            self._functions.append((indent, number))
        self._headers.append((indent, stripped.startswith("try:")))
        self._former = indent if not is_clause else -1

    def _measure(self, stripped: str) -> None:
        """Follow brackets and texts that go on in the next line."""
        if self._in_text:
            self._in_text = '"""' not in stripped
        elif self._depth == 0 and stripped.startswith('"""'):
            self._in_text = stripped.count('"""') == 1
        else:
            code = stripped
            if '"' in code or "'" in code or "#" in code:
                code = _STRINGS.sub("", code).partition("#")[0]
            for sign in _BRACKETS.findall(code):
                self._depth += 1 if sign in "([{" else -1
