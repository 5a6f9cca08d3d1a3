"""Locks that a forked process can take, whatever the other threads of its parent were doing."""

from __future__ import annotations

import os
import threading
from typing import Final
from weakref import WeakSet


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
