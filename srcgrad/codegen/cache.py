"""Keeps generated text in files of a private folder, named by what they hold."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from srcgrad import settings
from srcgrad.codegen.folders import check_file, check_folder, make_private

_DIGITS: Final = 32  # 128 bits: nobody finds two texts of one name
_LONGEST: Final = 80
_STEM: Final = re.compile(rf"[A-Za-z_]\w*_[0-9a-f]{{{_DIGITS}}}", re.ASCII)
_OLD_STEM: Final = re.compile(r"\w+_[0-9a-f]{12}")  # as earlier versions named them
_RECORD: Final = ".known"
_TEMPORARY: Final = ".tmp"
_SWEEP_EVERY: Final = 64
_FRESH: Final = 3600.0  # seconds in which a file need not be marked as used again
_ABANDONED: Final = 3600.0  # seconds after which nobody is still writing a temporary file
_PLAINLY: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MOST_NOTED: Final = 4096
_STORED: Final[dict[Path, Any]] = {}
_WRITTEN: Final = itertools.count()


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the cache folder."""

    file: str  # there are thousands, of which few are looked at
    size: int
    used: float

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.file)

    @property
    def is_record(self) -> bool:
        """Whether it says what is known of a text, and is none itself."""
        return self.file.endswith(_RECORD)

    @property
    def is_temporary(self) -> bool:
        """Whether somebody is writing it, or has left it."""
        return self.file.endswith(_TEMPORARY)


@functools.lru_cache(maxsize=512)
def stem_of(name: str, text: str) -> str:
    """Return the name of the file and module of `text`: `name` and a hash.

    >>> stem_of("loss_grad", "x = 1")
    'loss_grad_8ff436def1451285599a1b1ad7080049'
    """
    name = re.sub(r"[^0-9A-Za-z_]", "_", name)[:_LONGEST]  # a lambda has brackets in its name
    if not name or name[0].isdigit():
        name = f"_{name}"
    return f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"


def stem_in(name: str) -> str:
    """Return the stem that a module's last name begins with; of copies `_2` and so on follow.

    >>> stem_in("loss_grad_8ff436def1451285599a1b1ad7080049_2")
    'loss_grad_8ff436def1451285599a1b1ad7080049'
    """
    return name if _STEM.fullmatch(name) else name.rpartition("_")[0]


def store(stem: str, text: str) -> Path | None:
    """Make sure that the file of `stem` holds `text`; None if the folder cannot be used."""
    folder = settings.cache_directory()
    if folder is None:
        return None
    path = folder / f"{stem}.py"
    try:
        make_private(folder)
        check_folder(folder)
        noted = _STORED.get(path)
        if noted is not None and noted == _signature(path):
            return path
        if _read(path) == text.encode():
            _mark_used(path)
            _note_stored(path)
            return path
        _write(path, text.encode())
        _note_stored(path)
    except OSError:
        return None
    _sweep_now_and_then(path)
    return path


def find(stem: str) -> tuple[Path, str] | None:
    """Return the file of `stem` and its text, or None if there is none or its hash is wrong.

    Nothing is found in a folder that would not be written to.
    """
    folder = settings.cache_directory()
    if folder is None or not _STEM.fullmatch(stem):
        return None
    path = folder / f"{stem}.py"
    try:
        check_folder(folder)
        text = (_read(path) or b"").decode()
        _mark_used(path)
    except (OSError, UnicodeDecodeError):
        return None
    name = stem[: -_DIGITS - 1]
    return (path, text) if stem_of(name, text) == stem else None


def store_record(stem: str, data: bytes) -> None:
    """Write what is known of a text into the file of `stem`, if the folder can be used."""
    folder = settings.cache_directory()
    if folder is None:
        return
    path = folder / f"{stem}{_RECORD}"
    try:
        make_private(folder)
        check_folder(folder)
        _write(path, data)
    except OSError:
        return
    _sweep_now_and_then(path)


