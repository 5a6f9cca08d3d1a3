"""Keeps what two compilations for one call have in common: the expansion of its functions.

The first call of a function may compile it twice: for arguments of any shapes, and, where that
makes the text plainer, for those of the call. What the function and its helpers are is the same for
both, so they are expanded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from srcgrad.compiler.generated import Request
from srcgrad.frontend.expand.entry import Expander
from srcgrad.frontend.remembered import nothing_changes
from srcgrad.ir.garbage import uncollected

_Key = tuple[Any, ...]


class _OneProgram:
    """What is known of the program that a call compiles."""

    def __init__(self) -> None:
        self.expanders: dict[_Key, Expander] = {}


_CURRENT: Final[ContextVar[_OneProgram | None]] = ContextVar("srcgrad_one_program", default=None)


@contextmanager
def one_program() -> Iterator[None]:
    """Let what compilations have in common be found once in a block, in which no name changes."""
    token = _CURRENT.set(_OneProgram())
    try:
        with nothing_changes(), uncollected():
            yield
    finally:
        _CURRENT.reset(token)


def expander_for(request: Request, make: Callable[[], Expander]) -> Expander:
    """Return what expands the functions of a request: that of the compilation before, if any."""
    program = _CURRENT.get()
    if program is None:
        return make()
    key = _key(request)
    if key not in program.expanders:
        program.expanders[key] = make()
    return program.expanders[key]


def _key(request: Request) -> _Key:
    """Return what an expansion depends on: of the shapes of arguments it knows nothing."""
    given = tuple((name, id(value)) for name, value in request.given.items())
    flags = (request.value, request.aux, request.keep_complex, request.plain, request.stacks)
    return request.function, request.wrt, request.arrays, given, *flags
