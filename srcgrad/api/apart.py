"""Sees to it that tangents share no memory where the values that they belong to share none."""

from __future__ import annotations

from typing import Any

import numpy as np


def apart(tangent: Any, value: Any) -> Any:
    """Return a tangent of several arrays, copied where one lies in another's memory for nothing.

    >>> shared = np.ones(2)
    >>> first, second = apart((shared, shared), (np.zeros(2), np.zeros(2)))
    >>> first is shared, second is shared
    (True, False)
    """
    if not isinstance(tangent, (list, tuple, dict)):
        return tangent
    return _apart(tangent, value, [])


def _apart(tangent: Any, value: Any, seen: list[tuple[Any, Any]]) -> Any:
    if isinstance(tangent, dict) and isinstance(value, dict):
        for key in tangent:
            tangent[key] = _apart(tangent[key], value[key], seen)
        return tangent
    if isinstance(tangent, (list, tuple)) and isinstance(value, (list, tuple)):
        parts = [_apart(t, v, seen) for t, v in zip(tangent, value, strict=True)]
        if all(new is old for new, old in zip(parts, tangent, strict=True)):
            return tangent
        return type(tangent)(*parts) if hasattr(tangent, "_fields") else type(tangent)(parts)
    if type(tangent) is not np.ndarray:
        return tangent
    for other, theirs in seen:
        if np.may_share_memory(tangent, other) and not np.may_share_memory(value, theirs):
            return tangent.copy()
    seen.append((tangent, value))
    return tangent
