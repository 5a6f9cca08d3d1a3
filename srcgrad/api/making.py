"""Keeps the derivatives that a call makes, so that the next call need not compile them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, Final, TypeVar

Made = TypeVar("Made")
_MOST: Final = 256


def made_once(make: Callable[..., Made]) -> Callable[..., Made]:
    """Return `make` with a memory of the last few hundred things that it made.

    Its first argument, a function, is known by identity (a bound method by those of its function
    and its object), the others are keys.
    """
    kept: dict[Any, tuple[Any, Made]] = {}

    @functools.wraps(make)
    def made(f: Any, *options: Any) -> Made:
        parts = (f.__func__, f.__self__) if isinstance(f, MethodType) else (f,)
        key = (*map(id, parts), *options)
        found = kept.get(key)
        if found is None:  # what is kept holds its function, so that no other gets the same id
            found = kept[key] = (parts, make(f, *options))
            if len(kept) > _MOST:
                kept.pop(next(iter(kept)), None)
        return found[1]

    return made