def find_record(stem: str) -> bytes | None:
    """Return what is known of a text by the file of `stem`, or None if there is none.

    Nothing is found in a folder that would not be written to.
    """
    folder = settings.cache_directory()
    if folder is None:
        return None
    path = folder / f"{stem}{_RECORD}"
    try:
        check_folder(folder)
        data = _read(path)
        if data is not None:
            _mark_used(path)
    except OSError:
        return None
    return data


def why_unusable() -> str:
    """Return why texts are kept in memory alone; nothing if the folder can be used."""
    folder = settings.cache_directory()
    if folder is None:
        return "there is no such folder"
    try:
        if folder.exists():
            check_folder(folder)
    except OSError as error:
        return str(error)
    return ""


def entries() -> list[Entry]:
    """Return the texts in the cache folder, and what is known of them, the last used at the end."""
    return _by_use(_files())


def clear() -> int:
    """Remove all texts and temporary files of the cache folder; return how many files went."""
    return sum(_remove(item.path) for item in _files())


def _sweep_now_and_then(keep: Path) -> None:
    if next(_WRITTEN) % _SWEEP_EVERY == 0:
        sweep(keep)


def sweep(keep: Path | None = None) -> None:
    """Remove what was not used for longest until the folder is small enough, and what was left.

    Files under `keep` stay. A process that has loaded a text has no more need of its file, unless
    functions of it are to be unpickled elsewhere.
    """
    now, listed = time.time(), list(_files())
    for item in listed:
        if item.is_temporary and now - item.used > _ABANDONED:
            _remove(item.path)
    size, most = sum(i.size for i in listed if not i.is_temporary), settings.cache_size()
    if size <= most:
        return
    for item in _by_use(listed):
        if size <= most * 3 // 4:
            break
        if item.path != keep:
            size -= item.size if _remove(item.path) else 0


def _files() -> Iterator[Entry]:
    """Yield our files: texts, and the temporary ones that somebody is writing or has left."""
    folder = settings.cache_directory()
    try:
        if folder is None:
            return
        check_folder(folder)
        listed = list(os.scandir(folder))
    except OSError:
        return
    for item in listed:
        if not _is_ours(item.name):  # of the name: a path of each costs most of a sweep
            continue
        with contextlib.suppress(OSError):
            found = item.stat(follow_symlinks=False)
            if stat.S_ISREG(found.st_mode):
                yield Entry(item.path, found.st_size, max(found.st_atime, found.st_mtime))


def _signature(path: Path) -> Any:
    """Return what changes if somebody writes to a file."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _note_stored(path: Path) -> None:
    """Remember that a file holds its text, for as long as it does not change."""
    if len(_STORED) >= _MOST_NOTED:
        _STORED.clear()
    _STORED[path] = _signature(path)


def _by_use(listed: Iterable[Entry]) -> list[Entry]:
    texts = [item for item in listed if not item.is_temporary]
    return sorted(texts, key=lambda item: item.used)


def _is_ours(name: str) -> bool:
    stem, dot, ending = name.rpartition(".")
    if dot + ending == _TEMPORARY:
        return stem.startswith(".")
    is_kept = dot + ending in (".py", _RECORD)
    return is_kept and (_STEM.fullmatch(stem) or _OLD_STEM.fullmatch(stem)) is not None


def _remove(path: Path) -> bool:
    """Remove a file, and what Numba has compiled of it."""
    try:
        path.unlink()
    except OSError:
        return False
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.nb?"):
        with contextlib.suppress(OSError):
            compiled.unlink()
    return True


def _mark_used(path: Path) -> None:
    """Note that a text is used, by the time of access of its file.

    That of its last change stays: by that Numba knows what it has compiled of it.
    """
    with contextlib.suppress(OSError):
        found, now = path.stat(), time.time()
        if now - max(found.st_atime, found.st_mtime) > _FRESH:
            os.utime(path, ns=(int(now * 1e9), found.st_mtime_ns))


def _read(path: Path) -> bytes | None:
    """Return what a file of the user's own holds, or None if there is no such file."""
    try:
        handle = os.open(path, os.O_RDONLY | _PLAINLY)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        try:
            check_file(os.fstat(handle), path)
        except PermissionError:
            return None
        return file.read()


def _write(path: Path, data: bytes) -> None:
    """Write the file in one step, so that no other process reads half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
