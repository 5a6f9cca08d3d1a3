"""Lets much be made at once without a look for garbage at every few hundred objects."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakMethod


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage within a block, of whose many objects nearly all go, or all stay.

    >>> with uncollected():
    ...     gc.isenabled()
    False
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def weakly(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return what calls a method of an object that the object may hold, and which does not hold it.

    So neither hangs in a circle: both go when nobody has them any more, with all the trees that
    they hold, and are not left to the search for garbage.

    >>> class Tables:
    ...     def look(self, name):
    ...         return name.upper()
    >>> tables = Tables()
    >>> look = weakly(tables.look)
    >>> look("a")
    'A'
    """
    found = WeakMethod(method)

    def call(*args: Any) -> Any:
        return found()(*args)  # type: ignore[misc]

    return call
