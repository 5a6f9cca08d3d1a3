"""Says which module a function is of, which may wrap one of a library and say what that says."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, Final

from srcgrad.runtime.objects import held_attribute

LIBRARIES: Final = (sys.stdlib_module_names - {"__main__"}) | {
    *("numpy", "scipy", "cupy", "srcgrad", "builtins")
}
"""The packages of Python, of NumPy and its like."""


def module_of(value: Any) -> str:
    r"""Return the module that a value says it is of, an empty string if it does not say.

    `functools.wraps` writes the module of what is wrapped into a wrapper. One of the user's is none
    of the library's functions, whatever it says.

    >>> import functools
    >>> import numpy as np
    >>> outside = {"wraps": functools.wraps, "sum": np.sum, "__name__": "model"}
    >>> exec("@wraps(sum)\ndef total(x):\n    return x", outside)
    >>> outside["total"].__module__, module_of(np.sum), module_of(outside["total"])
    ('numpy', 'numpy', 'model')
    """
    said = held_attribute(value, "__module__")
    if not isinstance(said, str):
        return ""
    if not isinstance(value, FunctionType) or not hasattr(value, "__wrapped__"):
        return said
    home = value.__globals__.get("__name__")
    if not isinstance(home, str) or not _is_of_library(said) or _is_of_library(home):
        return said
    return home


def _is_of_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES
