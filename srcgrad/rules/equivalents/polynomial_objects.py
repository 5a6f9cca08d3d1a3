"""Writes out polynomials that are objects: `np.poly1d` and `np.polynomial.Polynomial`."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from srcgrad.rules.equivalents.registry import EquivalentTable, in_place

table = EquivalentTable()


class Poly1d:
    """What `np.poly1d` makes: the highest coefficient comes first."""

    __srcgrad_written_out__ = True

    def __init__(self, coeffs: Any) -> None:
        self.coeffs = coeffs

    @property
    def c(self) -> Any:
        """The coefficients."""
        return self.coeffs

    @property
    def order(self) -> int:
        """The degree, if the first coefficient is not 0."""
        return len(self.coeffs) - 1

    def __call__(self, val: Any) -> Any:
        """Return the value at points."""
        return np.polyval(self.coeffs, val)

    def __len__(self) -> int:
        return len(self.coeffs) - 1

    def deriv(self, m: int = 1) -> Poly1d:
        """Return a derivative."""
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: int = 1, k: Any = 0) -> Poly1d:
        """Return an integral."""
        return Poly1d(np.polyint(self.coeffs, m, k))

    def __neg__(self) -> Poly1d:
        return Poly1d(-self.coeffs)

    def __add__(self, other: Any) -> Poly1d:
        return Poly1d(np.polyadd(self.coeffs, down_from(other)))

    def __radd__(self, other: Any) -> Poly1d:
        return Poly1d(np.polyadd(down_from(other), self.coeffs))

    def __sub__(self, other: Any) -> Poly1d:
        return Poly1d(np.polysub(self.coeffs, down_from(other)))

    def __rsub__(self, other: Any) -> Poly1d:
        return Poly1d(np.polysub(down_from(other), self.coeffs))

    def __mul__(self, other: Any) -> Poly1d:
        return Poly1d(np.polymul(self.coeffs, down_from(other)))

    def __rmul__(self, other: Any) -> Poly1d:
        return Poly1d(np.polymul(down_from(other), self.coeffs))

    def __truediv__(self, other: Any) -> Poly1d:
        return Poly1d(self.coeffs / other)


class PowerSeries:
    """What `np.polynomial.Polynomial` makes: the lowest coefficient comes first."""

    __srcgrad_written_out__ = True

    def __init__(self, coef: Any) -> None:
        self.coef = coef

    def __call__(self, arg: Any) -> Any:
        """Return the value at points."""
        return np.polyval(np.flip(self.coef), arg)

    def __len__(self) -> int:
        return len(self.coef)

    def degree(self) -> int:
        """Return how many coefficients there are, but one."""
        return len(self.coef) - 1

    def deriv(self, m: int = 1) -> PowerSeries:
        """Return a derivative."""
        return PowerSeries(polynomial.polyder(self.coef, m))

    def integ(self, m: int = 1, k: Any = 0) -> PowerSeries:
        """Return an integral."""
        return PowerSeries(np.flip(np.polyint(np.flip(self.coef), m, k)))

    def roots(self) -> Any:
        """Return where it is 0."""
        return polynomial.polyroots(self.coef)

    def __neg__(self) -> PowerSeries:
        return PowerSeries(-self.coef)

    def __add__(self, other: Any) -> PowerSeries:
        return PowerSeries(polynomial.polyadd(self.coef, up_from(other)))

    def __radd__(self, other: Any) -> PowerSeries:
        return PowerSeries(polynomial.polyadd(up_from(other), self.coef))

    def __sub__(self, other: Any) -> PowerSeries:
        return PowerSeries(polynomial.polysub(self.coef, up_from(other)))

    def __rsub__(self, other: Any) -> PowerSeries:
        return PowerSeries(polynomial.polysub(up_from(other), self.coef))

    def __mul__(self, other: Any) -> PowerSeries:
        return PowerSeries(polynomial.polymul(self.coef, up_from(other)))

    def __rmul__(self, other: Any) -> PowerSeries:
        return PowerSeries(polynomial.polymul(up_from(other), self.coef))

    def __truediv__(self, other: Any) -> PowerSeries:
        return PowerSeries(self.coef / other)


@in_place
def down_from(other: Any) -> Any:
    """Return the coefficients of what meets a polynomial, the highest first."""
    return other.coeffs if isinstance(other, (Poly1d, np.poly1d)) else other


@in_place
def up_from(other: Any) -> Any:
    """Return the coefficients of what meets a polynomial, the lowest first."""
    return other.coef if isinstance(other, (PowerSeries, np.polynomial.Polynomial)) else other


@table.of(np.poly1d)
def poly1d(c_or_r: Any) -> Poly1d:
    """Make a polynomial of coefficients, the highest first; it holds those that it is given."""
    return Poly1d(np.atleast_1d(c_or_r))


@table.of(np.polynomial.Polynomial)
def power_series(coef: Any) -> PowerSeries:
    """Make a polynomial of coefficients, the lowest first."""
    return PowerSeries(np.atleast_1d(coef) + 0.0)


_MADE: tuple[Any, ...] = (poly1d, power_series, *vars(Poly1d).values(), *vars(PowerSeries).values())
for _member in _MADE:
    _function: Any = _member.fget if isinstance(_member, property) else _member
    if isinstance(_function, FunctionType):
        in_place(_function)
EQUIVALENTS = table.freeze()
