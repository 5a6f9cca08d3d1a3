"""Cuts values off from their derivatives."""

from __future__ import annotations

from typing import Any

from srcgrad.runtime.noticed import NOTICED


def stop_gradient(x: Any) -> Any:
    """Return `x` as a constant: no derivative flows through it, in any mode.

    Arrays are copied, so that what is written into them later does not change the result; dicts,
    lists and tuples are gone through.

    >>> stop_gradient([1.0, 2.0])
    [1.0, 2.0]
    """
    NOTICED.stops += 1
    if isinstance(x, dict):
        return {key: stop_gradient(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [stop_gradient(value) for value in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if hasattr(x, "stopped"):  # a tensor
        return x.stopped()
    return x.copy() if hasattr(x, "copy") else x
