"""Names the methods that write into what they are asked of, whatever the type of that is."""

from __future__ import annotations

from typing import Final

SHAPERS: Final = frozenset(
    (
        "append extend insert pop remove clear update setdefault popitem appendleft popleft "
        "extendleft rotate sort reverse"
    ).split()
)
"""The methods that change a list, dict or deque."""

OF_LISTS: Final = frozenset("append extend insert appendleft popleft extendleft rotate".split())
"""Those of them that sets and dicts do not have."""

KEEPING_LENGTH: Final = frozenset("fill sort reverse partition put setflags itemset".split())
"""The methods that change what is in an array or list, and not how much that is."""

WRITING: Final = SHAPERS | frozenset(
    "add discard fill itemset partition put resize setflags".split()
)
"""All of them, with those of sets and arrays."""
