"""Programs that read attributes of classes through objects, before and after these are bound."""

from __future__ import annotations

from tests.programs.corpus import program


class _Switch:
    on = False

    def turn(self, on):
        _Switch.on = on

    def turn_by_its_class(self, on):
        self.__class__.on = on


_SWITCH = _Switch()


@program("v")
def flag_of_a_class_turned_by_a_method(x):
    y = x[0]
    if _SWITCH.on:
        y = y * 2.0
    _SWITCH.turn(True)
    if _SWITCH.on:
        y = y * x[1]
    _Switch.on = False
    return y


@program("v")
def flag_turned_by_the_class_of_an_object(x):
    y = x[0]
    if _SWITCH.on:
        y = y * 2.0
    _SWITCH.turn_by_its_class(True)
    if _SWITCH.on:
        y = y * x[1] * 3.0
    _Switch.on = False
    return y
