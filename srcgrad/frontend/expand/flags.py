"""Says which arguments a text may be made for, beside functions and objects."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final


class Presence(Enum):
    """Stands for any value but None."""

    PRESENT = "present"


PRESENT: Final = Presence.PRESENT
"""Among what a text is made for: that an argument is not None."""
SETTINGS: Final = ""
"""Among what a text is made for: that it takes texts and bools of modules for what they are now."""


def is_present(value: Any) -> bool:
    """Say whether a value is not None."""
    return value is not None


def is_flag(value: Any) -> bool:
    """Say whether an argument is one that a text may be made for, beside functions and objects.

    Of a dict, which may be that of ``**kwargs``, the text is for its keys, and an empty tuple may
    be that of ``*args``.

    >>> is_flag(None), is_flag("sum"), is_flag({"a": 1.0}), is_flag({0: 1.0}), is_flag(1.0)
    (True, True, True, False, False)
    >>> is_flag(()), is_flag((1.0, 2.0))
    (True, False)
    """
    if type(value) is tuple:
        return not value
    if type(value) is dict:
        return all(type(key) is str for key in value)
    return value is None or type(value) in (bool, str, Presence)
