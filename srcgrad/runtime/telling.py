"""Tells values to what keeps them for others to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def tell(function: Callable[..., Any], *values: Any) -> None:
    """Call a function with values, for what it keeps of them: what it returns is nobody's.

    >>> history = []
    >>> tell(history.append, 2.0)
    >>> history
    [2.0]
    """
    function(*values)
