"""Says whether a folder is the user's own, so that what lies there may be run."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

_SHARED: Final = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS: Final = 40


class UntrustedError(PermissionError):
    """Somebody else may put files in the way."""


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the user alone."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for item in reversed(missing):
        item.mkdir(mode=stat.S_IRWXU, exist_ok=True)


def check_folder(folder: Path) -> None:
    """Refuse a folder to which others may write, or which they may replace by one of theirs.

    Every folder above it and every link on the way is looked at.

    Raises:
        UntrustedError: It is not the user's alone; the message says which part is not.
        OSError: There is no such folder.
    """
    if os.name != "posix":
        return  # where folders of users have no modes
    real = _followed(folder.absolute(), _MOST_LINKS)
    found = real.stat()
    if found.st_uid != os.geteuid():
        raise UntrustedError(f"{real} belongs to another user")
    if found.st_mode & _SHARED:
        raise UntrustedError(f"others may write to {real}")


def check_file(file: os.stat_result, name: Path) -> None:
    """Refuse a file that is no plain one of the user's own.

    Raises:
        UntrustedError: It is somebody else's, or others may write into it.
    """
    if not stat.S_ISREG(file.st_mode):
        raise UntrustedError(f"{name} is not a plain file")
    if os.name == "posix" and (file.st_uid != os.geteuid() or file.st_mode & _SHARED):
        raise UntrustedError(f"{name} is not the user's alone")


def _followed(path: Path, links: int) -> Path:
    """Return where a path leads, after a look at each step of it."""
    real = Path(path.anchor)
    for part in path.parts[1:]:
        if part == os.pardir:
            real = real.parent
            continue
        found = (real / part).lstat()
        if not stat.S_ISLNK(found.st_mode):
            real = real / part
            if not _is_safe(found):
                raise UntrustedError(f"others may replace what is in {real}")
            continue
        if links == 0:
            raise UntrustedError(f"{path} has too many links")
        if found.st_uid not in (0, os.geteuid()):
            raise UntrustedError(f"{real / part} is a link of another user")
        real = _followed(real / (real / part).readlink(), links - 1)
    return real


def _is_safe(found: os.stat_result) -> bool:
    """Say whether what lies in a folder is safe from everybody but its owner and the system."""
    if found.st_uid not in (0, os.geteuid()):
        return False
    shared = found.st_mode & _SHARED
    if shared == stat.S_IWGRP and found.st_gid == os.geteuid():
        return True  # the group that a user has alone, by its number
    return not shared or bool(found.st_mode & stat.S_ISVTX)
