"""Notes which lines of a text were run: what no run takes, nothing is known of."""

from __future__ import annotations

import contextlib
import opcode
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, Final

_JUMPS: Final = frozenset((*opcode.hasjrel, *opcode.hasjabs))


class Reached:
    """The lines of a text that were not run yet, of the functions that were entered.

    A function without a jump is run as a whole, so that nothing need be noted of it.
    """

    def __init__(self, text: CodeType) -> None:
        self._lines: dict[int, tuple[CodeType, set[int]]] = {}  # by identity: quicker than by value
        self._left: dict[int, set[int]] = {}
        waiting = [text]
        while waiting:
            code = waiting.pop()
            waiting.extend(item for item in code.co_consts if isinstance(item, CodeType))
            if code is not text and not _JUMPS.isdisjoint(code.co_code[::2]):
                self._lines[id(code)] = code, _lines_of(code)

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        """Note what is run inside of the block."""
        if self.is_all:
            yield
            return
        former = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(former)

    @property
    def is_all(self) -> bool:
        """Whether all functions were entered and all of their lines were run."""
        return len(self._left) == len(self._lines) and not any(self._left.values())

    @property
    def missed(self) -> list[int]:
        """The lines that were not run, of functions that were."""
        return sorted({line for lines in self._left.values() for line in lines})

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        del event, arg
        known = self._lines.get(id(frame.f_code))
        if known is None:
            return None
        left = self._left.setdefault(id(frame.f_code), known[1])
        return _taking(left) if left else None


def _taking(left: set[int]) -> Any:
    discard = left.discard

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        del arg
        if event == "line":
            discard(frame.f_lineno)
        return trace

    return trace


def _lines_of(code: CodeType) -> set[int]:
    """Return the lines of a function's statements."""
    lines = {line for _, _, line in code.co_lines() if line is not None}
    return lines - {code.co_firstlineno}
