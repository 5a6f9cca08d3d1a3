"""Writes a sum of two selections by one test as one."""

from __future__ import annotations

from typing import Any, Final

import gast

from srcgrad.analyses.text_calls import called
from srcgrad.ir.walk import is_same
from srcgrad.optimizations.literals import number_of

_ARGUMENTS: Final = 3  # the test, and what is taken where it holds and where it does not


def selected_once(first: Any, second: Any) -> Any:
    """Return a sum of two selections by one test, each of zeros but where the other has them.

    >>> texts = ["np.where(t, 0.0, a); np.where(t, b, 0.0)", "np.where(t, a, 0); np.where(u, 0, b)"]
    >>> found = [selected_once(*(line.value for line in gast.parse(t).body)) for t in texts]
    >>> [item and gast.unparse(item) for item in found]
    ['np.where(t, b, a)', None]
    """
    both = (first, second)
    if not all(isinstance(item, gast.Call) and called(item).name == "numpy.where" for item in both):
        return None
    if not all(len(item.args) == _ARGUMENTS and not item.keywords for item in both):
        return None
    zeros = [[number_of(part) == 0 for part in item.args[1:]] for item in both]
    if zeros not in ([[True, False], [False, True]], [[False, True], [True, False]]):
        return None
    if not is_same(first.args[0], second.args[0]):
        return None
    ours = 1 if zeros[0][1] else 2
    first.args[3 - ours] = second.args[3 - ours]
    return first
