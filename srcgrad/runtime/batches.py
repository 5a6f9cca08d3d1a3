"""Is what text over a batch of examples may call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def one_for_each(value: Any, count: int) -> Any:
    """Return an array with `count` copies of a value along a new first axis.

    >>> one_for_each(np.arange(2), 3).shape
    (3, 2)
    """
    array = np.asarray(value)
    return np.repeat(array[None], count, axis=0)


def chosen_for_each(test: Any, one: Any, other: Any) -> Any:
    """Return, for each example, the one array where its test holds and the other where not.

    Args:
        test: A truth for each example, of shape ``(n,)``.
        one: The arrays of examples whose test holds, of shape ``(n, ...)``.
        other: Those of the others, of the same shape.

    Raises:
        ValueError: The arrays of an example have different shapes on the two sides, so that those
            of all examples are no one array.
    """
    if np.shape(one) != np.shape(other):
        raise ValueError(
            f"an example's array has the shape {np.shape(one)[1:]} on one side of a branch, and "
            f"{np.shape(other)[1:]} on the other"
        )
    return np.where(np.reshape(test, (-1,) + (1,) * (np.ndim(one) - 1)), one, other)


def max_for_each(items: Iterable[Any]) -> Any:
    """Return what Python's ``max`` finds among the items of each example.

    That is the first item that none before is beaten by, also where some are NaN.

    >>> max_for_each([np.array([1.0, 5.0]), np.array([2.0, 3.0])]).tolist()
    [2.0, 5.0]
    """
    first, *others = items
    for item in others:
        first = np.where(item > first, item, first)
    return np.array(first)


def min_for_each(items: Iterable[Any]) -> Any:
    """Return what Python's ``min`` finds among the items of each example.

    >>> min_for_each([np.array([1.0, 5.0]), np.array([2.0, 3.0])]).tolist()
    [1.0, 3.0]
    """
    first, *others = items
    for item in others:
        first = np.where(item < first, item, first)
    return np.array(first)


def of_all(value: Any, axis: Any, count: int) -> Any:
    """Return a value with the examples along the first axis of each array, those shared repeated.

    Raises:
        TypeError: It is neither made of numbers and arrays nor a container of such.
    """
    if isinstance(value, dict):
        parts = axis if isinstance(axis, dict) else dict.fromkeys(value, axis)
        return {key: of_all(item, parts[key], count) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        axes = axis if isinstance(axis, (list, tuple)) else [axis] * len(value)
        items = [of_all(item, part, count) for item, part in zip(value, axes, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(axis, int):
        return np.moveaxis(value, axis, 0)
    if not isinstance(value, (np.ndarray, np.generic, float, int, complex)):
        raise TypeError(type(value))
    array = np.asarray(value, dtype=float if type(value) is int else None)
    return np.broadcast_to(array, (count, *array.shape))
