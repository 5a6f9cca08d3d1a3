"""Values of which ints or truths are made, which carry no derivative."""

from __future__ import annotations

import bisect
import math

import numpy as np
from scipy import ndimage

from tests.programs.corpus import program


@program("m")
def connected_by_whole_parts(x):
    """A function without a rule gets ints of what varies."""
    marked = np.atleast_1d(np.floor(x).astype(int))
    labels, count = ndimage.label(marked, ndimage.generate_binary_structure(marked.ndim, 1))
    return np.sum(x * x * labels) / (1 + count)


@program("m")
def distances_of_truths(x):
    inside = np.atleast_1d((x - x).astype(np.bool_))
    inside[0, 0] = True
    border = inside ^ ndimage.binary_erosion(inside)
    return np.sum(x * ndimage.distance_transform_edt(~border))


@program("v")
def whole_array_written(x):
    """The ints are other memory than the floats, so that the write changes no float."""
    counts = np.asarray(x, dtype=int)
    counts[0] = 5
    return np.sum(x * counts)


@program("v")
def whole_array_written_in_a_loop(x):
    counts = np.asarray(x, dtype=np.int64)
    total = 0.0
    for i in range(len(x)):
        total = total + np.sin(x[i]) * counts[i]
        counts[i] += 2
        total = total + x[i] * counts[i]
    return total


@program("v")
def cast_without_a_copy(x):
    places = x.astype("int32", copy=False) % len(x)
    return np.sum(x[places] * x)


@program("v")
def cast_of_a_list(x):
    rows = np.array([x[0], x[1] * 2.0], dtype=np.int64)
    return np.sum(x[:2] ** 2 * rows)


@program("v")
def steps_between_whole_ends(x):
    return np.sum(np.linspace(x[0], 4.0 + x[1], 4, dtype=int) * x[0])


@program("v")
def weights_of_whole_parts(x):
    """The dtype is a variable, which only the run tells."""
    dtype = x.dtype
    return np.sum(x.astype(dtype) * x.astype(int))


@program("s")
def straight_between_points_of_a_table(x):
    places = [0.0, 1.0, 2.0, 4.0, 9.0]
    values = [1.0, 0.5, 0.25, 0.75, 2.0]
    i = max(1, min(bisect.bisect_left(places, x), len(places) - 1))
    share = (x - places[i - 1]) / (places[i] - places[i - 1])
    return values[i - 1] * (1 - share) + values[i] * share


@program("v")
def next_of_sorted_entries(x):
    ordered = sorted(x)
    return x[0] * ordered[min(bisect.bisect(ordered, x[0]), len(x) - 1)]


@program("v")
def first_whose_square_is_large(x):
    ordered = np.sort(x)
    i = bisect.bisect_right(ordered, 1.0, key=lambda v: v * v)
    return np.sum(ordered[i:] ** 2) + ordered[0]


def _shared_parts(first, second):
    """Counts what two masks share, by the places of parts."""
    first = np.atleast_1d(first.astype(np.bool_))
    second = np.atleast_1d(second.astype(np.bool_))
    labels, count = ndimage.label(first, ndimage.generate_binary_structure(first.ndim, 1))
    shared = {}
    for k, place in enumerate(ndimage.find_objects(labels)):
        shared[k + 1] = np.sum(second[place])
    return count, shared


@program("m")
def mask_under_the_name_of_the_image(x):
    """The parameter varies, and what is bound to its name later does not."""
    count, shared = _shared_parts(x - x[0], np.abs(x))
    return np.sum(x * x) * (count + shared.get(1, 0))


@program("m")
def name_of_a_mask_bound_to_the_image_again(x):
    y = x * x
    mask = y > 0.5
    mask, count = ndimage.label(mask)
    mask = y * mask
    return np.sum(mask) * count


@program("m", by="tape")
def mask_on_one_path(x):
    mask = x * x
    if x[0, 0] > 0.1:
        mask = mask > 0.5
    labels, count = ndimage.label(mask)
    return np.sum(x * labels) * count


class Measure:
    """A number that is an object."""

    def __init__(self, value):
        self.value = value

    def __sub__(self, other):
        return Measure(self.value - getattr(other, "value", other))

    def __rpow__(self, base):
        return Measure(base**self.value)

    def __float__(self):
        return float(self.value)


@program("v", by="tape")
def objects_that_say_which_float_they_are(x):
    a, b = Measure(x[0]), Measure(x[1])
    return float((a - b) - 1.0) * float(2**a) + math.sin(Measure(x[2]))
