"""Lets much be made at once without a look for garbage at every few hundred objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
