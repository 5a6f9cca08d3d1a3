"""Numbers of axes and lengths that a derivative is tried with, entry by entry."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

GIVEN: Final = (0,)  # in the place of lengths: those of the arguments of a call
STRETCHED: Final = (0, 1)  # longer ones
DIVIDED: Final = (0, 2)  # those over a number, so that they add up as before
LIKE_A_CALL: Final = (GIVEN, STRETCHED, DIVIDED)
OTHERS: Final = ((1,), (3,))
_LENGTHS: Final[tuple[tuple[int, ...], ...]] = (
    *((4,), (3,), (4, 2), (3, 4), (6,), (8,), (2,)),
    (9, 4, 4),  # as many as a place and its neighbours in a plane
)
_SHORT: Final = ((3,), (4,), *_LENGTHS[2:])  # where lanes have told already
_MOST: Final = 16

Trial = tuple[dict[str, Any], tuple[int, ...]]
"""Numbers of axes by names, and lengths."""


def trials(unknown: Sequence[str], known: Mapping[str, Any], *, short: bool) -> Iterator[Trial]:
    """Yield numbers of axes and lengths, until the program's own constants fit them.

    >>> next(trials(["x"], {"w": 2}, short=True))
    ({'x': 1, 'w': 2}, (3,))
    """
    each = (1, 2, 0) if unknown else (1,)
    ranks = [{**dict.fromkeys(unknown, rank), **known} for rank in each]
    mixed = itertools.product((1, 0, 2), repeat=len(unknown) if len(unknown) < 4 else 0)
    ranks += [
        {**dict(zip(unknown, some, strict=True)), **known} for some in mixed if len(set(some)) > 1
    ]
    first, *rest = _SHORT if short else _LENGTHS
    found = [(own, first) for own in ranks[: _MOST // 2]]
    found += [(own, lengths) for lengths in rest for own in ranks[: min(len(each), 2)]]
    yield from found[:_MOST]
