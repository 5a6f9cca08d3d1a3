"""Says where in the user's file a thing is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the user's source text, for messages with a caret.

    Lines count from 1 and columns from 0, as in `ast`. `text` is the source line itself, kept here
    because the file may change or (in a notebook) not exist.
    """

    file: str
    line: int
    column: int = 0
    end_column: int | None = None
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    def snippet(self) -> str:
        """Return the source line with carets under the stretch, or an empty string.

        >>> print(Span("model.py", 7, 4, 9, "    del x").snippet())
        7 |     del x
          |     ^^^^^
        """
        if not self.text:
            return ""
        gutter = str(self.line)
        text = self.text.rstrip().expandtabs(1)
        end = self.end_column if self.end_column is not None else len(text)
        width = max(1, min(end, len(text)) - self.column)
        return f"{gutter} | {text}\n{' ' * len(gutter)} | {' ' * self.column}{'^' * width}"
