"""Programs of arrays that hold no floats: records, objects and integers."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

PLACE = np.dtype([("height", float), ("depth", float)])


@program("v", by="refused")
def field_of_records_written(x):
    places = np.zeros(4, dtype=[("height", float), ("depth", float)])
    places["height"] = x
    return np.sum(places["height"] * places["height"])


@program("v", by="refused")
def field_of_one_record_written(x):
    places = np.zeros(3, PLACE)
    places[1]["height"] = x[0]
    return np.sum(places["height"]) * x[1]


@program("v", by="refused")
def record_written_whole(x):
    kind = np.dtype([("height", float), ("count", int)])
    places = np.empty(3, kind)
    places[0] = (x[0], 1)
    return places["height"][0] * x[1]


@program("v", by="refused")
def records_made_of_what_varies(x):
    places = np.array([(x[0], 2.0), (x[1], 4.0)], dtype=PLACE)
    return np.sum(places["height"])


@program("v")
def records_only_read(x):
    places = np.array([(1.0, 2.0), (3.0, 4.0)], dtype=PLACE)
    total = 0.0
    for place in places:
        total = total + place["height"] * np.sum(x * x)
    return total + np.sum(places["depth"] * x[:2])


@program("v", by="tape")
def arrays_kept_as_objects(x):
    parts = np.empty(2, dtype=object)
    parts[0] = x
    parts[1] = 2 * x
    return np.sum(parts[0] * parts[1])


@program("v", by="tape")
def dict_in_an_array_of_objects(x):
    parts = np.array([{"gain": 1.0}, None])
    parts[0]["gain"] = x[0]
    return parts[0]["gain"] ** 2 * x[1]


@program("v", by="refused")
def objects_multiplied(x):
    weights = np.array([1.0, 2.0, 3.0, 4.0], dtype=object)
    return np.sum(weights * x)


@program("v", by="tape")
def type_of_integers_by_place(x):
    counts = np.zeros(3, int)
    counts[0] = x[0] * 10
    return counts[0] * x[1]


@program("v", by="tape")
def repeated_integer_written(x):
    a = np.repeat(1, 4)
    a[0] = x[0]
    return np.sum(a * x[1])


@program("v")
def inverse_of_a_matrix_of_integers_written(x):
    a = np.linalg.inv(np.array([[1, 2], [3, 4]]))
    a[0, 0] = x[0]
    return np.sum(a * x[1])
