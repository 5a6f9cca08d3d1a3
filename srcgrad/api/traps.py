"""Asks the tape where a text gives NaN for what a selection left out.

The compiler follows masks through the text as far as it can (see `analyses/selection.py`); the tape
follows the arrays themselves, through loops, slices and joined parts as well. So a gradient that is
NaN although the value is not is taken once more on the tape, and from there if that is finite.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.api.structures import float_leaves
from srcgrad.backends import is_plain_array
from srcgrad.insight.switch import CHECKS
from srcgrad.runtime.stacks import Stack

_SELECTING: Final = (
    *("np.where(", "np.select(", "np.choose(", "where=", " if ", " if(", "np.maximum(", "np.max("),
    *("np.minimum(", "np.min(", "np.clip(", "picked(", "taken(", "np.isnan(", "np.piecewise("),
    *(" > ", " < ", " >= ", " <= ", " != ", " == ", "[", "np.diag", "np.nan", "np.compress("),
)

_STEEP: Final = re.compile(
    r"np\.(?:sqrt|cbrt|power|float_power|arccos|arcsin|arccosh)\(|\*\*(?! ?-?\d+\b(?![.e]))"
)
"""What has a value at the edge of its domain and is infinitely steep there; no whole powers are."""

_DOCSTRING: Final = re.compile(r'""".*?"""', re.DOTALL)
_COMMENTS: Final = re.compile(r"^ *#.*$", re.MULTILINE)
_HEADS: Final = re.compile(r"^ *def .*:$", re.MULTILINE)
_SMALL: Final = 10_000  # elements; the product is sooner done, and by one thread


@functools.lru_cache(maxsize=256)
def may_trap(source: str, parameters: tuple[str, ...] = ()) -> bool:
    """Say whether a generated text selects: what it leaves out may be NaN, or steep.

    Texts of roots and powers, which may be steep by themselves, count, too: the tape asks
    differences (see `steep`).

    An entry of a dict that is a parameter is no selection, where the text only reads such entries:
    what stands under other keys is a leaf, and has no adjoint that meets anything.

    >>> may_trap("grad_x = np.where(x > 0, g / x, 0)"), may_trap("grad_x = g / x")
    (True, False)
    >>> may_trap("y = x ** 0.5"), may_trap("y = x**n"), may_trap("y = x**2 + x ** -1 + x**12")
    (True, True, False)
    >>> may_trap("return 2.0 * p['a']", ("p",)), may_trap("q = p; return 2.0 * p['a']", ("p",))
    (False, True)
    """
    if _STEEP.search(source):
        return True
    if not any(map(source.__contains__, _SELECTING)):
        return False
    source = _DOCSTRING.sub("", source)
    code = _COMMENTS.sub("", source)
    if code.count("def ") <= 1:
        for name in parameters:
            entry = rf"""\b{name}(?:\[(?:"[^"\\]*"|'[^'\\]*')\])+(?! [^=\n ]*= )"""
            if not re.search(rf"\b{name}\b", _HEADS.sub("", re.sub(entry, "", code))):
                source = re.sub(entry, "", source)
    return any(map(source.__contains__, _SELECTING))


def array_has_nan(array: Any) -> bool:
    """Say whether there is a NaN in an array of floats, without a warning."""
    if array.size < _SMALL:
        squares = np.vdot(array, array)  # NaN if there is one: squares have one sign
        return bool(squares != squares)  # noqa: PLR0124 - NaN
    largest = np.maximum.reduce(array, axis=None, initial=-np.inf)  # NaN, if there is one
    return bool(largest != largest)  # noqa: PLR0124 - NaN


def has_nan(value: Any) -> bool:
    """Say whether there is a NaN in the float leaves of a value."""
    if type(value) is float:
        return value != value  # noqa: PLR0124 - NaN
    if is_plain_array(value) and value.dtype.kind == "f":
        return array_has_nan(value)
    if isinstance(value, (tuple, list)):
        return any(map(has_nan, value))
    if isinstance(value, Stack):
        return has_nan(value.rows)
    return any(np.isnan(leaf).any() for leaf in float_leaves(value))


def unless_nan(value: Any, found: Any, again: Callable[[], Any]) -> Any:
    """Return a derivative, or what `again` returns if that has less NaN, and the value has none.

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
    return other if _count_of_nan(other) < _count_of_nan(found) else found


def _count_of_nan(value: Any) -> int:
    return sum(int(np.count_nonzero(np.isnan(leaf))) for leaf in float_leaves(value))
