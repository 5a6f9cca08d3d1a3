"""Knows the functions by which programs ask which library their arrays are of.

The array API standard gives arrays a method that says so, and array-api-compat, of which many
packages have a copy, a function that asks it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.backends.compat import tells_namespace

METHOD: Final = "__array_namespace__"
"""The method of the standard."""


def namespace_of(x: Any, **options: Any) -> ModuleType:
    """Return the library of an array: it stands for the method."""
    library: ModuleType = np.asarray(x).__array_namespace__(**options)
    return library


def gives_namespace(function: Any) -> bool:
    """Say whether a function tells the library of the arrays that it is given.

    >>> gives_namespace(namespace_of), gives_namespace(np.sum)
    (True, False)
    """
    return function is namespace_of or tells_namespace(function)
