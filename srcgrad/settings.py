"""Holds typed options that users set through the environment."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return the folder for generated modules: ``SRCGRAD_CACHE_DIR`` or a private per-user one."""
    chosen = os.environ.get("SRCGRAD_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    return root / "srcgrad"
