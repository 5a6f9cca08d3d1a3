"""Integers that are looked at."""

from __future__ import annotations

from numba import types
from numba.extending import overload

from srcgrad.targets.loops import names
from srcgrad.targets.loops.library.bodies import unvalued


def _are_integers(x: object, y: object) -> bool:
    return isinstance(unvalued(x), types.Integer) and isinstance(unvalued(y), types.Integer)


@overload(names.int_floor_divided)
def _floor_divided(x, y):
    if _are_integers(x, y):

        def body(x, y):
            if y == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return x // y

        return body
    return lambda x, y: x // y


@overload(names.int_remainder)
def _remainder(x, y):
    if _are_integers(x, y):

        def body(x, y):
            if y == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return x % y

        return body
    return lambda x, y: x % y


@overload(names.within_integers)
def _within_integers(x):
    if not isinstance(unvalued(x), types.Float):
        return lambda x: x

    def body(x):
        if not abs(x) < 9.2e18:  # nor is NaN
            raise OverflowError("a number whose integer 64 bits do not hold")
        return x

    return body


@overload(names.int_plus)
def _plus(x, y):
    if not _are_integers(x, y):
        return lambda x, y: x + y

    def body(x, y):
        if abs(float(x) + float(y)) > 9.2e18:
            raise OverflowError("an integer of more than 64 bits")
        return x + y

    return body


@overload(names.int_minus)
def _minus(x, y):
    if not _are_integers(x, y):
        return lambda x, y: x - y

    def body(x, y):
        if abs(float(x) - float(y)) > 9.2e18:
            raise OverflowError("an integer of more than 64 bits")
        return x - y

    return body


@overload(names.int_shifted)
def _shifted(x, y):
    def body(x, y):
        if y < 0 or y > 62 or abs(float(x)) * 2.0**y > 9.2e18:
            raise OverflowError("an integer of more than 64 bits")
        return x << y

    return body


@overload(names.int_times)
def _times(x, y):
    if _are_integers(x, y):

        def body(x, y):
            product = x * y
            if abs(float(x) * float(y)) > 9.2e18:
                raise OverflowError("an integer of more than 64 bits")
            return product

        return body
    return lambda x, y: x * y


@overload(names.int_scaled)
def _scaled(x, y):
    if _are_integers(x, y):
        return lambda x, y: names.int_times(x, y)

    def body(x, y):
        x *= y
        return x

    return body


@overload(names.int_power)
def _power(x, y):
    if _are_integers(x, y):

        def body(x, y):
            if y < 0 or abs(float(x)) ** float(y) > 9.2e18:
                raise OverflowError("an integer power that is no integer of 64 bits")
            return x**y

        return body
    return lambda x, y: x**y
