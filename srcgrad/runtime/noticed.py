"""Counts what makes a derivative another than that of the values, on purpose."""

from __future__ import annotations

import threading
from typing import Final


class _Noticed(threading.local):
    """What ran in this thread.

    Attributes:
        stops: How often `stop_gradient` did.
        edits: How often a block of `grad_of` was met.
    """

    stops = 0
    edits = 0


NOTICED: Final = _Noticed()
