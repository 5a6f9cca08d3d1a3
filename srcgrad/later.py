"""Imports modules when something of them is first asked for.

What explains, exports or compiles is a large part of the package, and most calls have no use for
it.
"""

from __future__ import annotations

import importlib
from typing import Any


class later:
    """A module that is not imported yet.

    >>> fractions = later("fractions")
    >>> fractions.Fraction(1, 2)
    Fraction(1, 2)
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)
