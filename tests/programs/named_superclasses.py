"""Programs whose methods say which class they are of: ``super(Band, self)``."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


class _Signal:
    def __init__(self, level):
        self.level = level

    def times(self, v):
        return 2.0 * v * self.level

    @property
    def size(self):
        return np.sum(self.level)


class _Band(_Signal):
    def __init__(self, level):
        super(_Band, self).__init__(level)  # noqa: UP008
        self.width = level * 3.0

    def times(self, v):
        return super(_Band, self).times(v) + self.width  # noqa: UP008


class _WideBand(_Band):
    def __init__(self, level):
        super(_WideBand, self).__init__(level * 2.0)  # noqa: UP008

    def times(self, v):
        return super(_Band, self).times(v) + self.width

    @property
    def size(self):
        return super(_WideBand, self).size * 2.0  # noqa: UP008


class _Mixed:
    def __init__(self, **options):
        super(_Mixed, self).__init__(**options)  # noqa: UP008
        self.factor = 2.0


class _MixedSignal(_Mixed, _Signal):
    def __init__(self, level):
        super(_MixedSignal, self).__init__(level=level)  # noqa: UP008


KEPT = _WideBand(3.0)


@program("v")
def constructor_of_a_superclass_by_its_class(x):
    return np.sum(_Band(x).width * _Band(x[0]).level)


@program("v")
def method_of_the_superclass_of_another(x):
    wide = _WideBand(x)
    return np.sum(wide.times(x)) * wide.size


@program("v")
def superclass_of_an_object_that_was_there(x):
    return np.sum(KEPT.times(x)) * KEPT.size


@program("v")
def superclasses_in_a_row_of_several(x):
    mixed = _MixedSignal(x[0])
    return mixed.level * mixed.factor * x[1]


@program("v")
def superclass_of_a_class_inside(x):
    class Inner(_Signal):
        def __init__(self, level):
            super(Inner, self).__init__(np.sin(level))  # noqa: UP008
            self.kept = level

    inner = Inner(x)
    return np.sum(inner.level * inner.kept)
