"""Answers which array library owns a value, without importing one that the user did not."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np


def cupy() -> ModuleType | None:
    """Return CuPy if the program has imported it: an array of it exists only then."""
    return sys.modules.get("cupy")


def namespace(*values: Any) -> ModuleType:
    """Return the array library of `values`: CuPy if one of them is a CuPy array, else NumPy."""
    module = cupy()
    if module is not None and any(isinstance(value, module.ndarray) for value in values):
        return module
    return np


def is_array(value: Any) -> bool:
    """Return whether `value` is an array of a library that is known here."""
    if isinstance(value, np.ndarray):
        return True
    module = cupy()
    return module is not None and isinstance(value, module.ndarray)


def asarray(value: Any, like: Any = None) -> Any:
    """Return `value` as an array of the library that owns `like`."""
    return value if is_array(value) else namespace(like).asarray(value)
