"""Says which names may share memory by the time that a statement runs."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import Any

from srcgrad.analyses.memory import Storage
from srcgrad.analyses.sharing_classes import SharingClasses
from srcgrad.locks import kept_property


class SharingByThen:
    """The classes of names that share memory, as they grow from statement to statement.

    `joined` has pairs of names that share memory since a statement, which is said by its number, in
    order.

    >>> storage = Storage(order={1: 1, 4: 4, 6: 6}, loops=[(3, 5, set())])
    >>> by_then = SharingByThen([(0, "a", "b"), (2, "b", "c"), (5, "c", "d")], storage)
    >>> def with_a(number):
    ...     classes = by_then.numbered(number)
    ...     return [name for name in "abcd" if classes.root(name) == classes.root("a")]
    >>> with_a(1), with_a(4)
    (['a', 'b'], ['a', 'b', 'c', 'd'])
    """

    def __init__(self, joined: list[tuple[float, str, str]], storage: Storage) -> None:
        self._joined = deque(joined)
        self._storage = storage
        self._classes = SharingClasses()

    def when(self, statement: Any) -> SharingClasses:
        """Return the classes when a statement runs; those that are asked for come in order."""
        return self.numbered(self._storage.order[id(statement)])

    def numbered(self, here: int) -> SharingClasses:
        """Return the classes when the statement of a number runs."""
        last = self._last_before(here)
        while self._joined and self._joined[0][0] <= last:
            self._classes.join(*self._joined.popleft()[1:])
        return self._classes

    def _last_before(self, here: int) -> int:
        """Return the number of the last statement that may have run before that of a number."""
        place = bisect_right(self._outer_loops, here, key=lambda span: span[0]) - 1
        return max(here, self._outer_loops[place][1]) if place >= 0 else here

    @kept_property
    def _outer_loops(self) -> list[tuple[int, int]]:
        """The first and the last statement of each loop that is in no other, in order."""
        found: list[tuple[int, int]] = []
        for first, last, _ in self._storage.loops:  # the outer ones come first
            if not found or first > found[-1][1]:
                found.append((first, last))
        return found
