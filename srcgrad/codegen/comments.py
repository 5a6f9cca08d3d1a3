"""Puts the user's line over the adjoint statements that come from it."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.lines import other_lines
from srcgrad.ir.marks import IS_PRIMAL
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.walk import blocks_of
from srcgrad.spans import printable

_WIDEST: Final = 88


def comment_lines(block: list[Any], lines: Sequence[str]) -> None:
    """Insert a comment before each run of statements that come from one line of the user.

    `lines` is the user's file. Primal statements speak for themselves. A statement that comes from
    several lines shows those that have not been shown before, too.
    """
    _Commenting(lines).run(block, 0)


class _Commenting:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._last = 0
        self._seen: set[int] = set()

    def run(self, block: list[Any], depth: int) -> None:
        """Insert the comments of a block that has `depth` blocks around it."""
        position = 0
        while position < len(block):
            statement = block[position]
            for comment in self._comments(statement, depth):
                block.insert(position, comment)
                position += 1
            self._run_inside(statement, depth + 1)
            position += 1

    def _run_inside(self, statement: Any, depth: int) -> None:
        """Insert the comments of a statement's blocks; those of an `elif` go into its branch."""
        for part in blocks_of(statement):
            if part is getattr(statement, "orelse", None) and _is_elif(statement, part):
                comments = list(self._comments(part[0], depth))
                self._run_inside(part[0], depth)
                part[0].body[:0] = comments
            else:
                self.run(part, depth)

    def _comments(self, statement: Any, depth: int) -> Iterator[Comment]:
        """Yield the lines that a statement comes from, later ones first: it goes backwards."""
        own = getattr(statement, "lineno", 0) or 0
        primal = IS_PRIMAL.of(statement)
        if not own or primal or isinstance(statement, (Comment, Blank)):
            return
        is_block = any(True for _ in blocks_of(statement))
        ends = {**dict(other_lines(statement)), own: getattr(statement, "end_lineno", own) or own}
        others = sorted(ends.keys() - {own, *self._seen}, reverse=True)
        for number in [*others, *([own] if own != self._last else [])]:
            self._seen.add(number)
            text = self._text(number, max(number, ends[number]), depth, is_block=is_block)
            yield Comment(f"L{number}: {printable(text)}")
        self._last = own

    def _text(self, first: int, last: int, depth: int, *, is_block: bool) -> str:
        lines = self._lines
        opens = lines[first - 1].rstrip().endswith(":") if 0 < first <= len(lines) else False
        text = _joined(lines[first - 1 : first if is_block or opens else last])
        widest = _WIDEST - 4 * depth
        return text if len(text) <= widest else text[: widest - 3].rstrip() + "..."


def _is_elif(statement: Any, block: list[Any]) -> bool:
    """Say whether what an `if` does otherwise is nothing but another `if`."""
    return isinstance(statement, gast.If) and len(block) == 1 and isinstance(block[0], gast.If)


def _joined(lines: Sequence[str]) -> str:
    """Return a statement of several lines on one, without the comments between them.

    >>> _joined(["y = np.sum(", "    x,  # all of it", "    axis=0", ")"])
    'y = np.sum(x, axis=0)'
    """
    if len(lines) == 1:
        return lines[0].strip()
    kept = list(lines)
    tokens = tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__)
    with suppress(tokenize.TokenError, IndentationError):
        for token in tokens:
            if token.type == tokenize.COMMENT:
                row, column = token.start
                kept[row - 1] = kept[row - 1][:column]
    text = ""
    for part in [line.strip() for line in kept if line.strip()]:
        if part[0] in ")]}":
            text = text.removesuffix(",") + part
        else:
            text += part if not text or text[-1] in "([{" else f" {part}"
    return text
