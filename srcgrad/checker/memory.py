"""Knows how the parts of one array lie to each other: paths of keys into a root.

Reading a part is a linear function of the whole, writing one adds to the whole; the same part is
read back as it was written, and parts that cannot overlap do not touch each other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from srcgrad.checker import field
from srcgrad.checker.field import ZERO, Matrix, Pair, code_of, hashed

Key = tuple[Any, ...]
Path = tuple[Key, ...]


@lru_cache(maxsize=4096)
def _reading(path: Path) -> Matrix:
    """Return the matrix that reads a part of a whole; a path that goes on from it shares that."""
    if len(path) > 1:
        middle = _middle(path)
        return field.compose(_reading(path[middle:]), _reading(path[:middle]))
    return _step("read", *path)


@lru_cache(maxsize=4096)
def _writing(path: Path) -> Matrix:
    """Return the matrix that adds a part to a whole."""
    if len(path) > 1:
        middle = _middle(path)
        return field.compose(_writing(path[:middle]), _writing(path[middle:]))
    return _step("write", *path)


def _middle(path: Path) -> int:
    """Return where a path is cut in two: at a power of two, so that longer ones are cut there too.

    >>> [_middle(((),) * length) for length in (2, 3, 4, 5, 8, 9)]
    [1, 2, 2, 4, 4, 8]
    """
    return 1 << (len(path) - 1).bit_length() - 1


def _step(what: str, key: Key) -> Matrix:
    if any(item[0] not in "NE" for item in key):
        return field.matrix(code_of(what), _numbers(key))
    return field.IDENTITY


def _numbers(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_numbers(item) for item in value)
    if isinstance(value, str):
        return code_of(value)
    return (-value, 1) if isinstance(value, int) and value < 0 else value  # -1 hashes as -2 does


def gathered_from(path: Path, whole: Pair) -> Pair:
    """Return a part of a whole that nothing was written into."""
    if not path or whole == ZERO:
        return whole
    return field.apply(_reading(path), whole)


def scattered_to(path: Path, part: Pair) -> Pair:
    """Return what a part adds to the whole."""
    if not path or part == ZERO:
        return part
    return field.apply(_writing(path), part)


def transfer(written: Path, read: Path, change: Pair) -> Pair:
    """Return what a change at one path adds to what is read at another."""
    if written == read:
        return change
    common = 0
    for ours, theirs in zip(written, read, strict=False):
        if ours != theirs:
            break
        common += 1
    ours, theirs = written[common:], read[common:]
    if not ours:
        return gathered_from(theirs, change)
    if not theirs:
        return scattered_to(ours, change)
    if _apart(ours[0], theirs[0]):
        return ZERO
    return field.apply(_crossing(ours, theirs), change)


@lru_cache(maxsize=4096)
def _crossing(written: Path, read: Path) -> Matrix:
    return field.matrix(code_of("crossing"), hashed(_numbers(written), _numbers(read)))


def _apart(first: Key, second: Key) -> bool:
    """Say whether two keys surely select different elements."""
    for ours, theirs in zip(first, second, strict=False):
        kinds = ours[0] + theirs[0]
        if kinds == "ii" and ours != theirs and (ours[1] < 0) == (theirs[1] < 0):
            return True
        if kinds == "kk" and ours != theirs:
            return True
        if kinds in ("si", "is"):
            part, index = (ours, theirs[1]) if kinds == "si" else (theirs, ours[1])
            if _outside(part, index):
                return True
        if kinds not in ("ii", "ss", "si", "is"):
            return False
    return False


def _outside(part: Any, index: int) -> bool:
    start, stop = part[1], part[2]
    if part[3] != 5 or index < 0:
        return False
    if isinstance(start, tuple) and start[0] == 0 and 0 <= index < start[1]:
        return True
    return isinstance(stop, tuple) and stop[0] == 0 and 0 <= stop[1] <= index
