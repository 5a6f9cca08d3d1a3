"""Knows array-api-compat, by which programs ask which library their arrays are of."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

COMPAT: Final = "array_api_compat"
"""The package that tells the library of arrays, of which many packages have a copy."""


def is_of_compat(module: str | None) -> bool:
    """Say whether a module is of array-api-compat, or of the copy that a package has of it.

    >>> is_of_compat("array_api_compat.common"), is_of_compat("numpy"), is_of_compat(None)
    (True, False, False)
    """
    return COMPAT in (module or "").split(".")


def tells_namespace(function: Any) -> bool:
    """Say whether a function is the one of array-api-compat that tells the library of arrays."""
    named = isinstance(function, FunctionType) and function.__name__ == "array_namespace"
    return named and is_of_compat(function.__module__)
