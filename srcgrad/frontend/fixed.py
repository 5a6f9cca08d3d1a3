"""Says what nothing can be written into."""

from __future__ import annotations

import re
from types import FunctionType
from typing import Any, Final

import numpy as np

_FIXED: Final = (int, float, complex, str, bytes, range, np.generic, np.dtype, slice, re.Pattern)


def never_changes(value: Any) -> bool:
    """Say whether nothing can be written into a value: a number, a text, or a tuple of such."""
    if isinstance(value, (tuple, frozenset)):
        return type(value) in (tuple, frozenset) and all(map(never_changes, value))
    return value is None or value is Ellipsis or isinstance(value, _FIXED)


def keeps_nothing(function: FunctionType) -> bool:
    """Say whether a function has no defaults that could be written into."""
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return all(callable(item) or never_changes(item) for item in defaults)
