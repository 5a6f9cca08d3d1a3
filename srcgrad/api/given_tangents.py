"""Looks at the tangents that are given for arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.api.values import rebuilt_dict
from srcgrad.errors import ArgumentError
from srcgrad.runtime.containers import part_names
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt


def check_pair(primals: Any, tangents: Any) -> None:
    """Raise unless there is a tuple of arguments, and one of as many tangents."""
    for name, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, (tuple, list)):
            raise ArgumentError(
                f"{name} must be a tuple of arguments, not a {type(value).__name__}",
                hint="write srcgrad.jvp(f, (x, y), (x_dot, y_dot))",
            )
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"there are {len(primals)} primals but {len(tangents)} tangents",
            hint="give one tangent for each argument; None for one that is held",
        )


def check_tangent(value: Any, tangent: Any, name: str) -> None:
    """Raise unless a tangent has the structure and shapes of its primal."""
    if not _is_like(value, tangent):
        raise ArgumentError(
            f"the tangent of `{name}` does not have its structure and shapes",
            hint="a tangent is a small change of the argument: give one of the same shape",
        )


def _is_like(value: Any, tangent: Any) -> bool:
    """Say whether a tangent has the structure and shapes of a value, in whatever order of keys."""
    if type(value) is np.ndarray and type(tangent) is np.ndarray:
        return bool(value.shape == tangent.shape)
    ours, theirs = _parts(value), _parts(tangent)
    if ours is None or theirs is None:
        shapes = np.shape(value), np.shape(value if tangent is None else tangent)
        return ours is theirs and shapes[0] == shapes[1]
    return ours.keys() == theirs.keys() and all(_is_like(v, theirs[k]) for k, v in ours.items())


def _parts(value: Any) -> dict[Any, Any] | None:
    """Return what is in a container or an object, by keys; None for a leaf."""
    if isinstance(value, dict):
        return value
    if isinstance(value, (list, tuple)):
        return dict(enumerate(value))
    if is_plain_object(value):
        return {name: getattr(value, name) for name in part_names(value)}
    return None


def with_zeros(tangent: Any, value: Any) -> Any:
    """Return a tangent with zeros where it has None in the place of a number or an array."""
    if tangent is None and isinstance(value, (int, float, complex, np.ndarray, np.generic)):
        return np.zeros(np.shape(value)) if isinstance(value, np.ndarray) else 0.0
    if isinstance(tangent, dict) and isinstance(value, dict):
        items = {key: with_zeros(item, value[key]) for key, item in tangent.items()}
        return rebuilt_dict(tangent, items)
    if isinstance(tangent, (list, tuple)) and isinstance(value, (list, tuple)):
        parts = [with_zeros(t, v) for t, v in zip(tangent, value, strict=True)]
        return type(tangent)(*parts) if hasattr(tangent, "_fields") else type(tangent)(parts)
    if is_plain_object(tangent) and is_plain_object(value):
        held = [(name, getattr(value, name)) for name in field_names(value)]
        return rebuilt(value, {n: with_zeros(getattr(tangent, n, None), v) for n, v in held})
    return tangent
