"""The same numbers laid out otherwise in memory, and what a gradient may do with memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def strided(x: Any) -> Any:
    """Every second number of a wider array in Fortran order."""
    return np.asfortranarray(np.repeat(x, 2, axis=-1))[..., ::2]


def reversed_(x: Any) -> Any:
    """A view that runs backwards along every axis."""
    turn = (slice(None, None, -1),) * x.ndim
    return np.ascontiguousarray(x[turn])[turn]


def read_only(x: Any) -> Any:
    """Numbers that may not be written to."""
    x = x.copy()
    x.flags.writeable = False
    return x


def inner(x: Any) -> Any:
    """The middle of a larger array that is read-only too."""
    wide = np.pad(x, 1)
    wide.flags.writeable = False
    return wide[(slice(1, -1),) * x.ndim]


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "reversed": reversed_,
    "read-only": read_only,
    "inner": inner,
}


def laid_out(name: str, value: Any) -> Any:
    """Return an argument in a layout; numbers and arrays of no axis only as copies."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 0:
        return read_only(value) if name in ("read-only", "inner") else value.copy()
    return LAYOUTS[name](value)


def assert_own_memory(grads: Any, given: Any) -> None:
    """Fail where a gradient shares memory with what was handed in, or with another gradient."""
    arrays = [grad for grad in grads if isinstance(grad, np.ndarray)]
    for place, grad in enumerate(arrays):
        for other in [*given, *arrays[:place]]:
            shared = isinstance(other, np.ndarray) and np.may_share_memory(grad, other)
            assert not shared, "a gradient shares memory with an argument or another gradient"


class Untouched:
    """Fails at its end if values that were handed in have been written to."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __enter__(self) -> None:
        self.kept = [np.copy(value) for value in self.values]

    def __exit__(self, kind: Any, *rest: Any) -> None:
        if kind is None:
            for value, kept in zip(self.values, self.kept, strict=True):
                np.testing.assert_array_equal(value, kept, "an argument was written to")
