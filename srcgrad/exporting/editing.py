"""Changes pieces of a text that a syntax tree points at, and leaves all else as it is written."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from srcgrad.parsing import parsed


@dataclass(slots=True)
class Edits:
    """A text, its tree, and the pieces of it that are to be replaced.

    >>> edits = Edits.of("y = beside(x, grad)")
    >>> call = edits.tree.body[0].value
    >>> edits.keep_only(call, call.args[0])
    >>> edits.text()
    'y = x'
    """

    source: bytes
    tree: Any
    _starts: list[int]
    _pieces: list[tuple[int, int, bytes]] = field(default_factory=list)

    @classmethod
    def of(cls, source: str) -> Edits:
        """Return a text that is not changed yet."""
        data = source.encode()
        starts = [0]
        for line in data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return cls(data, parsed(source), starts)

    def start(self, node: Any) -> int:
        """Return where a node begins."""
        return int(self._starts[node.lineno - 1] + node.col_offset)

    def end(self, node: Any) -> int:
        """Return where a node ends."""
        return int(self._starts[node.end_lineno - 1] + node.end_col_offset)

    def line_start(self, number: int) -> int:
        """Return where a line, counted from 1, begins."""
        return self._starts[number - 1]

    def piece(self, node: Any) -> str:
        """Return the text of a node as it was."""
        return self.source[self.start(node) : self.end(node)].decode()

    def replace(self, node: Any, new: str) -> None:
        """Write `new` in the place of a node."""
        self.replace_between(self.start(node), self.end(node), new)

    def replace_between(self, start: int, end: int, new: str) -> None:
        """Write `new` in the place of a range of bytes."""
        if (start, end, new.encode()) not in self._pieces:
            self._pieces.append((start, end, new.encode()))

    def put_after(self, node: Any, new: str) -> None:
        """Write `new` behind a node."""
        self.replace_between(self.end(node), self.end(node), new)

    def keep_only(self, node: Any, part: Any) -> None:
        """Write a part of a node in its place; the part may be edited itself."""
        plain = isinstance(part, (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant))
        self.replace_between(self.start(node), self.start(part), "" if plain else "(")
        self.replace_between(self.end(part), self.end(node), "" if plain else ")")

    def drop_statement(self, node: Any) -> None:
        """Leave out the lines of a statement, its decorators included, and blank lines after it."""
        first = min([node.lineno, *[item.lineno for item in getattr(node, "decorator_list", ())]])
        last = node.end_lineno
        lines = self.source.splitlines()
        while last < len(lines) and not lines[last].strip():
            last += 1
        self.replace_between(self.line_start(first), self._starts[last], "")

    def text(self) -> str:
        """Return the text with all changes; of those inside of another the outer one counts."""
        done, place = [], 0
        for start, end, new in sorted(self._pieces, key=lambda item: (item[0], -item[1])):
            if start >= place:
                done += [self.source[place:start], new]
                place = end
        return b"".join([*done, self.source[place:]]).decode()
