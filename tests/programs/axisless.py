"""Programs of arrays without axes, which updates in place write into, and of numbers."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def selected_number_updated_under_another_name(x):
    y = np.where(x[0] > -9, x[0], x[1])
    z = y
    z += 1.0
    return y * 2.0 + z


@program("v")
def product_of_a_selected_number_updated(x):
    y = np.where(x[0] > -9, x[0], x[1]) * 1.0
    z = y
    z *= 2.0
    return y * z


@program("v")
def selected_number_asked_what_it_is(x):
    y = np.where(x[0] > -9, x[0], x[1])
    if isinstance(y, np.ndarray) and not np.isscalar(y):
        return y * 2.0
    return y * 3.0


@program("v")
def squeezed_element_updated(x):
    y = (x[:1] * 1.0).squeeze()
    z = y
    z *= 2.0
    return y * 2.0 + z + x[0] * 10


@program("v")
def copy_of_no_axes_updated(x):
    y = np.asarray(x[0] * 1.0).copy()
    z = y
    z += x[1]
    return y * z


@program("v", by="tape")
def copy_of_a_number_updated(x):
    y = (x[0] * 1.0).copy()
    z = y
    z += x[1]
    return y * z


@program("v", by="tape")
def element_viewed_with_an_ellipsis_updated(x):
    y = x * 1.0
    z = y[0, ...]
    z += x[1]
    return y[0] * z


@program("v")
def zeros_without_axes_updated(x):
    y = np.zeros_like(x[0])
    z = y
    z += x[0]
    return y * z


@program("v", by="tape")
def contraction_to_no_axes_updated(x):
    y = np.tensordot(x, x, 1)
    z = y
    z += 2.0
    return y * z


# -- arrays without axes that are updated, and then written as a whole


@program("s")
def updated_then_written(s):
    y = np.array(s)
    y += 1.0
    y[...] = y * s
    return y * 1.0


@program("s")
def multiplied_then_written_by_an_empty_tuple(s):
    y = np.array(s)
    y *= s
    y[()] = y * s
    return float(y)


@program("s")
def updated_then_filled(s):
    y = np.zeros(())
    y += s
    y.fill(s * s)
    return y * s


@program("s")
def updated_in_a_loop_then_written(s):
    y = np.array(s * 2)
    for _ in range(2):
        y += s
    y[...] = y * y
    return y * 1.0


@program("s")
def written_updated_written(s):
    y = np.array(s * 2)
    y[...] = y * y
    y += s
    y[...] = y * y
    return y * 1.0


@program("s")
def products_of_one_number_along_an_axis(s):
    return s * np.cumprod(s, axis=-1)[0] + np.cumsum(s * s, axis=0)[0]


@program("s")
def real_part_of_an_array_without_axes_updated(x):
    a = np.array(x)
    b = np.real(a)
    b += 1.0
    return a * b


@program("s")
def part_of_an_array_without_axes_updated(x):
    a = np.array(x)
    b = a.real
    b += 1.0
    return a * b


@program("s")
def flipped_array_without_axes_updated(x):
    a = np.array(x * 2)
    b = np.flip(a)
    b += 1.0
    return a * b


@program("v")
def flipped_array_updated(x):
    a = np.array(x * 2)
    b = np.flip(a)
    b += 1.0
    return np.sum(a * b)


@program("v")
def flipped_along_an_axis_updated(x):
    a = np.outer(x, x)
    b = np.flip(a, axis=1)
    b[0] += x
    return np.sum(a * a)


@program("s")
def number_out_of_an_array_that_is_written_later(x):
    s = np.array(x, dtype=float)
    c = s.item()
    d = float(s)
    s += 0.3 * (s + c)
    return np.sin(c) * d + s


@program("v")
def numbers_out_of_elements_that_are_written_later(x):
    y = x * 1.0
    c = y[1:2].item()
    y *= 3.0
    return c * np.sum(y)


@program("v")
def array_without_axes_in_a_list_updated(x):
    a = np.array(np.sum(x))
    kept = [a, np.array(x[1])]
    v = kept[0]
    v *= x[0]
    return a * v * kept[1]


@program("v", by="tape")
def array_without_axes_beside_a_number_in_a_list_updated(x):
    a = np.array(np.sum(x))
    kept = [a, a * 2.0]
    v = kept[0]
    v *= x[0]
    return a * v * kept[1]


@program("v")
def array_without_axes_in_a_dict_updated(x):
    a = np.array(np.sum(x))
    kept = {"b": a, "w": x * 1.0}
    v = kept["b"]
    v += x[1]
    return np.sum(kept["w"] * a) * v


@program("v")
def numbers_and_arrays_of_one_dict_updated(x):
    d = {"w": x * 2.0, "b": np.sum(x).item()}
    k = {**d, "b": d["b"] * x[0]}
    k["w"] *= x[1]
    e = dict(d)
    e["b"] += 1.0
    return np.sum(d["w"] * k["b"] + e["b"] * d["b"])


def _curved(x, scale=2.0):
    x = np.asarray(x, np.float64)
    y = np.zeros(x.shape)
    low = x <= 1.5
    y[low] = np.sin(x[low]) * x[low]
    y[~low] = scale * x[~low]
    return np.float64(y)


@program("s")
def stored_by_masks(x):
    return _curved(x) * x


@program("s")
def stored_by_a_mask_over_a_product(x):
    y = np.asarray(np.asarray(x) * 3.0)
    y[y >= 4.0] = (x + 1.0) ** 2.0
    return np.sin(y)


@program("s", "v")
def stored_by_masks_of_both_kinds(x, v):
    return _curved(x) * np.sum(_curved(v, 0.5) * v)


@program("s")
def cleared_by_a_mask(x):
    y = np.asarray(np.exp(np.asarray(x)))
    y[np.isnan(y) | (y > 1e9)] = 0.0
    return y * 2.0


@program("v", "v")
def stored_where_a_number_of_numpy_is_positive(x, y):
    r = np.sum(x) * y[0]
    h = np.zeros(r.shape)
    h[r > 0] = np.sqrt(r[r > 0])
    return np.float64(h * 2.0) * r


def _as_floats(a, kind=None):
    if isinstance(a, dict):
        a = list(a)
    return np.asarray(a, kind or np.float64)


@program("s")
def number_that_a_helper_makes_an_array_of(h):
    h = _as_floats(h)
    h[np.isnan(h)] = 0.0
    h[h > 9.0] = 1.0
    return np.sum(h * h)
