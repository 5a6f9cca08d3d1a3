"""Holds typed options that users set through the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_MEGABYTE: Final = 1_000_000
_USUAL_SIZE: Final = 256


def cache_directory() -> Path | None:
    """Return the folder for generated modules: ``SRCGRAD_CACHE_DIR`` or a private per-user one.

    None if there is none, as for a user without a home.
    """
    chosen = os.environ.get("SRCGRAD_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():  # the XDG specification wants others to be ignored
        return Path(base) / "srcgrad"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ".cache" / "srcgrad" if home.is_absolute() else None


def cache_size() -> int:
    """Return how many bytes the cache folder may hold: ``SRCGRAD_CACHE_SIZE`` megabytes, or 256."""
    try:
        chosen = float(os.environ.get("SRCGRAD_CACHE_SIZE", ""))
    except ValueError:
        chosen = _USUAL_SIZE
    return int(max(chosen, 0.0) * _MEGABYTE) if chosen < float("inf") else 1 << 62


def remembers() -> bool:
    """Say whether other processes are to know what this one compiles, unless it is not wanted.

    ``SRCGRAD_REMEMBER=0`` says so.
    """
    return os.environ.get("SRCGRAD_REMEMBER", "") != "0"


def verifies() -> bool:
    """Say whether ``SRCGRAD_VERIFY`` asks for a check of every generated text."""
    return os.environ.get("SRCGRAD_VERIFY", "").lower() not in ("", "0", "false", "no")
