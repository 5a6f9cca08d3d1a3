"""Copies results that lie in memory of what a derivative was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.api.values import leaves, rebuilt_dict
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt


def own(tangent: Any, given: Sequence[Any]) -> Any:
    """Copy the arrays of a result that are memory of the tangents given."""
    if isinstance(tangent, dict):
        return rebuilt_dict(tangent, {key: own(item, given) for key, item in tangent.items()})
    if isinstance(tangent, (list, tuple)):
        parts = [own(item, given) for item in tangent]
        return type(tangent)(*parts) if hasattr(tangent, "_fields") else type(tangent)(parts)
    if isinstance(tangent, np.ndarray):
        return tangent.copy() if any(_shares(tangent, item) for item in given) else tangent
    if is_plain_object(tangent):
        held = {name: own(getattr(tangent, name), given) for name in field_names(tangent)}
        return rebuilt(tangent, held)
    return tangent


def _shares(array: Any, value: Any) -> bool:
    """Say whether an array may lie in the memory of those in a value."""
    if type(value) is np.ndarray:
        return _overlaps(array, value)
    found = [leaf for leaf in leaves(value) if isinstance(leaf, np.ndarray)]
    return any(_overlaps(array, leaf) for leaf in found)


def _overlaps(array: Any, other: Any) -> bool:
    if array.base is None and other.base is None:
        return array is other
    return bool(np.may_share_memory(array, other))
