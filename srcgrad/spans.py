"""Says where in the user's file a thing is."""

from __future__ import annotations

import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_INSTALLED: Final = frozenset(["site-packages", "dist-packages"])
_NOT_THE_USERS: Final = (
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
    *(str(Path(__file__).parent), "<frozen ", "srcgrad-generated/"),
)


def is_of_library(file: str) -> bool:
    """Say whether a file is of an installed package, of Python, or of this package."""
    return file.startswith(_NOT_THE_USERS) or not _INSTALLED.isdisjoint(Path(file).parts)


def printable(text: str) -> str:
    r"""Return a text that a terminal shows and does not obey, of the same length.

    >>> printable("x = 1  # \x1b[31mred") == "x = 1  # \N{REPLACEMENT CHARACTER}[31mred"
    True
    """
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def letters(line: str, size: int) -> int:
    """Return how many letters at the beginning of a line take so many bytes, as Python counts them.

    >>> letters("größe = x", 7), letters("size = x", 7)
    (5, 7)
    """
    return len(line.encode(errors="replace")[:size].decode(errors="replace"))


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the user's source text, for messages with a caret.

    Lines count from 1 and columns from 0, in letters, where `ast` counts bytes. `text` is
    the source line itself, kept here because the file may change or (in a notebook) not exist.
    """

    file: str
    line: int
    column: int = 0
    end_column: int | None = None
    text: str = ""

    def __str__(self) -> str:
        return printable(f"{self.file}:{self.line}:{self.column + 1}").replace("\n", " ")

    def snippet(self) -> str:
        """Return the source line with carets under the stretch, or an empty string.

        >>> print(Span("model.py", 7, 4, 9, "    del x").snippet())
        7 |     del x
          |     ^^^^^
        """
        if not self.text:
            return ""
        gutter = str(self.line)
        text = printable(self.text.rstrip().expandtabs(1))
        end = self.end_column if self.end_column is not None else len(text)
        width = max(1, min(end, len(text)) - self.column)
        return f"{gutter} | {text}\n{' ' * len(gutter)} | {' ' * self.column}{'^' * width}"


class Placed(str):
    """A sentence that tells of another place than its own: the one to look at for a way out.

    Attributes:
        place: That place, or the node of the tree that stands there, which has it yet to be found.
    """

    __slots__ = ("place",)
    place: Any

    @classmethod
    def at(cls, sentence: str, place: Any) -> Placed:
        """Return a sentence that tells of a place."""
        made = cls(sentence)
        made.place = place
        return made

    @classmethod
    def like(cls, sentence: str, told: str, place: Span | None = None) -> Placed:
        """Return a sentence with the place that another one tells of, or with this one."""
        return cls.at(sentence, getattr(told, "place", None) or place)


def within(span: Span) -> str:
    """Return what a message at the user's line says of the place in a library."""
    return f"inside, in a library: {span}"
