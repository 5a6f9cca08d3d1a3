"""Are the helpers of exported products with vectors: each is copied into modules that need it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from srcgrad.exporting.checks import conform, fields_of, rebuilt


def check_shape(vector: Any, value: Any, name: str) -> None:
    """Raise ValueError unless a tangent or an adjoint has the shape of what it belongs to."""
    if np.shape(vector) != np.shape(value):
        raise ValueError(f"`{name}` has the shape {np.shape(vector)}, not {np.shape(value)}")


def matched(vector: Any, value: Any, name: str) -> Any:
    """Return a tangent or an adjoint as new memory, with zeros for None.

    Raises:
        ValueError: It does not have the structure and shapes of the value it belongs to.
    """
    if isinstance(value, dict):
        if not isinstance(vector, dict) or vector.keys() != value.keys():
            raise ValueError(f"`{name}` must be a dict with the keys {list(value)}")
        return {key: matched(vector[key], item, name) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if not isinstance(vector, (list, tuple)) or len(vector) != len(value):
            raise ValueError(f"`{name}` must be a sequence of {len(value)}")
        parts = [matched(v, item, name) for v, item in zip(vector, value, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if fields := fields_of(value):
        moved = {key: matched(getattr(vector, key), item, name) for key, item in fields.items()}
        return rebuilt(value, moved)
    kind = getattr(value, "dtype", np.asarray(value).dtype).kind
    if kind not in "fc" and not isinstance(value, (int, float)):
        return vector
    if vector is None:
        return np.zeros_like(value) if isinstance(value, np.ndarray) else 0.0
    check_shape(vector, value, name)
    return np.array(vector) if isinstance(value, np.ndarray) else vector


def conform_tangent(tangent: Any, value: Any, *given: Any) -> Any:
    """Return the tangent of a value with its structure and types, apart from the `given` ones."""
    found = conform(tangent, value)
    return own_copies(found) if any(is_shared(found, item) for item in given) else found


def is_shared(one: Any, other: Any) -> bool:
    """Say whether arrays in nested containers share memory."""
    mine, theirs = arrays_within(one), arrays_within(other)
    return any(np.may_share_memory(a, b) for a in mine for b in theirs)


def arrays_within(value: Any) -> list[Any]:
    """Return the arrays in nested containers and objects."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        parts = list(value.values())
    else:
        parts = list(value) if isinstance(value, (list, tuple)) else [*fields_of(value).values()]
    return [array for part in parts for array in arrays_within(part)]


def own_copies(value: Any) -> Any:
    """Return copies of containers and of the arrays in them."""
    return copy.deepcopy(value)  # noqa: TID251 - values, no trees


def fresh(kept: Any) -> Any:
    """Copy the lists of records, which a backward function empties."""
    if isinstance(kept, list):
        return [fresh(item) for item in kept]
    return tuple(fresh(item) for item in kept) if type(kept) is tuple else kept


def nothing_of(value: Any) -> Any:
    """Return the adjoint of what the result does not depend on: zeros, in its structure."""
    if isinstance(value, dict):
        return {key: nothing_of(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [nothing_of(item) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return np.zeros_like(value) if np.asarray(value).dtype.kind in "fc" else None
