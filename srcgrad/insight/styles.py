"""Writes text for a terminal: colours where they are seen, and columns that line up."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_CODES: Final = {"title": "1", "heading": "1;36", "name": "33", "line": "2", "bad": "31"}


def is_terminal() -> bool:
    """Say whether the output is a terminal that wants colours."""
    return "NO_COLOR" not in os.environ and bool(getattr(sys.stdout, "isatty", bool)())


@dataclass(frozen=True, slots=True)
class Style:
    """How the parts of a text look."""

    colour: bool = False

    def of(self, kind: str, text: str) -> str:
        r"""Return a text in the colour of its kind.

        >>> Style(colour=True).of("name", "x")
        '\x1b[33mx\x1b[0m'
        """
        return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if self.colour and text else text


def columns(rows: Sequence[Sequence[str]], kinds: Sequence[str], style: Style) -> list[str]:
    """Return rows as lines whose columns line up; the last column is free.

    >>> columns([("a", "L1", "x = 1"), ("long", "L20", "y")], ("name", "line", ""), Style())
    ['a     L1   x = 1', 'long  L20  y']
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(kinds))] if rows else []
    lines = []
    for row in rows:
        cells = []
        for cell, width, kind in zip(row, widths, kinds, strict=True):
            padded = cell.ljust(width)
            cells.append(style.of(kind, padded) if kind else padded)
        lines.append("  ".join(cell for cell, w in zip(cells, widths, strict=True) if w).rstrip())
    return lines


def size(count: int) -> str:
    """Return a number of bytes as people read it.

    >>> size(800), size(12_345), size(3_200_000)
    ('800 bytes', '12.3 kB', '3.2 MB')
    """
    if count < 10_000:
        return f"{count:,} bytes"
    power = min((len(str(count)) - 1) // 3, 4)
    return f"{count / 1000**power:.1f} {('kB', 'MB', 'GB', 'TB')[power - 1]}"
