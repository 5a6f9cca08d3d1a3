"""Locks that a forked process can take, whatever the other threads of its parent were doing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, overload
from weakref import WeakSet

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class Lock:
    """A reentrant lock; a child of `fork` finds it free unless the forking thread holds it itself.

    What the lock guards must be whole at every moment: the thread that held it in the parent is not
    there to finish.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exc: object) -> None:
        self._lock.release()

    def acquire(self, *, blocking: bool) -> bool:
        """Take the lock; if it is another thread's and `blocking` is False, return False."""
        return self._lock.acquire(blocking=blocking)

    def release(self) -> None:
        """Let go of it."""
        self._lock.release()

    def free(self) -> None:
        """Let go of a lock whose thread is gone; for the only thread of a process."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = threading.RLock()


_LOCKS: Final[WeakSet[Lock]] = WeakSet()


def _free_all() -> None:
    for lock in list(_LOCKS):
        lock.free()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)


class kept_property(Generic[Owner, Value]):
    """A property that is found once, as `functools.cached_property`, but without a lock.

    That of Python 3.11 has one for all objects, which a child of `fork` waits for if another thread
    of its parent held it. Two threads may both find the value, which is the same.

    >>> class Square:
    ...     side = 3
    ...     @kept_property
    ...     def area(self):
    ...         return self.side**2
    >>> square = Square()
    >>> square.area, vars(square)
    (9, {'area': 9})
    """

    def __init__(self, find: Callable[[Owner], Value]) -> None:
        self._find = find
        self.__doc__ = find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> kept_property[Owner, Value]: ...
    @overload
    def __get__(self, instance: Owner, owner: type) -> Value: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        """Return the value, which the object has by itself from then on."""
        if instance is None:
            return self
        value = vars(instance)[self._name] = self._find(instance)
        return value
