"""Says which lengths of axes agree, and what has to be assumed of the arguments for it.

What is assumed is what held for the arguments at hand: two lengths that met and were equal are
taken to be equal at every call, and the condition is kept, to be checked there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

Length = tuple[Any, ...] | int | None
"""The length of an axis: ``("x", 0)``, axis 0 of an argument; ``("n", "value")``, an integer
argument itself; ``("less", length, 2)`` and ``("part", length, (0, None, 2))``, what slices leave
of a length; ``("cut", length, bounds)``, what a slice by integers of the program leaves;
``("share", length, (3, 4))``, three times the whole quarters of one; a number; or unknown."""

Vector = tuple[Length, ...]
"""The lengths of all axes of a value."""

Seen = Mapping[str, "tuple[int, ...] | int"]
"""The shapes of the arrays among the arguments at hand, and the values of the numbers, if whole."""


class Lengths:
    """What is known of lengths, and what was assumed of them.

    >>> lengths = Lengths({"x": (3, 4), "b": (4,), "y": (3, 4)})
    >>> lengths.join((("x", 0), ("x", 1)), (("b", 0),))
    (('x', 0), ('x', 1))
    >>> lengths.join((("x", 0), ("x", 1)), (("y", 0), ("y", 1)))
    (('x', 0), ('x', 1))
    >>> lengths.conditions
    ('len(b) == x.shape[1]', 'y.shape == x.shape')
    >>> lengths = Lengths({"x": (5,), "s": (3,)})
    >>> lengths.agree(less(("x", 0), 2), ("s", 0)), lengths.conditions
    (True, ('len(s) == len(x) - 2',))
    >>> lengths = Lengths({"x": (5,), "s": (5,)})
    >>> lengths.agree(less(("x", 0), 2), less(("s", 0), 2)), lengths.conditions
    (True, ('s.shape == x.shape',))
    """

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._equal: dict[Length, Length] = {}
        self._assumed: list[tuple[Length, Length]] = []

    def find(self, length: Length) -> Length:
        """Return the length that stands for all those that agree with a given one."""
        if isinstance(length, tuple) and len(length) == 3:
            kind, inner, rest = length
            inner = self.find(inner)
            length = less(inner, rest) if kind == "less" else (kind, inner, rest)
        while length in self._equal:
            length = self._equal[length]
        return length

    def settled(self, vector: Vector | None) -> Vector | None:
        """Return a vector by the lengths that stand for its own."""
        return None if vector is None else tuple(self.find(item) for item in vector)

    def agree(self, first: Length, second: Length) -> bool:
        """Say whether two lengths are equal, assuming it if they are so for what was seen."""
        first, second = self.find(first), self.find(second)
        if first is None or second is None:
            return False
        if first == second:
            return True
        size = self._size(first)
        if size is None or size != self._size(second):
            return False
        if (wholes := _uncut(first, second)) is not None and self.agree(*wholes):
            return True
        swapped = isinstance(second, int) or _is_part_of(second, first)
        keep, gone = (second, first) if swapped else (first, second)
        self._equal[gone] = keep
        self._assumed.append((gone, keep))
        return True

    def between(self, length: Length, lower: Length, upper: Length) -> Length:
        """Return what a slice leaves of a length whose bounds are so many shares of it.

        >>> lengths = Lengths({"b": (8,)})
        >>> quarter, half = (share(("b", 0), count, 4) for count in (1, 2))
        >>> lengths.between(("b", 0), quarter, half) == quarter
        True
        >>> lengths.between(("b", 0), half, None) == half, lengths.conditions
        (True, ('len(b) // 4 * 4 == len(b)',))
        """
        given = [item for item in (lower, upper) if isinstance(item, tuple)]
        if any(item[0] != "share" or not self.agree(length, item[1]) for item in given):
            return None
        if len({item[2][1] for item in given}) != 1 or lower not in (None, 0, *given):
            return None
        count = given[0][2][1]
        first = lower[2][0] if isinstance(lower, tuple) else 0
        last = upper[2][0] if isinstance(upper, tuple) else count
        if upper is None and not self.agree(share(length, count, count), length):
            return None
        if isinstance(upper, int) or not first <= last <= count:
            return None
        return share(self.find(length), last - first, count)

    def join(self, first: Vector, second: Vector) -> Vector:
        """Return the lengths of two values that are broadcast together."""
        size = max(len(first), len(second))
        ours = (1,) * (size - len(first)) + first
        theirs = (1,) * (size - len(second)) + second
        return tuple(self._longer(a, b) for a, b in zip(ours, theirs, strict=True))

    def meet(self, first: Vector | None, second: Vector | None) -> Vector | None:
        """Return what two values that one name may be bound to have in common."""
        if first is None or second is None or len(first) != len(second):
            return None
        pairs = zip(first, second, strict=True)
        return tuple(self.find(a) if self.agree(a, b) else None for a, b in pairs)

    def fit(self, stored: Vector | None, place: Vector | None) -> None:
        """Take what is stored into a place for as large as it, where it is so at hand."""
        if stored is not None and place is not None and len(stored) <= len(place):
            self.join(place, stored)

    def _longer(self, a: Length, b: Length) -> Length:
        if b in (1, a):
            return a
        if a == 1:
            return b
        if self.agree(a, b):
            return self.find(a)
        for one, other in ((a, b), (b, a)):
            if self._size(self.find(one)) == 1 and self.agree(one, 1):
                return other
        return None

    def _size(self, length: Length) -> int | None:
        """Return a length for the arguments at hand, if it is one that can be told of them."""
        if isinstance(length, int) or length is None:
            return length
        name, axis = length[0], length[1]
        if name == "share":
            whole = self._size(self.find(axis))
            return None if whole is None else whole // length[2][1] * length[2][0]
        if name == "less":
            whole = self._size(self.find(axis))
            return None if whole is None or whole < length[2] else whole - length[2]
        found = self._seen.get(name) if len(length) == 2 else None
        if axis == "value":
            return found if isinstance(found, int) else None
        known = isinstance(found, tuple) and isinstance(axis, int) and axis < len(found)
        return found[axis] if known and isinstance(found, tuple) else None

    @property
    def conditions(self) -> tuple[str, ...]:
        """What was assumed, as Python expressions of the arguments; whole shapes at once."""
        pairs: dict[tuple[str, str], list[tuple[Length, Length]]] = defaultdict(list)
        for first, second in self._assumed:
            owner = second[0] if isinstance(second, tuple) else ""
            pairs[first[0] if isinstance(first, tuple) else "", owner].append((first, second))
        found: list[str] = []
        for (left, right), lengths in pairs.items():
            if left and right and self._whole(left, right, lengths):
                found.append(f"{left}.shape == {right}.shape")
            else:
                found.extend(f"{self._text(a)} == {self._text(b)}" for a, b in lengths)
        return tuple(found)

    def _whole(self, left: str, right: str, lengths: list[tuple[Length, Length]]) -> bool:
        ours, theirs = self._seen.get(left), self._seen.get(right)
        both = isinstance(ours, tuple) and isinstance(theirs, tuple) and len(ours) == len(theirs)
        if not both or not isinstance(ours, tuple):
            return False
        return set(lengths) == {((left, i), (right, i)) for i in range(len(ours))}

    def _text(self, length: Length) -> str:
        if not isinstance(length, tuple):
            return str(length)
        if len(length) == 3:
            kind, whole, rest = length
            inner = self._text(whole)
            if kind == "less":
                return f"{inner} {'-' if rest > 0 else '+'} {abs(rest)}"
            count, parts = rest
            inner = f"({inner})" if isinstance(whole, tuple) and whole[0] == "less" else inner
            return f"{inner} // {parts}" + (f" * {count}" if count != 1 else "")
        name, axis = length
        if axis == "value":
            return str(name)
        return f"len({name})" if self._seen.get(name) and axis == 0 else f"{name}.shape[{axis}]"


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


def _is_part_of(length: Length, other: Length) -> bool:
    """Say whether a length is what another is made of."""
    inside = isinstance(other, tuple) and len(other) == 3
    return length == other or (inside and _is_part_of(length, other[1]))  # type: ignore[index]


def _uncut(first: Length, second: Length) -> tuple[Length, Length] | None:
    """Return two lengths before slices cut as much off both, or None if they do not.

    >>> _uncut(("less", ("x", 0), 2), ("less", ("y", 0), 2)), _uncut(3, ("less", ("x", 0), 1))
    ((('x', 0), ('y', 0)), (4, ('x', 0)))
    """
    pair = (first, second)
    cuts = {item[2] for item in pair if isinstance(item, tuple) and item[0] == "less"}
    if len(cuts) != 1 or not all(isinstance(n, int) or (n and n[0] == "less") for n in pair):
        return None
    (cut,) = cuts
    ours, theirs = (item + cut if isinstance(item, int) else item and item[1] for item in pair)
    return ours, theirs


def cut_by(length: Length) -> frozenset[str]:
    """Return the integers of the program that a length has to do with.

    >>> sorted(cut_by(("less", ("cut", ("x", 0), (((("i", 1),), 1), None, None)), 2)))
    ['i']
    """
    if not isinstance(length, tuple) or len(length) != 3:
        return frozenset()
    kind, inner, rest = length
    bounds = rest if kind == "cut" else ()
    own = frozenset(name for bound in bounds if bound for name, _ in bound[0])
    return own | cut_by(inner)


def outside(vector: Vector | None) -> Vector | None:
    """Return axes as another function knows them, which has other integers than this one.

    >>> outside((("x", 0), ("cut", ("x", 1), (((("i", 1),), 1), None, None))))
    (('x', 0), None)
    """
    if vector is None:
        return None
    return tuple(None if cut_by(length) else length for length in vector)


def less(length: Length, cut: int) -> Length:
    """Return what is left of a length when a slice cuts off as many entries.

    >>> less(("x", 0), 2), less(("less", ("x", 0), 2), -1), less(5, 2), less(None, 1)
    (('less', ('x', 0), 2), ('less', ('less', ('x', 0), 2), -1), 3, None)
    >>> less(less(("x", 0), 2), 1)
    ('less', ('x', 0), 3)
    """
    if length is None or cut == 0:
        return length
    if isinstance(length, tuple) and len(length) == 3 and length[0] == "less":
        _, whole, before = length
        if before > 0 and cut > 0:  # what is left of nothing is nothing
            return ("less", whole, before + cut)
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
    return None if length is None else ("part", length, bounds)


def summed_axes(result: Vector, operand: Vector) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the axes over which broadcasting is undone: those it added, and those it stretched.

    None if the lengths are not known well enough.
    """
    lead = len(result) - len(operand)
    if lead < 0:
        return None
    stretched: list[int] = []
    for position, (ours, theirs) in enumerate(zip(result[lead:], operand, strict=True)):
        if theirs == 1:
            if ours != 1:
                stretched.append(lead + position)
        elif ours is None or ours != theirs:
            return None
    return tuple(range(lead)), tuple(stretched)
