"""Writes out functions of array-api-compat that are NumPy's own with a care of their own.

They are found by their names, since many packages have a copy of the library.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcgrad.backends.compat import is_of_compat
from srcgrad.rules.equivalents.registry import Equivalent, in_place


@in_place
def solve(x1: Any, x2: Any, /) -> Any:
    """Solve linear systems; only one vector is a vector, as in NumPy."""
    return np.linalg.solve(x1, x2)


@in_place
def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """Keep the elements between two bounds, in the dtype of the array."""
    if min is None and max is None:
        return np.copy(x)
    if not hasattr(min, "dtype") and not hasattr(max, "dtype"):
        return np.clip(x, min, max)
    return np.clip(x, min, max).astype(x.dtype)


_WRITTEN: Final = {function.__name__: (Equivalent(function),) for function in (solve, clip)}


def entries_of_compat(function: Any) -> tuple[Equivalent, ...]:
    """Return what stands for a function of array-api-compat.

    >>> entries_of_compat(np.clip)
    ()
    """
    if not is_of_compat(getattr(function, "__module__", None)):
        return ()
    return _WRITTEN.get(function.__name__, ())
