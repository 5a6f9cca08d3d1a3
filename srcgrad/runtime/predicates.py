"""Questions by which a rule offers a shorter text for a common case.

Each returns the true answer at run time. The compiler, which knows literals and little else, may
answer False where it does not know: so what follows a False must be right in every case.
"""

from __future__ import annotations

from typing import Any


def is_matrix(x: Any) -> bool:
    """Return whether `x` is an array with exactly two axes."""
    return getattr(x, "ndim", None) == 2


def is_vector(x: Any) -> bool:
    """Return whether `x` is an array with exactly one axis."""
    return getattr(x, "ndim", None) == 1


def is_number(
    x: Any,
    value: float | None = None,
    *,
    at_least: float | None = None,
    below: float | None = None,
) -> bool:
    """Return whether `x` is a Python number.

    If asked, also whether it is equal to `value`, not below `at_least`, and `below` a number.
    """
    if type(x) is not float and type(x) is not int:
        return False
    known = value is None or x == value
    return known and (at_least is None or x >= at_least) and (below is None or x < below)


def is_pair(items: Any) -> bool:
    """Return whether `items` are two real numbers, and neither of them is an array."""
    return len(items) == len(("a", "b")) and all(isinstance(item, (int, float)) for item in items)


def shortcut(test: Any) -> bool:
    """Return `test`, a question about options such as ``axis is None``, as a plain bool."""
    return bool(test)


SHORTCUTS = frozenset({"is_matrix", "is_vector", "is_number", "is_pair", "shortcut"})
