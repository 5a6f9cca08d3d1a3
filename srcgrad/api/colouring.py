"""Colours the columns of a sparse matrix so that those of one colour can be found by one product.

The colours that are taken at a place are the bits of an integer, so that a whole set of them is
joined in one operation.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np


def colour_columns(pattern: Any) -> Any:
    """Return a colour for each column: columns of one colour have no row in common.

    This is the grouping of Curtis, Powell and Reid: columns in order take the first colour that is
    free, once as they stand and once with the fullest first; the better of both counts.
    """
    width = pattern.shape[1]
    by_column = np.argsort(pattern.columns, kind="stable")
    lists = _lists(pattern.rows[by_column], pattern.columns, width)
    colours = _grouped(lists, range(width), pattern.shape[0])
    if count_colours(colours) == np.bincount(pattern.rows).max(initial=1):
        return colours  # there cannot be fewer than the entries of the fullest row
    fullest_first = sorted(range(width), key=lambda column: -len(lists[column]))
    return min(colours, _grouped(lists, fullest_first, pattern.shape[0]), key=count_colours)


def count_colours(colours: Any) -> int:
    """Return how many colours there are."""
    return int(colours.max(initial=-1)) + 1


def _lists(values: Any, places: Any, count: int) -> list[list[int]]:
    """Return the values at each of `count` places, in whose order they are."""
    ends = np.cumsum(np.bincount(places, minlength=count)).tolist()
    flat = values.tolist()
    return [flat[start:end] for start, end in itertools.pairwise([0, *ends])]


def _grouped(rows: list[list[int]], order: Sequence[int], height: int) -> Any:
    taken_in = [0] * height
    colours = np.zeros(len(rows), np.int64)
    for column in order:
        taken = 0
        for row in rows[column]:
            taken |= taken_in[row]
        free = ~taken & (taken + 1)  # the lowest bit that is not set
        colours[column] = free.bit_length() - 1
        for row in rows[column]:
            taken_in[row] |= free
    return colours


def colour_star(pattern: Any) -> Any:
    """Return a colour for each column of a symmetric pattern, so that symmetry tells entries apart.

    Neighbours have different colours, and so have two of every four columns on a path: then the
    column i or the column j is the only one of its colour that has an entry in the row j or i. This
    is the restriction of Powell and Toint, with the fullest columns first.
    """
    width = pattern.shape[1]
    aside = pattern.rows != pattern.columns
    rows, columns = pattern.rows[aside], pattern.columns[aside]
    neighbours = _lists(columns, rows, width)
    seen = [0] * width  # the colours of the neighbours
    bits = [0] * width  # the own colour
    for column in sorted(range(width), key=lambda column: -len(neighbours[column])):
        taken = 0
        for other in neighbours[column]:
            bit = bits[other]
            taken |= bit | seen[other] & (bit - 1) if bit else seen[other]
        free = ~taken & (taken + 1)
        bits[column] = free
        for other in neighbours[column]:
            seen[other] |= free
    return np.array([bit.bit_length() - 1 for bit in bits], np.int64)
