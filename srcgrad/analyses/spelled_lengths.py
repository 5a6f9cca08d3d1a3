"""Spells lengths of axes: of arguments, what slices leave of them, and sums of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Length = tuple[Any, ...] | int | None
"""The length of an axis: ``("x", 0)``, axis 0 of an argument; ``("n", "value")``, an integer
argument itself; ``("less", length, 2)`` and ``("part", length, (0, None, 2))``, what slices leave
of a length, where the end may be a length, too; ``("cut", length, bounds)``, what a slice by other
integers of the program leaves; ``("share", length, (3, 4))``, three times the whole quarters of
one; `apart`, a sum of lengths; a number; or unknown."""

Vector = tuple[Length, ...]
"""The lengths of all axes of a value."""


def apart(terms: Iterable[tuple[Length, int]], constant: int) -> Length:
    """Return a sum of lengths, each so many times, and of a number: 0 where that is negative.

    So far are the bounds of a slice apart that surely lies within an axis.

    >>> apart([(("x", 0), 1), (("k", 0), -1)], 1)
    ('apart', ((('k', 0), -1), (('x', 0), 1)), 1)
    >>> apart([(("x", 0), 1), (("k", 0), 0)], -2), apart([(5, 1), (3, -1)], 1)
    (('less', ('x', 0), 2), 3)
    """
    found: dict[Length, int] = {}
    for item, factor in terms:
        base, more = summed(item) if isinstance(item, int) else (item, 0)
        constant += factor * more
        if base is not None:
            found[base] = found.get(base, 0) + factor
    kept = tuple(sorted(((n, times) for n, times in found.items() if times), key=repr))
    if not kept:
        return max(0, constant)
    ((first, times), *others) = kept
    if not others and times == 1 and is_axis(first):
        return less(first, -constant)
    return ("apart", kept, constant)


def share(length: Length, count: int, parts: int) -> Length:
    """Return `count` times the whole part of a length divided by `parts`.

    >>> share(("b", 0), 2, 4), share(9, 2, 4)
    (('share', ('b', 0), (2, 4)), 4)
    """
    if length is None or count <= 0 or parts < 2:
        return None
    if isinstance(length, int):
        return length // parts * count
    return ("share", length, (count, parts))


def upto(length: Length, lower: Length, upper: Length) -> Length:
    """Return what a slice from a number up to some other length leaves of a length.

    >>> upto(("x", 0), None, ("n", "value")), upto(("x", 0), -1, ("n", "value"))
    (('part', ('x', 0), (0, ('n', 'value'), None)), None)
    """
    if length is None or isinstance(lower, tuple) or not isinstance(upper, tuple):
        return None
    return ("part", length, (lower or 0, upper, None)) if (lower or 0) >= 0 else None


def is_axis(length: Length) -> bool:
    """Say whether a length is that of an axis, and so no negative number."""
    return isinstance(length, tuple) and len(length) == 2 and length[1] != "value"


def summed(length: Length) -> tuple[Length, int]:
    """Return a length as the sum of one that nothing is added to and of a number."""
    if isinstance(length, int):
        return None, length
    if isinstance(length, tuple) and len(length) == 3 and length[0] == "less":
        return length[1], -length[2]
    return length, 0


def less(length: Length, cut: int) -> Length:
    """Return what is left of a length when a slice cuts off as many entries.

    >>> less(("x", 0), 2), less(("less", ("x", 0), 2), -1), less(5, 2), less(None, 1)
    (('less', ('x', 0), 2), ('less', ('less', ('x', 0), 2), -1), 3, None)
    >>> less(less(("x", 0), 2), 1), less(less(("x", 0), -4), 1), less(less(("x", 0), -1), 3)
    (('less', ('x', 0), 3), ('less', ('x', 0), -3), ('less', ('less', ('x', 0), -1), 3))
    """
    if length is None or cut == 0:
        return length
    if isinstance(length, tuple) and len(length) == 3 and length[0] == "less":
        _, whole, before = length
        together = before + cut
        if before > 0 and cut > 0:  # what is left of nothing is nothing
            return ("less", whole, together)
        if is_axis(whole) and before < 0 and together <= 0:  # and more than nothing is something
            return ("less", whole, together) if together else whole
    return max(0, length - cut) if isinstance(length, int) else ("less", length, cut)


def sliced(length: Length, bounds: tuple[int | None, int | None, int | None]) -> Length:
    """Return what a slice of constant bounds leaves of a length.

    >>> sliced(("x", 0), (1, -1, None)), sliced(("x", 0), (None, None, 2)), sliced(5, (1, None, 2))
    (('less', ('x', 0), 2), ('part', ('x', 0), (None, None, 2)), 2)
    """
    if isinstance(length, int):
        return len(range(*slice(*bounds).indices(length)))
    lower, upper, step = bounds
    from_start, from_end = lower or 0, upper or 0
    if step in (None, 1) and from_start >= 0 and (upper is None or from_end < 0):
        return less(length, from_start - from_end)
    if bounds == (None, None, -1):
        return length
    if step in (None, 1) and upper is not None and from_start >= from_end >= 0:
        return 0
    return None if length is None else ("part", length, bounds)


def cut_by(length: Length) -> frozenset[str]:
    """Return the integers of the program that a length has to do with.

    >>> sorted(cut_by(("less", ("cut", ("x", 0), (((("i", 1),), 1), None, None)), 2)))
    ['i']
    """
    if not isinstance(length, tuple) or len(length) != 3 or length[0] == "apart":
        return frozenset()
    kind, inner, rest = length
    bounds = rest if kind == "cut" else ()
    own = frozenset(name for bound in bounds if bound for name, _ in bound[0])
    own |= cut_by(rest[1]) if kind == "part" else own
    return own | cut_by(inner)


def is_part_of(length: Length, other: Length) -> bool:
    """Say whether a length is what another is made of."""
    if length == other or not isinstance(other, tuple) or len(other) != 3:
        return length == other
    if other[0] == "apart":
        return any(is_part_of(length, item) for item, _ in other[1])
    return is_part_of(length, other[1])
