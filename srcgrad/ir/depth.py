"""Gives the compiler room for deep trees: a sum of a thousand terms is a tree as deep.

Python's limit on recursion is meant for programs that never end. A walk of a tree ends, however
deep the tree is, so it is run once more with a higher limit where it met that of the user: on
a thread whose stack is as large as that limit asks for.
"""

from __future__ import annotations

import contextvars
import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, ParamSpec, TypeVar, cast

from srcgrad.errors import UnsupportedError

P = ParamSpec("P")
R = TypeVar("R")

_STACKS: Final = tuple(size << 20 for size in (512, 128, 32))
_BYTES_A_CALL: Final = 4096
_here: Final = threading.local()
_lock: Final = threading.Lock()


class _Raised:
    """The limit on recursion while deep trees are walked, by however many threads."""

    def __init__(self) -> None:
        self._users = 0
        self._before = 0
        self._limit = 0

    @contextmanager
    def to(self, limit: int) -> Iterator[None]:
        """Raise the limit, and put back what it was when nobody needs it any more."""
        with _lock:
            if not self._users:
                self._before = sys.getrecursionlimit()
            self._users += 1
            self._limit = max(limit, sys.getrecursionlimit())
            sys.setrecursionlimit(self._limit)
        try:
            yield
        finally:
            with _lock:
                self._users -= 1
                if not self._users and sys.getrecursionlimit() == self._limit:
                    sys.setrecursionlimit(self._before)


_raised: Final = _Raised()


def deeply(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function with more room if it meets the limit on recursion.

    >>> @deeply
    ... def depth(tree):
    ...     return 1 + depth.__wrapped__(tree[0]) if tree else 0
    >>> tree = []
    >>> for _ in range(5000):
    ...     tree = [tree]
    >>> limit = sys.getrecursionlimit()
    >>> depth(tree), sys.getrecursionlimit() == limit
    (5000, True)
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_here, "inside", False):
            return function(*args, **kwargs)  # the outermost call runs all of it once more
        _here.inside = True
        try:
            return function(*args, **kwargs)
        except RecursionError:
            pass
        finally:
            _here.inside = False
        return _with_room(lambda: function(*args, **kwargs))

    return call


def _with_room(work: Callable[[], R]) -> R:
    """Run a function on a thread with a large stack, in this context; hand on what it raises."""
    context = contextvars.copy_context()
    values: list[R] = []
    errors: list[BaseException] = []

    def run() -> None:
        _here.inside = True
        try:
            values.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised where it was asked for
            errors.append(error)

    for size in _STACKS:
        with _raised.to(size // _BYTES_A_CALL):
            thread = _started(run, size)
            if thread is not None:
                _wait_for(thread)
                break
    for error in errors:
        if not isinstance(error, RecursionError):
            raise error
    if not values:
        raise UnsupportedError("the function is nested too deeply to be compiled")
    return values[0]


def _started(run: Callable[[], None], size: int) -> threading.Thread | None:
    """Start a thread with a stack of `size` bytes; return None where there is no room for it."""
    thread = threading.Thread(target=run, name="srcgrad-deep", daemon=True)
    with _lock:
        try:
            before = threading.stack_size(size)
        except (ValueError, RuntimeError):
            return None
        try:
            thread.start()
        except RuntimeError:
            return None
        finally:
            threading.stack_size(before)
    return thread


def _wait_for(thread: threading.Thread) -> None:
    """Wait for a thread to end, and let it know of what interrupts the wait, as Ctrl-C does."""
    try:
        thread.join()
    except BaseException as error:
        ident = ctypes.c_ulong(cast("int", thread.ident))
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(type(error)))
        thread.join()
        raise
