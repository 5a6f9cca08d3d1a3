"""Pickles functions that other processes do not find by their names, with cloudpickle."""

from __future__ import annotations

import pickle
import sys
from typing import Any

from srcgrad.errors import ArgumentError


def pickled(value: Any, what: str) -> bytes:
    """Return the bytes of a value; what stands in `__main__` or in no module goes by value.

    Raises:
        ArgumentError: It cannot be pickled, or only with cloudpickle, which is not there.
    """
    try:
        content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        if b"__main__" not in content:
            return content
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        return _by_value(value, what, error)
    return _by_value(value, what, None, content)


def _by_value(value: Any, what: str, error: Exception | None, content: bytes = b"") -> bytes:
    try:
        import cloudpickle  # noqa: PLC0415 - it is optional
    except ImportError:
        if error is None:
            return content  # a child of this process may find it in the same program
        raise ArgumentError(
            f"{what} cannot be sent to another process: {error}",
            hint="install cloudpickle, or put the function into a module that workers can import",
        ) from error
    try:
        found: bytes = cloudpickle.dumps(value)
    except (TypeError, AttributeError, pickle.PicklingError) as problem:
        raise ArgumentError(
            f"{what} cannot be sent to another process: {problem}",
            hint="let the function read arrays and numbers, not files, locks or connections",
        ) from problem
    return found


def is_in_use() -> bool:
    """Say whether the program has imported cloudpickle, as notebooks' pools and Dask do."""
    return "cloudpickle" in sys.modules
