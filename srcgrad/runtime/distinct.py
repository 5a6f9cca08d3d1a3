"""Adjoints of functions that return the distinct values of arrays, and of histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.dispatch import beside, recordable


@recordable
def distinct_back(grad: Any, x: Any, values: Any) -> Any:
    """Give the gradient of each distinct value to the first element of `x` that is equal to it."""
    found, first = np.unique(x, return_index=True)
    flat = np.zeros_like(grad, shape=(np.size(x),))
    if len(values):
        order = np.argsort(values)
        place = np.minimum(np.searchsorted(values, found, sorter=order), len(values) - 1)
        known = values[order][place] == found
        flat[first[known]] = grad[order][place[known]]
    return np.reshape(flat, np.shape(x))


@recordable
def distinct_take(tangent: Any, x: Any, values: Any) -> Any:
    """Return the elements of `tangent` where `x` first is each distinct value."""
    found, first = np.unique(x, return_index=True)
    return np.ravel(tangent)[first[np.searchsorted(found, values)]]


def distinct_places(x: Any, axis: int | None, equal_nan: bool) -> tuple[Any, Any, Any]:
    """Return where each distinct value is first, which of them each is, and how often it is there.

    >>> [found.tolist() for found in distinct_places([2.0, 1.0, 2.0], None, True)]
    [[1, 0], [1, 0, 1], [1, 2]]
    """
    known = np.asarray(x.stopped() if hasattr(x, "stopped") else x)  # of a tensor
    _, first, which, counts = np.unique(known, True, True, True, axis, equal_nan=equal_nan)
    return first, which, counts


def edges_back(grad: Any, a: Any, ends_in_a: bool) -> Any:
    """Return the gradient of edges at equal distances from the least to the largest of `a`.

    It is zero where the edges are given, or are those of a given range.
    """
    if not ends_in_a:
        return np.zeros(np.shape(a))
    part = beside(np.linspace(0.0, 1.0, len(grad)), grad)
    least, largest = a == np.min(a), a == np.max(a)
    low = np.sum(grad * (1 - part)) / np.sum(least)
    return low * least + np.sum(grad * part) / np.sum(largest) * largest


def histogram_back(grad: Any, a: Any, edges: Any) -> Any:
    """Return the gradient of the weights of ``np.histogram``: each gets that of its bin."""
    place = np.searchsorted(edges, a, "right") - 1
    place = np.where(a == edges[-1], len(grad) - 1, place)
    inside = np.logical_and(place >= 0, place < len(grad))
    return np.where(inside, np.take(grad, np.where(inside, place, 0)), 0)


def ends_back(grad: Any, even: bool) -> tuple[Any, Any]:
    """Return the gradient of the range that ``np.histogram`` has divided into even bins.

    Edges that were given are what they are, whatever the range is.
    """
    share = np.linspace(0, 1, len(grad))
    return np.sum(grad * (1 - share)) * even, np.sum(grad * share) * even
