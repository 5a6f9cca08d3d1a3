"""Says which package a function or a class is of."""

from __future__ import annotations

from typing import Any


def package_of(value: Any) -> str:
    """Return the package that a value says it is of, an empty string if it does not say.

    >>> from collections import abc
    >>> package_of(abc.Mapping), package_of(3)
    ('collections', '')
    """
    module = getattr(value, "__module__", None)
    return module.partition(".")[0] if isinstance(module, str) else ""
