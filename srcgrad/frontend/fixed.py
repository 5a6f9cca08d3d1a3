"""Says what nothing can be written into."""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.ir.scopes import Scope

_FIXED: Final = (int, float, complex, str, bytes, range, np.generic, np.dtype, slice, re.Pattern)
_MOST_LOOKED_AT: Final = 1000


def never_changes(value: Any) -> bool:
    """Say whether nothing can be written into a value: a number, a text, or a tuple of such."""
    if isinstance(value, (tuple, frozenset)):
        return type(value) in (tuple, frozenset) and all(map(never_changes, value))
    return value is None or value is Ellipsis or isinstance(value, _FIXED)


def holds_numbers(scope: Scope, name: str) -> bool:
    """Say whether a name of outside means a list or dict of numbers and texts alone.

    Into these nothing can be written, though into the list, as far as it is seen now.
    """
    held = scope.lookup(name)  # MISSING for local names
    entries = held.values() if type(held) is dict else held if type(held) is list else ()
    return 0 < len(entries) <= _MOST_LOOKED_AT and all(map(never_changes, entries))


def keeps_nothing(function: FunctionType) -> bool:
    """Say whether a function has no defaults that could be written into."""
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return all(callable(item) or never_changes(item) for item in defaults)
