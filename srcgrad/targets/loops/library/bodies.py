"""Asks types of Numba, and writes the bodies that depend on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types


def made(text: str, **scope: Any) -> Callable[..., Any]:
    """Return the function of a text."""
    space = {"np": np, **scope}
    exec(text, space)  # noqa: S102 - text of our own making
    return space["body"]


def of_number(kind: Any) -> bool:
    """Say whether a type is one of numbers or truth values."""
    return isinstance(kind, (types.Number, types.Boolean))


def of_real(kind: Any) -> bool:
    """Say whether a type is one of integers or floats."""
    return isinstance(kind, (types.Integer, types.Float))


def of_array(kind: Any) -> bool:
    """Say whether a type is one of arrays."""
    return isinstance(kind, types.Array)


def unvalued(kind: Any) -> Any:
    """Return a type without its value, if it is that of a literal."""
    return types.unliteral(kind)


def narrow(kind: Any) -> str:
    """Return the type of NumPy for the numbers of a type, that of 64 bits for integers."""
    dtype = kind.dtype if of_array(kind) else unvalued(kind)
    return str(dtype) if isinstance(dtype, (types.Float, types.Complex)) else "float64"


def loops(ndim: int, shape: str, inner: str) -> str:
    """Return nested loops over all entries of a shape, indented for the body of a function."""
    lines = [f"{'    ' * (k + 1)}for i{k} in range({shape}[{k}]):" for k in range(ndim)]
    return "\n".join([*lines, *("    " * (ndim + 1) + line for line in inner.splitlines())])


def tuple_text(parts: Sequence[str]) -> str:
    """Return the text of a tuple."""
    return f"({', '.join(parts)},)"


def subscript(ndim: int) -> str:
    """Return the index of an entry in nested loops."""
    return f"[{', '.join(f'i{k}' for k in range(ndim))}]"
