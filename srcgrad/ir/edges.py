"""Follows edges between names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def followed(starts: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the names that some reach by one edge or more; themselves only if they come back.

    >>> sorted(followed(["a"], {"a": "bc", "b": "d", "d": "b"}))
    ['b', 'c', 'd']
    """
    found: set[str] = set()
    waiting = [name for start in starts for name in edges.get(start, ())]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += edges.get(name, ())
    return found
