"""Switches the search for NaN and infinity on and off."""

from __future__ import annotations

import threading
from typing import Final


class _Checks(threading.local):
    """What is checked in this thread."""

    nans = False


CHECKS: Final = _Checks()


class Switch:
    """Puts the switch back to where it was, at the end of a ``with`` block."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        """Do nothing: the switch was set when this was made."""

    def __exit__(self, *exc: object) -> None:
        CHECKS.nans = self._before


def debug_nans(enabled: bool = True) -> Switch:
    """Check each value and each adjoint of all derivatives: the first NaN or infinity raises.

    The switch is set at once, for this thread; in a ``with`` statement, until the end of its block.
    Derivatives then run a variant of their text that looks at every value, many times slower.

    Raises:
        NonFiniteError: By the derivatives: with your line, the generated line, the operands and
            what to do.
    """
    before = CHECKS.nans
    CHECKS.nans = enabled
    return Switch(before)
