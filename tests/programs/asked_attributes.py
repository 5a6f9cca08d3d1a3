"""Programs that ask values for attributes: `hasattr`, `getattr` with a default, and `try`."""

from __future__ import annotations

import contextlib

import numpy as np
from scipy import special

from tests.programs.corpus import program


@program("v")
def converted_where_it_has_a_method_for_it(x):
    y = x.to_numpy() if hasattr(x, "to_numpy") else x
    return np.sum(y * y)


@program("v")
def converted_where_it_is_no_array(x):
    y = x * 2.0
    y = y.to_numpy() if not isinstance(y, np.ndarray) else y
    return np.sum(y * y)


@program("v")
def one_of_three_that_are_chosen_within_a_call(x):
    return 2.0 * np.sum(
        x.values if hasattr(x, "values") else x.to_numpy() if hasattr(x, "to_numpy") else np.sin(x)
    )


@program("v")
def chosen_twice_in_a_statement(x):
    a, b = (
        x[0] if x[0] < 100.0 else special.pro_cv(0, 0, x[0]),
        x[1] if x[1] > 100.0 else special.pro_cv(0, 0, x[1]) if x[0] > 100.0 else x[2],
    )
    return a * b


@program("v")
def method_that_newer_arrays_lack(x):
    return x.ptp() if hasattr(x, "ptp") else x.max() - x.min()


def _of_a_frame(v):
    return getattr(v, "values", v)


@program("v")
def values_of_a_frame_or_of_an_array(x):
    return np.sum(_of_a_frame(x) ** 2)


@program("v")
def magnitude_and_value_if_there_are(x):
    y = x * 2.0
    y = getattr(y, "magnitude", y)
    y = getattr(y, "value", y)
    return np.sum(y * y)


def _weighted_by_axes(v):
    if getattr(v, "ndim", 0) == 0:
        return v * 2.0
    return np.sum(v * v)


@program("v")
def axes_of_arrays_and_numbers(x):
    return _weighted_by_axes(x) * _weighted_by_axes(float(x[0]))


@program("v")
def kind_that_is_asked_with_a_default(x):
    if getattr(x, "dtype", None).kind == "f":
        return np.sum(x * x)
    return 0.0


@program("v")
def shape_that_is_asked_with_a_default(x):
    shape = getattr(x * x, "shape", None)
    if shape is None:
        shape = ()
    return np.sum(np.ones(shape) * x)


@program("v")
def transposed_if_it_can_be(x):
    return np.sum(getattr(x.reshape(2, -1), "T", x)[0] ** 2)


@program("v")
def attribute_by_its_name_alone(x):
    return getattr(x * x, "sum")() * getattr(x, "T")[0]  # noqa: B009


class _Weighing:
    def __init__(self, value):
        self.value = value


@program("v")
def fields_that_are_asked_with_a_default(x):
    weighing = _Weighing(x[0])
    return getattr(weighing, "value", 1.0) * getattr(weighing, "weight", x[1])


@program("v")
def converted_if_it_can_be(x):
    try:
        x = x.to_numpy()
    except AttributeError:
        pass
    return np.sum(x * x)


@program("v")
def converted_if_nothing_is_lacking(x):
    y = np.sin(x[0])
    with contextlib.suppress(TypeError, AttributeError):
        y = y.to("radians").magnitude
    return y * y


def _values_and_unit(v):
    try:
        values = v.values
        unit = v.unit
    except (TypeError, AttributeError):
        values = v * 2.0
        unit = 3.0
    return values * unit


@program("v")
def values_and_unit_or_what_stands_for_them(x):
    return np.sum(_values_and_unit(x)) * _values_and_unit(x[0])


@program("v")
def filled_by_its_own_method_or_by_a_mask(x):
    y = 1.0 - x**2
    try:
        y.fillna(0.0, inplace=True)
    except Exception:  # noqa: BLE001
        y[np.isnan(y)] = 0.0
    return np.sum(y)


def _at_least(x, *, ndim):
    if 1 <= ndim <= 3:
        return getattr(np, f"atleast_{ndim}d")(x)
    return x


@program("v")
def attribute_by_a_formatted_text(x):
    return np.sum(_at_least(x, ndim=2) ** 2) + getattr(np, "nan%s" % "max")(x)  # noqa: UP031


@program("v")
def attributes_by_the_names_of_a_loop(x):
    total = 0.0
    for name in ("sin", "cos", "exp"):
        total += np.sum(getattr(np, name)(x) * x)
    return total + sum(getattr(np, name)(x * x) for name in ["mean", "max"])


@program("v")
def attributes_by_the_names_of_a_loop_in_a_branch(x):
    total = 0.0
    if x[0] < 100.0:
        for name in ("sin", "cos"):
            total += np.sum(getattr(np, f"{name}h")(x))
    return total


class _Sides:
    """A class whose methods name its fields."""

    def __init__(self, width, height):
        self.width = width
        self.height = height

    def doubled(self):
        return _Sides(*[getattr(self, name) * 2.0 for name in ("width", "height")])

    def area(self):
        return self.width * self.height


@program("v")
def fields_by_the_names_of_a_comprehension(x):
    return _Sides(x[0], x[1]).doubled().area() * x[2]
