"""Sums of whole variables, and whether some values of theirs meet a row of inequalities.

An index such as ``i - 1`` is a sum, a loop's bounds are inequalities, and two places of an array
are the same element only where all of those can hold at once. Variables are eliminated one after
the other (J. Fourier's method, after W. Pugh, "The Omega test", 1991, without its exact part):
a contradiction among the sums that are left is one among the whole numbers, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Any, Final

from srcgrad.ir import gast

_MOST_SUMS: Final = 120  # beyond it, nothing is known


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum of variables times whole numbers, and one number more.

    >>> i, one = variable("i"), number(1)
    >>> i - one + i
    Affine(terms={'i': 2}, constant=-1)
    """

    terms: Mapping[str, int] = field(default_factory=dict)
    constant: int = 0

    def __add__(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for name, factor in other.terms.items():
            terms[name] = terms.get(name, 0) + factor
        kept = {name: factor for name, factor in terms.items() if factor}
        return Affine(kept, self.constant + other.constant)

    def __sub__(self, other: Affine) -> Affine:
        return self + other.times(-1)

    def times(self, factor: int) -> Affine:
        """Return the sum, so many times."""
        if not factor:
            return Affine()
        terms = {name: value * factor for name, value in self.terms.items()}
        return Affine(terms, self.constant * factor)

    def renamed(self, new: Callable[[str], str]) -> Affine:
        """Return the same sum of other variables."""
        return Affine({new(name): factor for name, factor in self.terms.items()}, self.constant)


def variable(name: str) -> Affine:
    """Return a variable as a sum."""
    return Affine({name: 1})


def number(value: int) -> Affine:
    """Return a number as a sum."""
    return Affine({}, value)


def affine_of(node: Any, name_of: Callable[[str], Affine | None]) -> Affine | None:
    """Read an expression of whole numbers; `name_of` says what a name stands for, if it knows.

    >>> affine_of(gast.parse("2 * (i - 1) + n", mode="eval").body, variable)
    Affine(terms={'i': 2, 'n': 1}, constant=-2)
    """
    if isinstance(node, gast.Constant):
        return number(node.value) if type(node.value) is int else None
    if isinstance(node, gast.Name):
        return name_of(node.id)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        operand = affine_of(node.operand, name_of)
        return None if operand is None else operand.times(-1)
    if not isinstance(node, gast.BinOp):
        return None
    left, right = affine_of(node.left, name_of), affine_of(node.right, name_of)
    return None if left is None or right is None else _joined(node.op, left, right)


def _joined(operator: Any, left: Affine, right: Affine) -> Affine | None:
    if isinstance(operator, gast.Add):
        return left + right
    if isinstance(operator, gast.Sub):
        return left - right
    if isinstance(operator, gast.Mult) and not (left.terms and right.terms):
        return right.times(left.constant) if right.terms else left.times(right.constant)
    return None


def can_hold(sums: Iterable[Affine]) -> bool:
    """Say whether whole numbers may exist for which no sum is negative.

    >>> i, n = variable("i"), variable("n")
    >>> inside = [i, n - i - number(1)]
    >>> can_hold(inside), can_hold([*inside, i - n])
    (True, False)
    >>> can_hold([i + i - number(1), number(1) - i - i])
    False
    """
    left = _reduced(sums)
    while left:
        if len(left) > _MOST_SUMS:
            return True
        left = _reduced(_without(left, _cheapest(left)))
    return left is not None


def _reduced(sums: Iterable[Affine]) -> list[Affine] | None:
    """Divide by common factors and leave out what always holds; None where one never does."""
    strictest: dict[frozenset[tuple[str, int]], Affine] = {}
    for item in sums:
        if not item.terms:
            if item.constant < 0:
                return None
            continue
        common = gcd(*item.terms.values())
        terms = {name: factor // common for name, factor in item.terms.items()}
        reduced = Affine(terms, item.constant // common)
        key = frozenset(terms.items())
        known = strictest.get(key)
        if known is None or reduced.constant < known.constant:
            strictest[key] = reduced
    return list(strictest.values())


def _cheapest(sums: list[Affine]) -> str:
    """Return the variable without which there are the fewest sums."""

    def cost(name: str) -> tuple[int, str]:
        factors = [item.terms.get(name, 0) for item in sums]
        above, below = sum(f > 0 for f in factors), sum(f < 0 for f in factors)
        return above * below - above - below, name

    return min({name for item in sums for name in item.terms}, key=cost)


def _without(sums: list[Affine], name: str) -> list[Affine]:
    """Return what the sums say of the other variables."""
    others = [item for item in sums if name not in item.terms]
    lower = [item for item in sums if item.terms.get(name, 0) > 0]
    upper = [item for item in sums if item.terms.get(name, 0) < 0]
    return others + [
        low.times(-high.terms[name]) + high.times(low.terms[name])
        for low in lower
        for high in upper
    ]
