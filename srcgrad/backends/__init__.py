"""Answers which array library owns a value, without importing one that the user did not.

A library is a record (`Library`), and `LIBRARIES` has all of them; whatever asks what an array is,
asks here.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.backends.library import CUPY, DASK, NUMPY, Library

__all__ = [
    "ARRAYS",
    "CUPY",
    "DASK",
    "ELSEWHERE",
    "LIBRARIES",
    "NUMPY",
    "Library",
    "asarray",
    "is_array",
    "is_kind_of_array",
    "is_plain_array",
    "libraries_of",
    "library_named",
    "library_of",
    "namespace",
    "on_host",
    "others_loaded",
]

ELSEWHERE: Final[tuple[Library, ...]] = (CUPY, DASK)
"""The libraries beside NumPy."""
LIBRARIES: Final = (NUMPY, *ELSEWHERE)


class _AnyArray(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return is_array(value)


class _Arrays(metaclass=_AnyArray):
    """The arrays of all libraries, for `isinstance`."""


ARRAYS: Final[Any] = _Arrays
"""The arrays of all libraries, for `isinstance`."""


def others_loaded() -> list[Library]:
    """Return the libraries beside NumPy that the program has imported."""
    return [item for item in ELSEWHERE if item.loaded() is not None]


def library_of(value: Any) -> Library | None:
    """Return the library that owns a value; None if it is no array.

    >>> library_of(np.ones(2)).title, library_of(2.0)
    ('NumPy', None)
    """
    if isinstance(value, np.ndarray):
        return NUMPY
    return next((item for item in ELSEWHERE if item.owns(value)), None)


def libraries_of(values: Iterable[Any]) -> list[Library]:
    """Return the libraries of the arrays among some values, each once."""
    found: dict[str, Library] = {}
    for value in values:
        library = library_of(value)
        if library is not None:
            found.setdefault(library.name, library)
    return [*found.values()]


def library_named(name: object) -> Library | None:
    """Return the library that ``backend=`` calls by a name, if there is one."""
    return next((item for item in LIBRARIES if item.name == name), None)


def namespace(*values: Any) -> ModuleType:
    """Return the module with NumPy's functions for `values`: that of the first array elsewhere."""
    for library in others_loaded():
        if any(map(library.owns, values)):
            module = library.loaded()
            assert module is not None
            return module
    return np


def is_array(value: Any) -> bool:
    """Return whether `value` is an array of a library that is known here."""
    return isinstance(value, np.ndarray) or any(item.owns(value) for item in ELSEWHERE)


def is_kind_of_array(kind: type) -> bool:
    """Return whether a type is that of the arrays of a library that is known here."""
    return issubclass(kind, np.ndarray) or any(item.makes(kind) for item in ELSEWHERE)


def is_plain_array(value: Any) -> bool:
    """Return whether `value` is an array, and of NumPy's no subclass, which may behave otherwise.

    >>> is_plain_array(np.ones(2)), is_plain_array(np.ma.ones(2))
    (True, False)
    """
    return type(value) is np.ndarray or any(item.owns(value) for item in ELSEWHERE)


def asarray(value: Any, like: Any = None) -> Any:
    """Return `value` as an array of the library that owns `like`."""
    return value if is_array(value) else namespace(like).asarray(value)


def on_host(value: Any) -> Any:
    """Return an array of any library as one of NumPy, and any other value as it is.

    >>> on_host(np.ones(2)), on_host("a")
    (array([1., 1.]), 'a')
    """
    library = library_of(value)
    return value if library is None or library is NUMPY else library.on_host(value)
