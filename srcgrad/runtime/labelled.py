"""Takes the labels of pandas from numbers, and gives them back; pandas is never imported here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


def is_labelled(value: Any) -> bool:
    """Say whether a value is a Series, a DataFrame or an Index.

    >>> is_labelled(np.ones(3))
    False
    """
    pandas = sys.modules.get("pandas")
    kinds = tuple(getattr(pandas, name, ()) for name in ("Series", "DataFrame", "Index"))
    return pandas is not None and isinstance(value, kinds)


def has_labels(values: Iterable[Any]) -> bool:
    """Say whether anything is labelled in nested containers."""
    return next(labelled_in(values), None) is not None


def labelled_in(values: Iterable[Any]) -> Iterator[Any]:
    """Yield what is labelled in nested containers."""
    if "pandas" not in sys.modules:
        return
    for value in values:
        if isinstance(value, dict):
            yield from labelled_in(value.values())
        elif isinstance(value, (list, tuple)):
            yield from labelled_in(value)
        elif is_labelled(value):
            yield value


def without_labels(value: Any, *, by_column: bool) -> Any:
    """Return nested containers with arrays for what is labelled.

    A DataFrame becomes a dict of columns, or else an array of two axes.
    """
    if is_labelled(value):
        if not hasattr(value, "columns"):
            return _numbers(value)
        if by_column:
            return {name: _numbers(value[name]) for name in value.columns}
        return _numbers(value)
    return _each(value, lambda item: without_labels(item, by_column=by_column))


def with_labels(grad: Any, value: Any) -> Any:
    """Return a gradient with the labels of the value that it belongs to."""
    if is_labelled(value) and grad is not None:
        if hasattr(value, "columns"):
            known = {"index": value.index, "columns": value.columns}
            if isinstance(grad, dict):
                return type(value)({name: _column(part, value) for name, part in grad.items()})
            return type(value)(np.asarray(grad), **known)
        if hasattr(value, "index"):
            return type(value)(np.asarray(grad), index=value.index, name=value.name)
    if isinstance(value, dict) and isinstance(grad, dict):
        return type(grad)({key: with_labels(grad[key], item) for key, item in value.items()})
    if isinstance(value, (list, tuple)) and isinstance(grad, (list, tuple)):
        parts = [with_labels(g, item) for g, item in zip(grad, value, strict=True)]
        return type(grad)(*parts) if hasattr(grad, "_fields") else type(grad)(parts)
    return grad


def _column(part: Any, frame: Any) -> Any:
    """Return a column of a gradient; of a column without floats there is none."""
    series = sys.modules["pandas"].Series
    if part is None:
        return series([None] * len(frame.index), index=frame.index, dtype=object)
    return series(part, index=frame.index)


def _numbers(value: Any) -> Any:
    """Return an array of one's own, of floats also where pandas has missing values beside them."""
    array = value.to_numpy()
    if array.dtype == object and all(isinstance(item, (float, int)) for item in array.flat):
        array = array.astype(float)
    return array.copy()


def _each(value: Any, function: Any) -> Any:
    if isinstance(value, dict):
        changed = {key: function(item) for key, item in value.items()}
        return changed if type(value) is dict else type(value)(changed)
    if isinstance(value, (list, tuple)):
        items = [function(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value
