"""Keeps the derivatives that a call makes, so that the next call need not compile them."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final, TypeVar

Made = TypeVar("Made")
_MOST: Final = 256
_MOST_OF_OBJECTS: Final = 32
_MEMORY: Final = "__srcgrad_made__"


class _Memory:
    """What was made of one function, kept among its attributes: it goes when the function goes."""

    def __init__(self, function: Any = None) -> None:
        self.owner = None if function is None else weakref.ref(function)
        self.made: dict[Any, Any] = {}

    def __reduce__(self) -> Any:
        """Be empty in copies of the function, and where it is unpickled."""
        return _Memory, ()


def made_once(make: Callable[..., Made]) -> Callable[..., Made]:
    """Return `make` with a memory of what it made, for the next time.

    Its first argument, a function, is known by identity (a bound method by those of its function
    and its object), the others are keys. What is made of functions is kept as long as they are;
    of other objects, which may have no place for it, the last few things are.
    """
    others: dict[Any, tuple[Any, Made]] = {}

    @functools.wraps(make)
    def made(f: Any, *options: Any) -> Made:
        memory = _memory_of(f)
        if memory is not None:
            key = (make, *options)
            known: Made | None = memory.get(key)
            if known is None:
                known = memory[key] = make(f, *options)
                _shorten(memory, _MOST)
            return known
        parts = (f.__func__, f.__self__) if isinstance(f, MethodType) else (f,)
        key = (*map(id, parts), *options)
        found = others.get(key)
        if found is None:  # what is kept holds its function, so that no other gets the same id
            found = others[key] = (parts, make(f, *options))
            _shorten(others, _MOST_OF_OBJECTS)
        return found[1]

    return made


def _memory_of(f: Any) -> dict[Any, Any] | None:
    """Return the place for what is made of `f`, if that is a function or a derivative of one."""
    if type(f) is not FunctionType and not (
        hasattr(type(f), "__srcgrad_taken__") and hasattr(f, "__dict__")
    ):
        return None
    memory = f.__dict__.get(_MEMORY)
    if memory is None or memory.owner is None or memory.owner() is not f:  # `wraps` copies it
        memory = f.__dict__[_MEMORY] = _Memory(f)
    made: dict[Any, Any] = memory.made
    return made


def has_attributes(function: FunctionType) -> bool:
    """Say whether a function has attributes beside what is kept here."""
    return not vars(function).keys() <= {_MEMORY}


def _shorten(kept: dict[Any, Any], most: int) -> None:
    if len(kept) > most:
        kept.pop(next(iter(kept)), None)
