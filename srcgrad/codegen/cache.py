"""Keeps generated text in files of a private folder, named by what they hold."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Final

from srcgrad import settings

_DIGITS: Final = 12
_STEM: Final = re.compile(rf"\w+_[0-9a-f]{{{_DIGITS}}}")
_SHARED: Final = stat.S_IWGRP | stat.S_IWOTH


def stem_of(name: str, text: str) -> str:
    """Return the name of the file and module of `text`: `name` and a hash.

    >>> stem_of("loss_grad", "x = 1")
    'loss_grad_8ff436def145'
    """
    name = re.sub(r"\W", "_", name)  # a lambda has brackets in its name
    return f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"


def store(stem: str, text: str) -> Path | None:
    """Make sure that the file of `stem` holds `text`; None if the folder cannot be used."""
    try:
        folder = _private_folder()
        path = folder / f"{stem}.py"
        if not _holds(path, text):
            _write(path, text)
    except OSError:
        return None
    return path


def find(stem: str) -> tuple[Path, str] | None:
    """Return the file of `stem` and its text, or None if there is none or its hash is wrong."""
    if not _STEM.fullmatch(stem):
        return None
    path = settings.cache_directory() / f"{stem}.py"
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    name = stem[: -_DIGITS - 1]
    return (path, text) if stem_of(name, text) == stem else None


def _private_folder() -> Path:
    """Return the folder, made if need be, which nobody else may write to.

    Raises:
        PermissionError: Somebody else owns the folder, or may put files there.
    """
    folder = settings.cache_directory().absolute()
    with contextlib.suppress(FileExistsError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=stat.S_IRWXU)
    if os.name == "posix":
        found = folder.stat()
        if found.st_uid != os.geteuid():
            raise PermissionError(f"{folder} belongs to another user")
        if found.st_mode & _SHARED:
            raise PermissionError(f"others may write to {folder}")
    return folder


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except FileNotFoundError:
        return False


def _write(path: Path, text: str) -> None:
    """Write the file in one step, so that no other process reads half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
