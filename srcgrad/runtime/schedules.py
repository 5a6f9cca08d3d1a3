"""Says which states of a long loop to keep, so that few of its steps have to be run again.

With `s` states kept at a time and every step run again at most `r` times, ``comb(s + r, s)`` steps
can be taken back, and no schedule does better (Griewank and Walther, Algorithm 799, 2000).
"""

from __future__ import annotations

import math
import operator
import re
from typing import Any

from srcgrad.errors import ArgumentError

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 2**10, "MI": 2**20, "GI": 2**30}


def reach(kept: int, again: int) -> int:
    """Return how many steps can be taken back with `kept` states, each run `again` times more.

    >>> reach(3, 2)
    10
    """
    return math.comb(kept + again, kept) if again >= 0 else 0


def repeats(trips: int, kept: int) -> int:
    """Return how often a step has to be run again at most, to take `trips` steps back.

    >>> repeats(10, 3), repeats(11, 3)
    (2, 3)
    """
    again = 0
    while reach(kept, again) < trips:
        again += 1
    return again


def fewest_steps(trips: int, kept: int) -> int:
    """Return how many steps are run again, all in all, by the best schedule.

    >>> fewest_steps(10, 3), fewest_steps(4, 1)
    (15, 6)
    """
    if trips < 2:
        return 0
    again = repeats(trips, kept)
    return again * trips - reach(kept + 1, again - 1)


def next_state(length: int, kept: int) -> int:
    """Return how far behind the first state of a stretch of steps the next is kept.

    >>> next_state(10, 3)
    4
    """
    again = repeats(length, kept)
    return max(1, reach(kept, again - 2), length - reach(kept - 1, again))


def states_for(trips: int) -> int:
    """Return how many states let every step be run again at most twice: some ``sqrt(2 * trips)``.

    >>> states_for(100_000)
    446
    """
    kept = max(1, (math.isqrt(8 * trips + 1) - 3) // 2)
    while reach(kept, 2) < trips:
        kept += 1
    return kept


def affordable(budget: Any, state_bytes: int) -> int:
    """Return the number of states that a budget allows: a number, or bytes such as ``"64MB"``.

    Raises:
        ArgumentError: It is neither.

    >>> affordable(20, 800), affordable("64kB", 800)
    (20, 80)
    """
    if isinstance(budget, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMG]?I?)B\s*", budget, re.IGNORECASE)
        if found is not None and found[2].upper() in _UNITS:
            size = float(found[1]) * _UNITS[found[2].upper()]
            return max(1, int(size // max(1, state_bytes)))
    else:
        try:
            kept = operator.index(budget)
        except TypeError:
            kept = 0
        if kept > 0:
            return kept
    raise ArgumentError(
        f"budget={budget!r} is neither a number of states nor an amount of memory",
        hint='pass budget=100 or budget="64MB", or leave it out',
    )
