"""Keeps what two compilations for one call have in common: the expansion of its functions.

A call may compile a function more than once: for the shapes of its arguments, for their kinds, for
any arguments, and without the parts that are refused. What the function and its helpers are is the
same for all, so they are expanded once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from srcgrad.compiler.generated import Request
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.remembered import Memory, nothing_changes
from srcgrad.garbage import uncollected

if TYPE_CHECKING:
    from srcgrad.frontend.expand.entry import Expander

_Key = tuple[Any, ...]


class OneProgram:
    """What is known of the program that a call compiles."""

    def __init__(self) -> None:
        self.hands_back = False
        self.expanders: dict[_Key, Expander] = {}
        self.memory = Memory()


_CURRENT: Final[ContextVar[OneProgram | None]] = ContextVar("srcgrad_one_program", default=None)


@contextmanager
def one_program(program: OneProgram | None = None) -> Iterator[None]:
    """Let what compilations have in common be found once in a block, in which no name changes.

    A `program` that was refused in a block before, and has not run since, is known by then.
    """
    program = program or OneProgram()
    token = _CURRENT.set(program)
    try:
        with nothing_changes(program.memory), uncollected():
            yield
    finally:
        _CURRENT.reset(token)


@contextmanager
def one_compilation() -> Iterator[None]:
    """Forget what is in common where a compilation stops half-way through an expansion.

    That is where it meets the limit on recursion, after which it starts again with more room.
    """
    if _CURRENT.get() is None:
        with one_program():
            yield
        return
    try:
        yield
    except UnsupportedError:
        raise
    except BaseException:
        program = _CURRENT.get()
        if program is not None:
            program.expanders.clear()
        raise


def expander_for(request: Request, make: Callable[[], Expander]) -> Expander:
    """Return what expands the functions of a request: that of the compilation before, if any."""
    program = _CURRENT.get()
    if program is None:
        return make()
    key = _key(request)
    if key not in program.expanders:
        program.expanders[key] = make()
    return program.expanders[key]


def note_handing_back() -> None:
    """Note that the program calls functions that may hand back their arguments."""
    program = _CURRENT.get()
    if program is not None:
        program.hands_back = True


def hands_back() -> bool:
    """Say whether that was noted."""
    program = _CURRENT.get()
    return program is not None and program.hands_back


def meets_entries(request: Request) -> bool:
    """Say whether a function, as it was expanded, writes entries of dicts or lists."""
    program = _CURRENT.get()
    known = {} if program is None else program.expanders
    found = (item for key, item in known.items() if key[0] is request.function)
    return any(item.session.holding.meets_entries for item in found)


def _key(request: Request) -> _Key:
    """Return what an expansion depends on: of the shapes of arguments it knows nothing.

    Nor does it know which of them are arrays.
    """
    given = tuple((name, id(value)) for name, value in request.given.items())
    flags = (request.value, request.aux, request.keep_complex, request.plain, request.stacks)
    return request.function, request.wrt, given, *flags, request.holds, request.by_entries
