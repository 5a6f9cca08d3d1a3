"""Programs that reach memory under several names: views, aliases, numbers that look like views."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def two_overlapping_views(x):
    y = x * 1.0
    left, right = y[:-1], y[1:]
    right += left
    left *= right
    return np.sum(y * y) + np.sum(left * right)


@program("v")
def overlapping_views_read_in_between(x):
    y = x * 1.0
    left, right = y[:-1], y[1:]
    right += left
    a = left * 3.0
    left *= 2.0
    return np.sum(y * y) + np.sum(a * a)


@program("v")
def overlapping_rows_of_a_loop(x):
    y = np.outer(x, x)
    total = 0.0
    for k in range(3):
        row = y[k:]
        for i in range(k, 3):
            low = y[i : i + 2]
            low += row[:2] * 0.5
            total = total + np.sum(low**2)
            row *= 0.9
    return total + np.sum(y * y)


@program("v")
def view_squared_by_itself(x):
    y = x * 1.0
    z = y[:]
    y *= y
    z /= x
    y **= 2
    y -= z
    return np.sum(y * z)


@program("v")
def value_stored_from_a_view_that_lives_on(x):
    y = x * 1.0
    v = y[:-1]
    y[1:] = v
    return np.sum(y * y) + np.sum(v * v)


@program("m")
def views_of_views_of_views(m):
    a = m * 1.0
    b = a[1:]
    c = b.T
    d = c[::2]
    d += 2.0 * c[1::2]
    b[0] *= d[0, 0]
    return np.sum(a * a)


@program("m")
def reshape_that_copies(m):
    a = m.T * 1.0
    flat = a.reshape(-1)
    flat[3:6] = flat[0] * flat[1]
    flat *= 2.0
    return np.sum(a * a) + np.sum(flat * flat)


@program("m")
def reshape_that_does_not_copy(m):
    a = m * 1.0
    flat = a.reshape(-1)
    flat[3:6] = flat[0] * flat[1]
    block = flat.reshape(2, 6)
    block[1] += block[0]
    return np.sum(a * a) + np.sum(flat * flat)


@program("m")
def split_into_views(m):
    a = m * 1.0
    left, right = np.split(a, 2, axis=1)
    left[...] = right * left
    right[0] = left[1]
    return np.sum(a * a)


@program("m")
def axes_moved_and_flipped(m):
    a = m * 1.0
    b = np.swapaxes(a, 0, 1)
    c = np.flip(a, axis=0)
    d = a[None]
    b[0] = 1.0 * c[:, 1]
    d[0, 1] *= 3.0
    c[0] += b[:, 2][::-1].sum()
    return np.sum(a * a * np.arange(12.0).reshape(3, 4))


@program("m", by="tape")  # whether NumPy stores over what it has yet to read, the run tells
def column_stored_over_another_axis(m):
    a = m * 1.0
    b = np.swapaxes(a, 0, 1)
    c = np.flip(a, axis=0)
    b[0] = c[:, 1]
    return np.sum(a * a * np.arange(12.0).reshape(3, 4))


@program("v")
def element_is_a_value(x):
    y = x * 1.0
    first = y[0]
    y[0] = 5.0 * y[1]
    return first * np.sum(y * y)


@program("v")
def greatest_so_far(x):
    y = x * 1.0
    best = 0.0
    for i in range(4):
        if y[i] > best + 0.01:
            best = y[i]
        y[i] = best * 2.0
    return best * np.sum(y)


@program("v")
def elements_rotated(x):
    y = x * x
    y[0], y[1], y[2] = y[1], y[2], y[0]
    return np.sum(y * np.arange(4.0))


@program("m")
def rows_swapped_by_copies(m):
    a = m * 2.0
    a[0], a[1] = a[1].copy(), a[0].copy()
    return np.sum(a * a * np.arange(12.0).reshape(3, 4))


@program("m")
def rows_swapped_and_corrupted(m):
    a = m * 2.0
    a[0], a[1] = a[1], a[0]
    return np.sum(a * a * np.arange(12.0).reshape(3, 4))


@program("v", "n")
def name_of_one_of_two(x, n):
    a = x * 1.0
    b = x * 2.0
    c = a if n > 2 else b
    for k in range(4):
        target = a if k % 2 == 0 else b
        target[k] = c[0] * x[k]
        target *= 1.1
    return np.sum(a * b) + np.sum(c)


@program("v")
def arrays_in_a_tuple(x):
    a = x * 1.0
    pair = (a, a[1:])
    whole, tail = pair
    tail *= 3.0
    whole[1] = tail[1] * x[0]
    return np.sum(a * a)


@program("v")
def arrays_in_a_list_by_turns(x):
    levels = [x * 1.0, np.zeros(4), np.zeros(4)]
    for k in range(4):
        now, new = levels[k % 3], levels[(k + 1) % 3]
        new[1:] = now[:-1] * x[1:]
        new[0] = now[3]
    return np.sum(levels[1] * levels[2]) + np.sum(levels[0])


@program("v")
def zero_trips_leave_the_alias(x):
    y = x * 1.0
    z = y
    for k in range(0):
        z = y * float(k)
    y *= 2.0
    return np.sum(z * x)


@program("v")
def alias_made_in_a_loop(x):
    y = x * 1.0
    z = np.zeros(4)
    for k in range(3):
        z[k] = y[k]
        y *= 1.5
        if k == 1:
            z = y
    return np.sum(y * z)


@program("v")
def storage_made_in_each_trip(x):
    total = 0.0
    for k in range(3):
        work = x * (k + 1.0)
        tail = work[1:]
        tail *= work[:-1]
        work[0] = tail[0]
        total += np.sum(work * tail[0])
    return total


@program("v")
def storage_of_the_trip_before(x):
    last = x * 1.0
    for k in range(3):
        work = last * x
        view = work[1:]
        view += last[:-1]
        last[0] = view[1]
        last = work
    return np.sum(last * last)


@program("v")
def update_of_a_number_and_of_an_array(x):
    total = x[0]
    kept = total
    total += x[1]
    y = x * 1.0
    same = y
    y += x[1]
    return kept * total + np.sum(same * x)


@program("v")
def matrix_product_in_place(x):
    y = np.outer(x, x)
    view = y.T
    y += np.eye(4)
    y @= np.outer(x, np.arange(4.0))
    return np.sum(view * y)


@program("v")
def empty_views(x):
    y = x * 1.0
    nothing = y[4:]
    nothing += 1.0
    y[:0] = 3.0
    tail = y[3:]
    tail *= x[0]
    return np.sum(y * y)


@program("m")
def boolean_and_index_arrays_are_copies(m):
    y = m * 1.0
    chosen = y[y > 0]
    rows = y[[0, 2]]
    y *= 0.5
    chosen *= 2.0
    return np.sum(chosen) * np.sum(rows) + np.sum(y * y)


@program("v")
def view_chosen_by_the_trip(x):
    y = x * 1.0
    v = y
    for i in range(3):
        if i == 1:
            v = y[1:]
        elif i == 2:
            v = v.reshape(-1, 1)[:, 0]
        v[0] += x[i]
        y *= 1.1
    return np.sum(v * v) + np.sum(y)


@program("v")
def interleaved_views_while_small(x):
    y = x * 1.0
    v = y[::2]
    n = 0
    while np.sum(v * v) < 50.0 and n < 6:
        v *= 1.7
        v += y[1::2]
        n += 1
    return np.sum(y * y)


@program("m")
def elements_of_rows(m):
    a = m * 1.0
    for row in a:
        for k in range(1, 4):
            row[k] += row[k - 1] * 0.5
            if row[k] > 1.0:
                row[k] *= 0.5
    return np.sum(a * a)


@program("v")
def returned_from_the_loop_that_writes(x):
    y = x * 1.0
    v = y[1:]
    for i in range(3):
        v[i] *= y[i]
        if v[i] > 2.0:
            return np.sum(y)
    return np.sum(y * y)


@program("v")
def loop_that_writes_left_early(x):
    y = x * 1.0
    v = y[1:]
    for i in range(3):
        v *= 1.5
        if i == 1:
            break
        y[0] += v[i]
    return np.sum(y * y)


@program("v")
def arrays_of_a_list_enumerated(x):
    rows = [x * 1.0, x * 2.0]
    for i, row in enumerate(rows):
        row[i] = 5.0 * row[i + 1]
        row *= row[0]
    return np.sum(rows[0] * rows[1])


@program("m")
def rows_of_the_caller_under_two_names(m):
    u, v = m[0], m[1]
    u += v
    v += u
    return np.sum(m * m)


@program("v")
def names_swapped_between_writes(x):
    a, b = x * 1.0, x * 2.0
    a, b = b, a
    a += b
    b[1:] = a[:-1]
    a, b = b[::-1], a
    a *= b
    return np.sum(a) + np.sum(b * b)


@program("v")
def array_without_axes_under_two_names(x):
    t = np.zeros(())
    u = t
    t += x[0]
    t *= x[1]
    return u * t


@program("v")
def complex_share_of_an_argument_that_is_written(x):
    e = x * (1j * x)
    u = x.ravel()
    x[2] -= 0.5
    return np.sum(u) + np.sum(np.abs(e)) + x.mean()


@program("v")
def view_of_an_argument_that_complex_numbers_read(x):
    turned = 1j * x
    row = x[np.newaxis]
    x[1] = 0.5
    v = x[1:]
    v *= 2
    z = v + 1j * x[:-1]
    v += z.real * z.imag
    return row.mean() + np.sum(turned.imag) + np.sum(np.abs(z))


@program("m")
def rows_unpacked_and_made_orthogonal(x):
    first, second = np.array(x)[:2]
    length = np.sqrt(np.sum(first**2))
    first /= length
    second -= first * np.dot(first, second)
    return np.sum(second**2) + length


@program(("v", 4))
def parts_of_a_split_updated_by_place(x):
    y = 1.0 * x
    parts = np.split(y, 2)
    for i in range(len(parts)):
        parts[i] /= 2.0
    parts[1] **= 2
    parts[0] *= x[3]
    return np.sum(y * x)


@program(("v", 4))
def numbers_of_a_part_before_it_is_written(x):
    y = 1.0 * x
    first, second = np.split(y, 2)
    number = second[0]
    other = first[-1]
    y *= 0.9
    second[1] = number * other
    return np.sum(y**2) + number


# -- real and imaginary parts that are written: the adjoint of the whole may be real


@program("v")
def imaginary_part_updated(x):
    a = x * 0.5j
    q = a.imag
    q += x
    return np.sum(np.abs(a) ** 2)


@program("v")
def both_parts_updated(x):
    a = x * (1 + 0.5j)
    a.real[...] *= x
    q = a.imag
    q += x * x
    return np.sum(np.abs(a))


@program("v", by="tape")
def imaginary_part_updated_and_real_part_read(x):
    a = x * (1 + 0.5j)
    a.imag *= x
    a.real[0] = x[1] * x[0]
    return np.sum(a.real)


@program("v", by="tape")
def parts_of_rows_and_columns_written(x):
    a = np.zeros((2, len(x)), complex)
    a[0].real[:] = x
    a.T.imag[:, 1] = x * x
    b = a * (x + 1j)
    b.real[b.real > 0.2] *= x[0]
    return np.sum(np.abs(b) ** 2)


@program("v")
def filled_with_another_type_and_written(x):
    y = np.full_like(x, 0.5, dtype=complex)
    y += 1j * x
    z = np.full_like(np.arange(len(x)), 0.5, dtype=float)
    z[1:] += x[1:]
    return np.sum(np.abs(y) ** 2) + np.sum(z**2)


@program("v")
def reversed_view_squared_in_place(x):
    k = x * (0.3 + 0.4j) - 0.2j * x[::-1]
    k *= k
    return x.mean() + 0.5 * np.sum(k).real
