"""Says which lengths of axes agree, and what has to be assumed of the arguments for it.

What is assumed is what held for the arguments at hand: two lengths that met and were equal are
taken to be equal at every call, and the condition is kept, to be checked there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from srcgrad.analyses.spelled_lengths import (
    Length,
    Vector,
    apart,
    cut_by,
    is_axis,
    is_part_of,
    less,
    share,
    sliced,
    summed,
)


class Places(tuple[int, ...]):
    """The shape of an array of integers or of truths, which may be an index.

    Attributes:
        kind: "integers" or "truths".
    """

    kind: str

    @classmethod
    def of(cls, shape: tuple[int, ...], kind: str) -> Places:
        """Return the shape of an array of some kind."""
        made = cls(shape)
        made.kind = kind
        return made


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

    def __init__(self, seen: Seen, equal: Iterable[tuple[Length, Length]] = ()) -> None:
        self._seen = seen
        self._equal: dict[Length, Length] = dict(equal)
        self._assumed: list[tuple[Length, Length]] = []

    def find(self, length: Length) -> Length:
        """Return the length that stands for all those that agree with a given one."""
        if not self._equal and not (isinstance(length, tuple) and len(length) == 3):
            return length  # as most
        length = self._made_of_found(length)
        while length in self._equal:
            length = self._made_of_found(self._equal[length])
        return length

    def _made_of_found(self, length: Length) -> Length:
        """Return a length by those that stand for what it is made of."""
        if not isinstance(length, tuple) or len(length) != 3:
            return length
        kind, inner, rest = length
        if kind == "apart":
            return apart([(self.find(item), factor) for item, factor in inner], rest)
        inner = self.find(inner)
        if kind == "part":
            end = self.find(rest[1])
            rest = (rest[0], end, rest[2])
            if isinstance(inner, int) and not isinstance(end, tuple):
                return sliced(inner, (rest[0], end, rest[2]))
        return less(inner, rest) if kind == "less" else (kind, inner, rest)

    def _unite(self, gone: Length, keep: Length, spelled: Length = None) -> None:
        """Take a length for another from now on, which is assumed of it as it is `spelled`."""
        self._equal[gone] = keep
        self._assumed.append((spelled or gone, keep))
        for length, other in list(self._equal.items()):
            same, found = self._made_of_found(length), self.find(other)
            if same != length and same not in self._equal and same != found:
                turned = isinstance(same, int)  # which stands for all that agrees with it
                self._equal[found if turned else same] = same if turned else other

    def told(self, words: Mapping[Length, Length]) -> tuple[tuple[Length, Length], ...]:
        """Return which lengths agree, for a function that has words of its own for some of them.

        >>> lengths = Lengths({"x": (5, 3)})
        >>> lengths.agree(("part", ("x", 1), (0, 1, None)), 1)
        True
        >>> lengths.told({("x", 1): ("a", 0)})
        ((('part', ('a', 0), (0, 1, None)), 1),)
        """
        pairs = [
            (self._in(words, gone), self._in(words, keep)) for gone, keep in self._equal.items()
        ]
        return tuple((ours, theirs) for ours, theirs in pairs if ours != theirs and ours and theirs)

    def _in(self, words: Mapping[Length, Length], length: Length) -> Length:
        """Return a length in such words, or None."""
        if length in words or not isinstance(length, tuple):
            return words.get(length, length)
        whole = len(length) == 3 and length[0] != "apart"
        inner = self._in(words, self.find(length[1])) if whole else None
        if not inner or length[0] == "cut":
            return None
        rest = length[2]
        if length[0] == "part" and isinstance(rest[1], tuple):
            rest = (rest[0], self._in(words, self.find(rest[1])), rest[2])
        return (length[0], inner, rest) if length[0] != "part" or rest[1] else None

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
        first, second = self.counted(first), self.counted(second)
        if first == second:
            return True
        if (wholes := _cut_alike(first, second)) is not None:
            return self.agree(*wholes)
        size = self._size(first)
        if size is None or size != self._size(second):
            return False
        if (wholes := _uncut(first, second)) is not None and self.agree(*wholes):
            return True
        swapped = isinstance(second, int) or is_part_of(second, first)
        keep, gone = (second, first) if swapped else (first, second)
        self._unite(gone, keep)
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
        if first == second:
            return first
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

    def counted(self, length: Length) -> Length:
        """Return how many entries a slice between two numbers takes, of an axis that has so many.

        >>> lengths = Lengths({"x": (5, 3)})
        >>> lengths.join((("x", 0), ("part", ("x", 1), (1, 2, None))), (1, ("x", 0)))
        (('x', 0), ('x', 0))
        >>> lengths.conditions
        ('x.shape[1] >= 2',)
        >>> lengths = Lengths({"x": (5,), "n": 4})
        >>> lengths.counted(("part", ("x", 0), (1, ("n", "value"), None)))
        ('less', ('n', 'value'), 1)
        >>> lengths.conditions
        ('n >= 1', 'len(x) >= n')
        """
        ends = _ends(length)
        if ends is None or not isinstance(length, tuple):
            return length
        first, last = ends[0], self.counted(self.find(ends[1]))
        whole = self.counted(self.find(length[1]))
        least, most = self._size(last), self._size(whole)
        if least is None or most is None or not first <= least <= most:
            return length
        count = less(last, first)
        self._unite(length, count, ("part", whole, (first, last, None)))
        return count

    def _longer(self, a: Length, b: Length) -> Length:
        if a != b:
            a, b = self.counted(self.find(a)), self.counted(self.find(b))
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
        if name == "apart":
            return self._size_of_sum(axis, length[2])
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

    def _size_of_sum(self, terms: Sequence[tuple[Length, int]], constant: int) -> int | None:
        """Return a sum of lengths for the arguments at hand, if it is not negative there."""
        total = constant
        for item, factor in terms:
            size = self._size(self.find(item))
            if size is None:
                return None
            total += factor * size
        return total if total >= 0 else None

    @property
    def conditions(self) -> tuple[str, ...]:
        """What was assumed, as Python expressions of the arguments; whole shapes at once."""
        pairs: dict[tuple[str, str], list[tuple[Length, Length]]] = defaultdict(list)
        for first, second in self._assumed:
            owner = second[0] if isinstance(second, tuple) else ""
            pairs[first[0] if isinstance(first, tuple) else "", owner].append((first, second))
        found: list[str] = []
        least: dict[Length, dict[Length, int]] = defaultdict(dict)
        for (left, right), lengths in pairs.items():
            if left and right and self._whole(left, right, lengths):
                found.append(f"{left}.shape == {right}.shape")
                continue
            for a, b in lengths:
                if (ends := _ends(a)) is not None and isinstance(a, tuple):
                    first, last = ends
                    least[a[1]][last] = max(first, least[a[1]].get(last, 0))
                else:
                    found.append(f"{self._text(a)} == {self._text(b)}")
        return (*found, *(text for n, ends in least.items() for text in self._least(n, ends)))

    def _least(self, whole: Length, ends: Mapping[Length, int]) -> list[str]:
        """Return how long an axis has to be, for slices up to some ends to be so long."""
        found: list[str] = []
        known, most = summed(self.find(whole)), dict[Length, int]()
        for last, first in ends.items():
            base, more = summed(self.find(last))
            most[base] = max(more, most.get(base, more))
            if not _is_at_least(last, first):
                found.append(f"{self._text(last)} >= {first}")
        for base, more in most.items():
            if base != known[0] or more > known[1]:
                found.append(f"{self._text(whole)} >= {self._text(_more(base, more))}")
        return found

    def _whole(self, left: str, right: str, lengths: list[tuple[Length, Length]]) -> bool:
        ours, theirs = self._seen.get(left), self._seen.get(right)
        both = isinstance(ours, tuple) and isinstance(theirs, tuple) and len(ours) == len(theirs)
        if not both or not isinstance(ours, tuple):
            return False
        return set(lengths) == {((left, i), (right, i)) for i in range(len(ours))}

    def _text_of_sum(self, terms: Sequence[tuple[Length, int]], constant: int) -> str:
        words = [(factor, self._text(item)) for item, factor in terms]
        words += [(constant, "")] if constant else []
        words.sort(key=_sign)
        parts = (f"{'-' if n < 0 else '+'} {_times(abs(n), word)}" for n, word in words)
        return " ".join(parts).removeprefix("+ ")

    def _text(self, length: Length) -> str:
        if not isinstance(length, tuple):
            return str(length)
        if len(length) == 3:
            kind, whole, rest = length
            if kind == "apart":
                return self._text_of_sum(whole, rest)
            inner = self._text(whole)
            if kind == "less":
                return f"{inner} {'-' if rest > 0 else '+'} {abs(rest)}"
            if kind == "part":
                bounds = ["" if item is None else self._text(item) for item in rest]
                return f"len(range({inner})[{':'.join(bounds)}])"
            count, parts = rest
            inner = f"({inner})" if isinstance(whole, tuple) and whole[0] == "less" else inner
            return f"{inner} // {parts}" + (f" * {count}" if count != 1 else "")
        name, axis = length
        if axis == "value":
            return str(name)
        return f"len({name})" if self._seen.get(name) and axis == 0 else f"{name}.shape[{axis}]"


def _ends(length: Length) -> tuple[int, Length] | None:
    """Return from which number and up to which length a slice goes, if it goes forward."""
    if not isinstance(length, tuple) or length[0] != "part" or len(length) != 3:
        return None
    lower, upper, step = length[2]
    first = lower or 0
    known = step in (None, 1) and upper is not None and first >= 0
    return (first, upper) if known and (isinstance(upper, tuple) or first < upper) else None


def _is_at_least(length: Length, number: int) -> bool:
    """Say whether a length is never less than a number."""
    base, more = summed(length)
    return more >= number if base is None or is_axis(base) else False


def _more(length: Length, more: int) -> Length:
    return more if length is None else less(length, -more)


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


def _cut_alike(first: Length, second: Length) -> tuple[Length, Length] | None:
    """Return two lengths before slices between the same integers, or None if they are none.

    >>> cuts = [("cut", (name, 0), ((("i", 1),), 1)) for name in "xy"]
    >>> _cut_alike(*cuts), _cut_alike(cuts[0], ("y", 0))
    ((('x', 0), ('y', 0)), None)
    """
    pair = [item for item in (first, second) if isinstance(item, tuple) and item[0] == "cut"]
    if len(pair) < 2 or pair[0][2] != pair[1][2]:
        return None
    return pair[0][1], pair[1][1]


def outside(vector: Vector | None) -> Vector | None:
    """Return axes as another function knows them, which has other integers than this one.

    >>> outside((("x", 0), ("cut", ("x", 1), (((("i", 1),), 1), None, None))))
    (('x', 0), None)
    """
    if vector is None:
        return None
    return tuple(None if cut_by(length) else length for length in vector)


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


def _sign(word: tuple[int, str]) -> bool:
    """Return what orders terms: those that are subtracted come last."""
    return word[0] < 0


def _times(factor: int, word: str) -> str:
    """Return a term of a sum, which is one term, too, where a sign is before it."""
    if not word:
        return str(factor)
    word = f"({word})" if " " in word else word
    return word if factor == 1 else f"{factor} * {word}"
