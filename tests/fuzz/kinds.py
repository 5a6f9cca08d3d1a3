"""What the values of random programs are: kinds with lengths that are said by symbols.

A length is text: ``n`` and ``m`` are lengths of arguments, ``n-1`` and ``n/2`` those of parts, digits
are constants. Programs are drawn for all lengths at once, so that they can be called with others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Shape = tuple[str, ...]

# the least that a length may be, for what programs are called with
LEAST = {"n": 4, "m": 2}


@dataclass(frozen=True)
class Array:
    """An array: ``dtype`` is f (real), c (complex), b (truth values) or i (places 0 and 1)."""

    shape: Shape
    dtype: str = "f"


@dataclass(frozen=True)
class Number:
    """A real number of Python or NumPy."""


@dataclass(frozen=True)
class Integer:
    """An int: a length of `length`, else a place (0 or 1); a count has no known value."""

    length: str | None = None
    counts: bool = False


@dataclass(frozen=True)
class List:
    """A list of values of one kind, of at least so many."""

    element: Kind
    least: int = 1


@dataclass(frozen=True)
class Tuple:
    """A tuple of values."""

    elements: tuple[Kind, ...]


@dataclass(frozen=True)
class Dict:
    """A dict of values of one kind with some keys."""

    element: Kind
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Class:
    """A class with typed fields; what its methods do is in its text."""

    name: str
    fields: tuple[tuple[str, Kind], ...]
    methods: tuple[str, ...] = ()


@dataclass(frozen=True)
class Object:
    """An instance of a class."""

    cls: Class


@dataclass(frozen=True)
class Function:
    """A function of parameters that gives a result.

    Lengths of parameters are symbols of its own, which a call settles. `pure` functions can be
    called in any expression.
    """

    name: str
    parameters: tuple[Kind, ...]
    result: Kind | None
    pure: bool = True
    writes: bool = False


Kind = Array | Number | Integer | List | Tuple | Dict | Object | Function


def least(length: str) -> int:
    """Return the least that a length may be.

    >>> least("n-1"), least("n/2"), least("3"), least("u0")
    (3, 2, 3, 2)
    """
    if length.isdigit():
        return int(length)
    if "-" in length:
        base, _, less = length.partition("-")
        return least(base) - int(less)
    if "/" in length:
        return least(length.partition("/")[0]) // 2
    return LEAST.get(length, 2)


def halves(length: str) -> str | None:
    """Return half a length, where it is surely even and half of it is 2 or more."""
    if length == "n":
        return "n/2"
    return "2" if length == "4" else None


def shorter(length: str) -> str | None:
    """Return one less, where that is 2 or more.

    >>> shorter("n"), shorter("n-1"), shorter("n-2"), shorter("3"), shorter("m")
    ('n-1', 'n-2', None, '2', None)
    """
    if least(length) < 3 or "/" in length:
        return None
    if length.isdigit():
        return str(int(length) - 1)
    base, _, less = length.partition("-")
    return f"{base}-{int(less or 0) + 1}"


@dataclass
class Name:
    """What a name is bound to."""

    kind: Kind
    writable: bool = True


@dataclass
class Scope:
    """The names of one function at one place, innermost blocks last."""

    names: dict[str, Name] = field(default_factory=dict)

    def inner(self) -> Scope:
        """Return the scope of a block: what it binds ends with it."""
        return Scope(dict(self.names))
