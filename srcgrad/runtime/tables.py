"""Tells tables of numbers: lists and tuples, perhaps of such, that hold numbers alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_NUMBERS: Final = (int, float, complex, np.number)
_MOST: Final = 200  # each call looks at all of them, since lists can change
_DEEPEST: Final = 3


def depth_of_table(value: Any) -> int:
    """Return how deep the numbers of a table lie, 1 in a list of numbers; 0 if it is none.

    >>> depth_of_table([1.0, 2]), depth_of_table([(1.0, 2.0), (3.0,)]), depth_of_table([1.0, [2.0]])
    (1, 2, 0)
    >>> depth_of_table([]), depth_of_table("ab"), depth_of_table([[]])
    (0, 0, 0)
    """
    return _depth(value, [_MOST])


def _depth(value: Any, left: list[int], at: int = 1) -> int:
    """Return the depth of a table at a depth, if no more numbers than are `left` are in it."""
    if (type(value) is not list and type(value) is not tuple) or not value or at > _DEEPEST:
        return 0
    left[0] -= len(value)
    if left[0] < 0:
        return 0
    if all(isinstance(item, _NUMBERS) for item in value):
        return 1
    inner = _depth(value[0], left, at + 1)
    if not inner or any(_depth(item, left, at + 1) != inner for item in value[1:]):
        return 0
    return inner + 1
