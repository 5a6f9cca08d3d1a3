"""Holds the arithmetic of lanes: pairs of elements of a prime field, in which algebra is exact.

A lane stands for an array, or a number, whose entries nobody knows: sums, products and quotients
of lanes are those of a field, so that two texts which differ by algebra alone have the same lanes.
Every other function is a hash of its operands, and every linear one is a matrix of hashes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Final
from zlib import crc32

PRIME: Final = (1 << 61) - 1
Pair = tuple[int, int]
Matrix = tuple[int, int, int, int]
ZERO: Final[Pair] = (0, 0)
ONE: Final[Pair] = (1, 1)


@cache
def code_of(text: str) -> int:
    """Return a number for a text, the same in every process."""
    data = text.encode()
    return crc32(data) << 32 | crc32(data[::-1] + b".")


def hashed(*parts: Any) -> int:
    """Return an element of the field for numbers, and tuples of them."""
    return hash(parts) * 0x9E3779B97F4A7C15 % PRIME


@lru_cache(maxsize=4096)
def of_number(value: Any) -> Pair:
    """Return the lane of a number; what was rounded differently is taken for the same."""
    if isinstance(value, complex):
        real, imaginary = of_number(value.real)[0], of_number(value.imag)[0]
        total = (real + imaginary * hashed(code_of("imaginary unit"))) % PRIME
        return total, total
    if isinstance(value, float):
        if not math.isfinite(value):
            entry = hashed(code_of(repr(value)))
            return entry, entry
        exact = Fraction(value).limit_denominator(100_000)
        if abs(exact - Fraction(value)) > abs(value) * 1e-15:
            exact = Fraction(f"{value:.14g}")
        entry = exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME
        return entry, entry
    return int(value) % PRIME, int(value) % PRIME


def add(a: Pair, b: Pair) -> Pair:
    """Return the sum of two lanes."""
    return (a[0] + b[0]) % PRIME, (a[1] + b[1]) % PRIME


def sub(a: Pair, b: Pair) -> Pair:
    """Return the difference of two lanes."""
    return (a[0] - b[0]) % PRIME, (a[1] - b[1]) % PRIME


def mul(a: Pair, b: Pair) -> Pair:
    """Return the product of two lanes, entry by entry."""
    return a[0] * b[0] % PRIME, a[1] * b[1] % PRIME


def div(a: Pair, b: Pair) -> Pair:
    """Return the quotient of two lanes; one over zero is an element like another."""
    return _quotient(a[0], b[0]), _quotient(a[1], b[1])


def _quotient(a: int, b: int) -> int:
    if b == 0:
        return a * hashed(code_of("one over zero")) % PRIME
    return a * pow(b, -1, PRIME) % PRIME


def by_entry(name: str, *operands: Pair) -> Pair:
    """Return what an unknown function of entries makes of lanes."""
    code = code_of(name)
    firsts, seconds = [item[0] for item in operands], [item[1] for item in operands]
    entry = hashed(code, *firsts)
    return entry, entry if firsts == seconds else hashed(code, *seconds)


def power(a: Pair, exponent: int) -> Pair:
    """Return an integer power of a lane."""
    if exponent < 0:
        return div(ONE, power(a, -exponent))
    return pow(a[0], exponent, PRIME), pow(a[1], exponent, PRIME)


def matrix(*parts: Any) -> Matrix:
    """Return the matrix that stands for a linear function with parameters."""
    return hashed(1, parts), hashed(2, parts), hashed(3, parts), hashed(4, parts)


def apply(m: Matrix, a: Pair) -> Pair:
    """Return a matrix times a lane."""
    return (m[0] * a[0] + m[1] * a[1]) % PRIME, (m[2] * a[0] + m[3] * a[1]) % PRIME


def compose(m: Matrix, n: Matrix) -> Matrix:
    """Return the product of two matrices."""
    return (
        (m[0] * n[0] + m[1] * n[2]) % PRIME,
        (m[0] * n[1] + m[1] * n[3]) % PRIME,
        (m[2] * n[0] + m[3] * n[2]) % PRIME,
        (m[2] * n[1] + m[3] * n[3]) % PRIME,
    )


IDENTITY: Final[Matrix] = (1, 0, 0, 1)
Operation = Callable[[Pair, Pair], Pair]
