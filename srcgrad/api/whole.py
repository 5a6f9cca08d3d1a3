"""Says whether functions are compiled whole, and why what a call has reached is left out of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from srcgrad.errors import LeftOutError, UnsupportedError, reached

_WHOLE: Final[ContextVar[bool]] = ContextVar("srcgrad_whole", default=False)


@contextmanager
def whole() -> Iterator[None]:
    """Let nothing be left out in a block: another form of the text may do without."""
    token = _WHOLE.set(True)
    try:
        yield
    finally:
        _WHOLE.reset(token)


def is_whole() -> bool:
    """Say whether nothing is left out just now."""
    return _WHOLE.get()


def refusal_of(
    error: Exception, left_out: Mapping[str, UnsupportedError]
) -> UnsupportedError | None:
    """Return why the part is refused that a call has reached, if that is what an error says."""
    why = reached(error)
    if why is None:
        return None
    return left_out.get(why, LeftOutError(why)).with_traceback(None)
