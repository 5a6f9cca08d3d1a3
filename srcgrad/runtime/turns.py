"""Takes the elements that an index names in turns, in none of which one comes twice."""

from __future__ import annotations

from typing import Any

import numpy as np


def turns(x: Any, index: Any) -> list[tuple[Any, Any]]:
    """Return where `index` leads in `x`, and in ``x[index]``, as indices, turn after turn.

    In each turn every element is named once at most, so that ``np.maximum.at(x, index, y)`` is
    ``x[places] = np.maximum(x[places], y[chosen])`` for each of them. What is named once alone is
    all there in the first one.

    >>> for places, chosen in turns(np.zeros(4), [2, 0, 2]):
    ...     print(*places, *chosen)
    [2 0] [0 1]
    [2] [2]
    """
    numbers = np.arange(np.size(x)).reshape(np.shape(x))[index]
    named = np.ravel(numbers)
    turn = _turn_of_each(named)
    found = []
    for number in range(int(np.max(turn, initial=-1)) + 1):
        chosen = np.flatnonzero(turn == number)
        found.append((_along_axes(named[chosen], x), _along_axes(chosen, numbers)))
    return found


def _along_axes(places: Any, x: Any) -> Any:
    """Return an index of elements that are counted along all axes; of one number there is one."""
    return np.unravel_index(places, np.shape(x)) if np.ndim(x) else ()


def _turn_of_each(named: Any) -> Any:
    """Return of each number how often it has come before."""
    order = np.argsort(named, kind="stable")
    place = np.arange(named.size)
    starts = np.append(True, np.diff(named[order]) != 0)[: named.size]
    turn = np.empty(named.size, int)
    turn[order] = place - np.maximum.accumulate(np.where(starts, place, 0))
    return turn
