"""Asks the tape where a text gives NaN for what a selection left out.

The compiler follows masks through the text as far as it can (see `analyses/selection.py`); the tape
follows the arrays themselves, through loops, slices and joined parts as well. So a gradient that is
NaN although the value is not is taken once more on the tape, and from there if that is finite.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.api.structures import float_leaves
from srcgrad.insight.switch import CHECKS
from srcgrad.runtime.stacks import Stack

_SELECTING: Final = (
    *("np.where(", "np.select(", "np.choose(", "where=", " if ", " if(", "np.maximum(", "np.max("),
    *("np.minimum(", "np.min(", "np.clip(", "picked(", "taken(", "np.isnan(", "np.piecewise("),
    *(" > ", " < ", " >= ", " <= ", " != ", " == ", "[", "np.diag"),
)
_STEEP: Final = (" / ", "** -", "np.log", "np.sqrt", "** 0.", "np.arc", "np.divide", "np.power")


@functools.lru_cache(maxsize=256)
def may_trap(source: str) -> bool:
    """Say whether a generated text has both selections and steep functions.

    >>> may_trap("grad_x = np.where(x > 0, g / x, 0)"), may_trap("grad_x = g / x")
    (True, False)
    """
    return any(map(source.__contains__, _SELECTING)) and any(map(source.__contains__, _STEEP))


def has_nan(value: Any) -> bool:
    """Say whether there is a NaN in the float leaves of a value."""
    if type(value) is float:
        return value != value  # noqa: PLR0124 - NaN
    if type(value) is np.ndarray and value.dtype.kind == "f":
        largest = np.maximum.reduce(value, axis=None, initial=-np.inf)  # NaN, if there is one
        return bool(largest != largest)  # noqa: PLR0124 - NaN
    if isinstance(value, (tuple, list)):
        return any(map(has_nan, value))
    if isinstance(value, Stack):
        return has_nan(value.rows)
    return any(np.isnan(leaf).any() for leaf in float_leaves(value))


def unless_nan(value: Any, found: Any, again: Callable[[], Any]) -> Any:
    """Return a derivative, or what `again` returns if that alone is finite where the value is.

    `found` and `again()` have the same structure.
    """
    if not has_nan(found) or has_nan(value) or CHECKS.nans:
        return found
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            other = again()
    except Exception:  # noqa: BLE001 - the tape may refuse what the text does, in any way
        return found
    return found if has_nan(other) else other
