"""Words for the types of numbers: Python's, which adapt to those beside them, and NumPy's.

`float` is a number of Python, `float64` one of NumPy: beside an entry of a `float32` array the
first gives `float32`, the second `float64`. Numba holds both in 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

PYTHON: Final = ("bool", "int", "float", "complex")
_OF_NUMPY: Final = ("int64", "float32", "float64", "complex64", "complex128")
NUMBERS: Final = frozenset({*PYTHON, *_OF_NUMPY})
INTEGERS: Final = frozenset({"int", "int64"})
FLOATS: Final = frozenset({"float", "float32", "float64"})
COMPLEX: Final = frozenset({"complex", "complex64", "complex128"})
NARROW: Final = frozenset({"float32", "complex64"})
_HELD: Final = {"int": "int64", "float": "float64", "complex": "complex128"}
_GIVEN: Final[dict[str, Any]] = {
    **{word: np.dtype(word) for word in ("bool", *_OF_NUMPY)},
    "int": int,
    "float": float,
    "complex": complex,
}
_OF_DTYPE: Final[dict[Any, str]] = {np.dtype(word): word for word in ("bool", *_OF_NUMPY)}
TYPES: Final = {"bool": "bool_"}  # the names of NumPy's types that are other words


def word_of(dtype: Any) -> str | None:
    """Return the word for the numbers of an array; None if there is none.

    >>> word_of(np.dtype(np.float32)), word_of(np.dtype(np.int8))
    ('float32', None)
    """
    return _OF_DTYPE.get(dtype)


def held(word: str) -> str:
    """Return the type that Numba, or an array, holds numbers in.

    >>> held("float"), held("float32")
    ('float64', 'float32')
    """
    return _HELD.get(word, word)


def real_of(word: str) -> str:
    """Return the word for the parts of numbers.

    >>> real_of("complex64"), real_of("int")
    ('float32', 'int')
    """
    return {"complex": "float", "complex64": "float32", "complex128": "float64"}.get(word, word)


@cache
def either(one: str, other: str) -> str | None:
    """Return the word for what is one of two numbers; None if they are of different widths.

    >>> either("float", "float32"), either("int", "float"), either("float32", "float64")
    ('float32', 'float', None)
    """
    if one == other:
        return one
    if one in PYTHON and other in PYTHON:
        return max(one, other, key=PYTHON.index)
    python = [word for word in (one, other) if word in PYTHON]
    if not python:
        return None if NARROW & {one, other} else _resolved(np.add, (one, other))
    return _resolved(np.add, (one, other))


@cache
def calculated(function: Any, words: tuple[str, ...]) -> str | None:
    """Return the word for what a function of NumPy gives entry by entry; None if it has none.

    >>> calculated(np.add, ("float32", "float")), calculated(np.sqrt, ("int",))
    ('float32', 'float64')
    """
    return _resolved(function, words)


@cache
def operands(function: Any, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the types that a function of NumPy takes numbers to before it calculates."""
    found = _dtypes(function, words)
    names = [word_of(item) for item in found[: len(words)]] if found else []
    return tuple(map(str, names)) if names and all(names) else None


def _resolved(function: Any, words: Sequence[str]) -> str | None:
    found = _dtypes(function, words)
    return word_of(found[-1]) if found else None


def _dtypes(function: Any, words: Sequence[str]) -> Any:
    if len(words) != function.nin:
        return None
    try:
        return function.resolve_dtypes((*[_GIVEN[word] for word in words], None))
    except TypeError:
        return None
