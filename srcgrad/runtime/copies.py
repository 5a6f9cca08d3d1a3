"""Copies values that may be arrays or plain numbers."""

from __future__ import annotations

from typing import Any


def copied(x: Any) -> Any:
    """Return a copy of an array; a number, which cannot be written into, itself."""
    return x.copy() if hasattr(x, "copy") else x
