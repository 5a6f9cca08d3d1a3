"""Sorts names into classes that may share memory."""

from __future__ import annotations

from collections import defaultdict


class SharingClasses:
    """Joins names one pair at a time (union-find).

    >>> classes = SharingClasses()
    >>> classes.join("a", "b")
    >>> sorted(classes.classes()[classes.root("a")])
    ['a', 'b']
    """

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def root(self, name: str) -> str:
        """Return the name that stands for the class of a name."""
        parent = self._parent.setdefault(name, name)
        while parent != self._parent[parent]:
            self._parent[parent] = self._parent[self._parent[parent]]
            parent = self._parent[parent]
        return parent

    def join(self, first: str, second: str) -> None:
        """Put two names into one class."""
        self._parent[self.root(first)] = self.root(second)

    def classes(self) -> dict[str, set[str]]:
        """Return the classes by the names that stand for them."""
        found: dict[str, set[str]] = defaultdict(set)
        for name in list(self._parent):
            found[self.root(name)].add(name)
        return found
