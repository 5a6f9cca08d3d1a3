"""Says which package a function or a class is of."""

from __future__ import annotations

import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from srcgrad.runtime.wrappers import LIBRARIES, module_of

_LIBRARY: Final = sysconfig.get_path("stdlib")


def package_of(value: Any) -> str:
    """Return the package that a value says it is of, an empty string if it does not say.

    >>> from collections import abc
    >>> package_of(abc.Mapping), package_of(3)
    ('collections', '')
    """
    return module_of(value).partition(".")[0]


def is_of_python(function: FunctionType) -> bool:
    """Say whether a function is of the standard library, not of a module with such a name.

    >>> import copy
    >>> is_of_python(copy.copy), is_of_python(is_of_python)
    (True, False)
    """
    known = package_of(function) in sys.stdlib_module_names
    return known and _is_in_library(function.__code__.co_filename)


def is_library_name(module: str) -> bool:
    """Say whether a module is one of Python's, of NumPy or its like, by its name.

    >>> is_library_name("numpy.linalg"), is_library_name("math"), is_library_name("settings")
    (True, True, False)
    """
    return module.partition(".")[0] in LIBRARIES


@lru_cache(maxsize=4096)
def _is_in_library(file: str) -> bool:
    if file.startswith("<frozen "):  # os, and what imports: they are part of the interpreter
        return True
    path = Path(file)
    return path.is_relative_to(_LIBRARY) and "site-packages" not in path.parts


def is_generated(module: str | None) -> bool:
    """Say whether a module, by its name, is one of derivatives that were generated.

    >>> is_generated("srcgrad._generated.f_grad_0"), is_generated("srcgrad.api"), is_generated(None)
    (True, False, False)
    """
    return (module or "").startswith("srcgrad._generated.")
