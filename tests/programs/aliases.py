"""Programs in which memory has several names, and programs that write in every way NumPy has."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def alias_of_an_argument_written(x):
    y = x
    y[0] = x[1] * x[2]
    return np.sum(x * x)


@program("v")
def alias_of_a_copy_written(x):
    a = x.copy()
    b = a
    b *= 2.0
    a[0] = b[1] * b[2]
    return np.sum(a * b)


@program("v")
def view_written(x):
    y = x * 1.0
    v = y[1:]
    v[0] = x[0] ** 2
    return np.sum(y * y)


@program("v")
def view_updated(x):
    y = x * 1.0
    tail = y[1:]
    tail *= x[0]
    tail += 1.0
    return np.sum(y * np.arange(4.0))


@program("v")
def view_of_a_view_written(x):
    y = x * 1.0
    v = y[1:][::-1]
    v[:2] = x[:2] * x[2:]
    return np.sum(y * y)


@program("v")
def base_written_under_a_view(x):
    y = x * x
    v = y[:2]
    y[0] = x[3]
    y[1] *= 3.0
    return np.sum(v * v)


@program("v")
def reshaped_view_written(x):
    y = x * 2.0
    grid = y.reshape(2, 2)
    grid[0, 1] = x[0] * x[3]
    grid[1] += 1.0
    return np.sum(y * y * x)


@program("m")
def raveled_view_written(a):
    b = a * 1.0
    flat = b.ravel()
    flat[::2] = 0.5
    flat[1] *= a[0, 0]
    return np.sum(b * b)


@program("m")
def transposed_view_written(a):
    b = a * 1.0
    t = b.T
    t[0] = a[0, 1] * a[:, 2]
    return np.sum(b * b)


@program("m")
def ravel_of_a_transpose_is_a_copy(a):
    b = a * 1.0
    flat = b.T.ravel()
    flat[0] = 100.0
    return np.sum(b * b) + flat[1] * flat[2]


@program("m")
def rows_of_an_iteration_written(a):
    b = a * 1.0
    for row in b:
        row[0] = row[1] * row[2]
        row *= 2.0
    return np.sum(b * b)


@program("m")
def row_by_index_updated(a):
    b = a * 1.0
    row = b[1]
    row += b[0] * b[2]
    b[1] *= 0.5
    return np.sum(b * row)


@program("m")
def diagonal_filled(a):
    b = a[:, :3] * 1.0
    np.fill_diagonal(b, a[0, 0] * a[0, 1])
    return np.sum(b * b)


@program("v")
def swap_of_elements(x):
    y = x * x
    y[0], y[1] = y[1], y[0]
    return np.sum(y * np.arange(4.0))


@program("m")
def swap_of_rows_that_overwrites(a):
    b = a * 1.0
    b[0], b[1] = b[1], b[0]
    return np.sum(b * np.arange(12.0).reshape(3, 4))


@program("m")
def swap_of_copied_rows(a):
    b = a * 1.0
    b[0], b[1] = b[1].copy(), b[0].copy()
    return np.sum(b * np.arange(12.0).reshape(3, 4))


@program("v")
def double_buffer_swapped(x):
    old = x * 1.0
    new = np.zeros(4)
    for _ in range(3):
        new[1:-1] = 0.5 * (old[:-2] * old[2:])
        new[0] = old[1]
        new[-1] = old[0]
        old, new = new, old
    return np.sum(old * x)


@program("v")
def three_time_levels_rotated(x):
    before = x * 1.0
    now = x * 0.9
    after = np.zeros(4)
    for _ in range(4):
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + 0.1 * now[2:] * now[:-2]
        before, now, after = now, after, before
    return np.sum(now**2) + np.sum(before)


@program("v")
def argument_written(x):
    x[1] = x[0] * x[2]
    x *= 2.0
    return np.sum(x * x)


@program("v", "v")
def argument_as_an_output(x, out):
    out[:] = x * x
    out[0] += x[1]
    return np.sum(out * out)


def _normalise_in_place(u):
    u /= np.sqrt(np.sum(u * u))


@program("v")
def helper_that_only_writes(x):
    y = x * 1.0
    _normalise_in_place(y)
    return np.sum(y * np.arange(4.0))


def _axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
    return y


@program("v", "s")
def helper_that_writes_and_returns(x, s):
    y = np.ones(4)
    z = _axpy(s, x, y)
    z = _axpy(s, z, y)
    return np.sum(y * z)


@program("v")
def one_array_passed_twice(x):
    y = x * 1.0
    _axpy(2.0, y, y)
    return np.sum(y * y)


@program("v")
def alias_by_condition(x):
    a = x * 1.0
    b = x * 2.0
    c = a if np.sum(x) > 0 else b
    c[0] = 7.0
    c *= x[1]
    return np.sum(a * b)


@program("v")
def out_argument(x):
    work = np.empty(4)
    np.multiply(x, x, out=work)
    np.add(work, x[0], out=work)
    total = np.sum(work)
    np.sin(x, out=work)
    return total * np.sum(work)


@program("v")
def out_and_where(x):
    work = np.ones(4)
    np.multiply(x, 3.0, out=work, where=x > 0)
    return np.sum(work * x)


@program("v")
def add_at_with_repeats(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 2, 1], x * x)
    return np.sum(y * y)


@program("v")
def copyto_and_fill(x):
    y = np.empty(4)
    np.copyto(y, x * x)
    z = np.empty(4)
    z.fill(x[0])
    return np.sum(y * z)


@program("v")
def put_and_place(x):
    y = x * x
    np.put(y, [0, 2], x[1])
    np.place(y, y > 100.0, [0.0])
    np.putmask(y, np.arange(4) == 3, x * 2.0)
    return np.sum(y * y)


@program("v")
def sort_in_place(x):
    y = x * x
    y.sort()
    return np.sum(y * np.arange(4.0))


@program("v")
def list_of_arrays_written_later(x):
    a = x * 1.0
    parts = [a, a * 2.0]
    a[0] = x[1] * x[2]
    return np.sum(parts[0] * parts[1])


@program("v")
def array_in_a_dict_written(x):
    state = {"u": x * 1.0, "v": np.zeros(4)}
    for _ in range(3):
        state["v"][1:] = state["u"][:-1] * 0.5
        state["u"] += state["v"]
    return np.sum(state["u"] ** 2)


@program("v")
def arrays_in_a_list_swapped(x):
    grids = [x * 1.0, np.zeros(4)]
    for t in range(3):
        old, new = grids[t % 2], grids[(t + 1) % 2]
        new[:] = old * old * 0.5 + x
    return np.sum(grids[0] * grids[1])


@program("v")
def float_updates_do_not_alias(x):
    a = x[0]
    b = a
    b += x[1]
    b *= 2.0
    return a * b


@program("v")
def list_updates_do_alias(x):
    a = [x[0]]
    b = a
    b += [x[1] * x[2]]
    return a[0] * a[1] + len(b)


@program("v")
def records_survive_overwriting(x):
    u = x * 1.0
    history = []
    for _ in range(3):
        history.append(u.copy())
        u *= u
        u += 0.1
    return np.sum(history[0] * history[1]) + np.sum(history[2] * u)


@program("v")
def records_without_copies_alias(x):
    u = x * 1.0
    history = []
    for _ in range(3):
        history.append(u)
        u *= 1.5
    return np.sum(history[0] * history[1]) + np.sum(u)


@program("v")
def square_in_place_of_itself(x):
    y = np.exp(x)
    y *= y
    y /= 1.0 + y
    y -= y[0]
    y **= 2
    return np.sum(y)


@program("v")
def overlapping_slices_of_one_array(x):
    y = x * 1.0
    y[1:] += y[:-1]
    y[:-1] = y[1:] * 2.0
    y[::2] -= y[1::2]
    return np.sum(y * y)


@program("m")
def index_arrays_and_masks_mixed(a):
    b = a * 1.0
    b[[0, 2], 1:3] = a[1:3, :2]
    b[b > 1.0] = a[0, 0]
    b[1, [0, 0, 3]] += 1.0
    b[np.ix_([0, 1], [2, 3])] *= 2.0
    return np.sum(b * b)


@program("m")
def newaxis_and_ellipsis_stores(a):
    b = np.zeros((2, 3, 4))
    b[0, ...] = a
    b[1, :, None, 0] = a[:, 1:2]
    b[..., -1] += a[None, :, 0]
    return np.sum(b * b)


@program("v")
def loop_that_writes_behind_and_reads_ahead(x):
    y = np.concatenate([x, x * 0.5])
    for i in range(1, 7):
        y[i] = y[i - 1] * y[i + 1] + 0.5
    return np.sum(y)


@program("v")
def zero_axes_updated(x):
    total = np.zeros(())
    total += x[0] * x[1]
    total *= 2.0
    return total * x[2]


@program("v")
def shadow_of_a_broadcast(x):
    y = np.broadcast_to(x[:, None], (4, 3)).copy()
    y[0] = 2.0
    y[:, 1] *= x
    return np.sum(y * y)


@program("v")
def real_part_and_flat(x):
    y = x * 1.0
    y.flat[1] = x[0] * x[3]
    y.real[2] = x[1]
    return np.sum(y * y)


@program("v")
def asarray_keeps_the_memory(x):
    y = x * 1.0
    z = np.asarray(y)
    z[0] = x[1] ** 2
    return np.sum(y * x)


@program("v")
def squeeze_and_expand(x):
    y = x * 1.0
    col = y[:, None]
    col[1, 0] = x[0] * x[2]
    np.squeeze(col)[3] = 2.0 * x[0]
    return np.sum(y * y)


@program("v")
def split_views_written(x):
    y = x * 1.0
    left, right = np.split(y, 2)
    left *= x[3]
    right[0] = x[0]
    return np.sum(y * y)


@program("m")
def diagonal_view_read(a):
    b = a @ a.T
    d = b.diagonal()
    e = d * d
    b[0, 0] = 1.0
    return np.sum(e) + np.sum(b)


@program("v", "v", "v")
def added_after_a_product_with_one(a, b, c):
    u = a * c
    p = b + a * 1.0
    return np.sum(np.sin(p)) + np.sum(u * u)


@program("v", "v")
def entries_of_inner_lists_replaced(x, w):
    rows = [[x * 2.0, w * 1.0], [w * 3.0, x * w]]
    for i in range(2):
        rows[i][0] = rows[i][0] * rows[i][1]
    first, last = rows
    first[1] = last[0] * first[0]
    return np.sum(rows[0][1] * rows[1][0] * last[1])


@program("v", "v")
def result_of_a_rule_that_a_loop_scales(x, y):
    q = np.logaddexp(x, y)
    for _ in range(3):
        q *= 0.9
    return np.sum(np.sin(q))


@program("v", "v")
def result_of_a_rule_that_a_branch_scales(x, y):
    q = np.hypot(x, y)
    if x[0] < 9.0:
        q *= 0.9
    r = np.exp(x)
    while r[0] < 9.0:
        r *= 2.0
    return np.sum(np.sin(q)) + np.sum(np.cos(r))


@program("v")
def operand_of_a_product_that_a_loop_adds_to(x):
    y = 2 * x
    z = y * x
    s = y @ z
    for i in range(3):
        y += i
        y -= x
    return s * np.sum(y)


@program("v")
def view_in_a_tuple_beside_its_base_written(x):
    y = x * 2.0
    pair = (y, y[1:])
    pair[1][0] = x[0] ** 2
    return np.sum(pair[0] ** 2)


@program("v")
def view_in_a_list_beside_its_base_scaled(x):
    y = x * x
    parts = [y[:2], y]
    parts[0][1] *= x[3]
    return np.sum(parts[1] ** 2) * x[0]


@program("v")
def view_in_a_dict_beside_its_base_written(x):
    y = np.sin(x)
    parts = {"whole": y, "rest": y[2:]}
    rest = parts["rest"]
    rest[0] = x[1] ** 3
    return np.sum(parts["whole"] * x)


@program("v")
def what_is_checked_for_infinities_updated(x):
    y = x * 2.0
    z = np.asarray_chkfinite(y)
    z += x
    return np.sum(y * z)


@program("m")
def what_meets_requirements_updated(x):
    y = x * 2.0
    z = np.require(y, None, "C")
    z[0] += x[1]
    return np.sum(y * z)


@program("m")
def what_must_be_laid_out_anew_updated(x):
    y = x * 2.0
    z = np.require(y, None, "F")
    z[0] += x[1]
    return np.sum(y * z)


@program(("m", 2, 2, 2))
def parts_in_depth_unpacked_and_updated(x):
    y = x * 2.0
    first, second = np.dsplit(y, 2)
    first += second
    return np.sum(y * y)


@program("m")
def matrix_turned_over_and_updated(x):
    y = x * 2.0
    z = np.linalg.matrix_transpose(y)
    z[0] *= x[:, 0]
    return np.sum(y * y)


@program("v")
def reshaped_after_the_last_write(x):
    y = x * 2.0
    y[0] = y[1] * y[2]
    return np.sum(np.reshape(y, (-1, 1)) * y)


@program("v")
def grid_flattened_after_its_rows_were_written(x):
    y = np.zeros((2, len(x)))
    y[0] = x
    y[1] = x**2
    return np.sum(y.T.ravel()[1:] ** 2)


@program("v")
def conjugated_after_the_last_write(x):
    y = x * (1.0 + 2.0j)
    y[0] = y[1] * 2.0
    z = np.conj(y)
    return np.sum((z * y * x).real)


@program("v")
def counts_read_through_an_axis_of_what_is_computed(x):
    counts = np.zeros(3)
    for i in range(len(x)):
        counts[i % 3] += 1
    sums = np.zeros((3, 2))
    sums[0] += x[:2]
    sums[1] += x[1:3]
    return np.sum((sums / np.maximum(counts, 1)[:, None]) ** 2)


@program("v")
def parts_kept_in_a_list_while_they_are_written(x):
    y, kept = x.copy(), []
    for i in range(len(y)):
        kept.append(y[:i])
        y[i] = np.sum(y[:i]) + y[i] * 2.0
    total = np.sum(y * y)
    for part in kept:
        total = total + np.sum(part)
    return total


@program("v")
def sum_over_parts_kept_in_a_list(x):
    y, kept = x.copy(), []
    for i in range(len(y)):
        kept.append(y[i:])
        y[i] = y[i] * 3.0
    return np.sum(y * y) + sum(np.sum(part) for part in kept)


@program("v")
def second_name_in_a_branch_that_returns(x, kind=1):
    out = [x[0], x[1]]
    if kind == 0:
        out = [0.0, 0.0]
        out[0] = x[0]
        return sum(out)
    if kind == 1:
        rates = [x[2], x[3]]
        first = out[0]
        out = rates
        for i in range(2):
            scaled = rates[i] * first
            out[i] = scaled + rates[1]
        return out[0] * out[1]
    out[0] = 2.0
    return sum(out)


@program("v")
def one_name_for_lists_of_several_branches(x):
    if x[1] < 10.0:
        rates = [x[2], x[3]]
        if x[0] > 100.0:
            out = rates
            out[0] = x[0]
            return rates[0] * out[1]
        out = [x[0]]
        out[0] = rates[0] * 2.0
        return out[0] * rates[1]
    return x[0]
