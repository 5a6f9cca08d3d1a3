"""Puts the user's line over the adjoint statements that come from it."""

from __future__ import annotations

import tokenize
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.walk import blocks_of

_WIDEST: Final = 88


def comment_lines(block: list[Any], lines: Sequence[str], last: int = 0, depth: int = 0) -> int:
    """Insert a comment before each run of statements that come from one line of the user.

    `lines` is the user's file, `depth` how many blocks lie around. Primal statements among them
    speak for themselves. Return the line of the last statement.
    """
    position = 0
    while position < len(block):
        statement = block[position]
        number = getattr(statement, "lineno", 0) or 0
        number = 0 if getattr(statement, "is_primal", False) else number
        if number and number != last and not isinstance(statement, (Comment, Blank)):
            block.insert(position, Comment(f"L{number}: {_text(statement, lines, depth)}"))
            position += 1
            last = number
        for part in blocks_of(statement):
            last = comment_lines(part, lines, last, depth + 1)
        position += 1
    return last


def _text(statement: Any, lines: Sequence[str], depth: int) -> str:
    first = statement.lineno
    last = max(first, getattr(statement, "end_lineno", first) or first)
    is_block = any(True for _ in blocks_of(statement))
    opens = lines[first - 1].rstrip().endswith(":") if 0 < first <= len(lines) else False
    chosen = lines[first - 1 : first if is_block or opens else last]
    text = _joined(chosen)
    widest = _WIDEST - 4 * depth
    return text if len(text) <= widest else text[: widest - 3].rstrip() + "..."


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
