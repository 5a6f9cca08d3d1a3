"""Imports modules when something of them is first asked for.

What explains, exports or compiles is a large part of the package, and most calls have no use for
it.
"""

from __future__ import annotations

import importlib
import os
from threading import RLock
from types import ModuleType
from typing import Any, Final

from srcgrad.garbage import uncollected

_IMPORTING: Final = RLock()

# a child of `fork` would wait forever for what another thread of its parent was importing
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_IMPORTING.acquire,
        after_in_parent=_IMPORTING.release,
        after_in_child=_IMPORTING.release,
    )


def imported(name: str) -> ModuleType:
    """Import a module, which no fork of another thread comes between.

    With all that it imports, that makes tens of thousands of objects, all of which stay.
    """
    with _IMPORTING, uncollected():
        return importlib.import_module(name)


class later:
    """A module that is not imported yet.

    >>> fractions = later("fractions")
    >>> fractions.Fraction(1, 2)
    Fraction(1, 2)
    """

    __slots__ = ("_module", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, name: str) -> Any:
        if self._module is None:
            self._module = imported(self._name)
        return getattr(self._module, name)
