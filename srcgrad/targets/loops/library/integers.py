"""Integers that are looked at."""

from __future__ import annotations

from numba import types
from numba.extending import overload

from srcgrad.targets.loops import names
from srcgrad.targets.loops.library.bodies import unvalued


@overload(names.int_floor_divided)
def _floor_divided(x, y):
    if isinstance(unvalued(x), types.Integer) and isinstance(unvalued(y), types.Integer):

        def body(x, y):
            if y == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return x // y

        return body
    return lambda x, y: x // y


@overload(names.int_remainder)
def _remainder(x, y):
    if isinstance(unvalued(x), types.Integer) and isinstance(unvalued(y), types.Integer):

        def body(x, y):
            if y == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return x % y

        return body
    return lambda x, y: x % y


@overload(names.int_times)
def _times(x, y):
    if isinstance(unvalued(x), types.Integer) and isinstance(unvalued(y), types.Integer):

        def body(x, y):
            product = x * y
            if abs(float(x) * float(y)) > 9.2e18:
                raise OverflowError("an integer of more than 64 bits")
            return product

        return body
    return lambda x, y: x * y


@overload(names.int_scaled)
def _scaled(x, y):
    if isinstance(unvalued(x), types.Integer) and isinstance(unvalued(y), types.Integer):
        return lambda x, y: names.int_times(x, y)

    def body(x, y):
        x *= y
        return x

    return body


@overload(names.int_power)
def _power(x, y):
    if isinstance(unvalued(x), types.Integer) and isinstance(unvalued(y), types.Integer):

        def body(x, y):
            if y < 0 or abs(float(x)) ** float(y) > 9.2e18:
                raise OverflowError("an integer power that is no integer of 64 bits")
            return x**y

        return body
    return lambda x, y: x**y
