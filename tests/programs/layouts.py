"""Programs whose aliases depend on how arrays lie in memory, and on whether they are complex."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("m")
def fortran_array_of_a_transpose(m):
    a = m * 1.0
    t = a.T
    same = np.asfortranarray(t)
    same *= 2.0
    return np.sum(a * a) + np.sum(t * m.T)


@program("m")
def ravel_in_the_order_of_columns(m):
    a = m * 1.0
    flat = a.ravel(order="F")
    flat *= 2.0
    return np.sum(a * m) + np.sum(flat**3 * np.arange(12.0))


@program("m")
def reshape_in_the_order_of_memory(m):
    flat = m.T.reshape(-1, order="A")
    return np.sum(flat**2 * np.arange(12.0))


@program("m")
def reshape_in_the_order_of_memory_written(m):
    a = (m * 1.0).T
    flat = np.reshape(a, -1, order="A")
    flat[:3] *= 2.0
    return np.sum(a**2 * m.T)


@program("v")
def conjugate_of_real_numbers(x):
    y = x * 1.0
    same = y.conj()
    same *= 2.0
    return np.sum(y * x)


@program(("v", 5))
def parts_of_unequal_sizes(x):
    y = x * 1.0
    parts = np.array_split(y, 2)
    parts[0][:] = parts[0] ** 2
    parts[1][1:] += parts[0][0]
    return np.sum(y * x)


@program(("m", 3, 3), by="tape")
def first_power_of_a_matrix(m):
    a = m * 1.0
    power = np.linalg.matrix_power(a, 1)
    power *= 2.0
    return np.sum(a * m)


@program("v")
def complex_buffer_of_real_numbers(x):
    w = np.zeros(x.shape, dtype=complex)
    w[:] = x * 1j
    w *= np.exp(1j * x)
    return np.sum(w.real * x) + np.sum(np.abs(w) ** 2)


@program("v")
def complex_product_of_real_numbers(x):
    w = x * 1j
    w = w * np.exp(1j * x)
    return np.sum(w.real * x) + np.sum(np.abs(w) ** 2)


@program("v")
def spectrum_written_in_part(x):
    w = np.fft.fft(x)
    w[1:] *= x[1:]
    w[0] = x[0]
    y = np.fft.ifft(w).real
    y[1:] += x[:-1]
    return np.sum(y**2 * x)


@program("v")
def written_after_a_change_of_type(x):
    w = x.astype(np.float64)
    w[1:] *= 3 * x[:-1]
    z = x.astype(complex)
    z[1:] += 1j * w[:-1]
    return np.sum(w**2 * x) + np.sum((z * np.exp(z)).real)


@program(("v", 6))
def split_step(x):
    u = x + 0j
    for _ in range(3):
        u[:] = u * np.exp(0.1j * np.abs(u) ** 2)
        waves = np.fft.fft(u)
        waves *= np.exp(-0.01j * np.arange(6) ** 2)
        u = np.fft.ifft(waves)
    return np.sum(np.abs(u) ** 4)


@program("m")
def parts_written_and_joined(m):
    y = m * 1.0
    parts = np.split(y, 3)
    parts[0][:] = parts[1] ** 2
    parts[2][0, 1:] *= parts[0][0, 1]
    return np.sum(np.concatenate(parts) * m) + np.sum(parts[1] * y[0])


@program("m", by="tape")
def last_parts_written(m):
    y = m * 1.0
    parts = np.vsplit(y, 3)
    rest = parts[1:]
    rest[0][:] = parts[0] ** 2
    return np.sum(y * m) + np.sum(rest[1] * rest[0])


@program("v")
def entry_of_an_entry_of_written_arrays(x):
    a, b = x * 1.0, x * 2.0
    both = [a, b]
    both[0][:] = b**2
    both[1][1:] += both[0][0]
    return np.sum(a * x) + np.sum(b**2)


@program("m")
def parts_with_two_names(m):
    y = m * 1.0
    parts = np.split(y, 3)
    same = parts
    same[0][:] = parts[1] ** 2
    return np.sum(np.concatenate(parts) * m)


@program("v")
def zeros_of_another_shape_joined(x):
    end = np.zeros_like(x, shape=(2,))
    return np.sum(np.concatenate([end, x]) ** 2 * np.arange(len(x) + 2.0))


@program("v")
def ones_of_another_shape_by_place(x):
    rows = np.ones_like(x, None, "K", True, (2, len(x)))
    return np.sum(rows * x**2) + np.sum((rows[:, :1] * x[0]) ** 2)


@program("v")
def real_numbers_written_as_complex_ones(x):
    z = np.asarray(x, dtype=complex)
    z[0] = z[1] * 2j
    return np.sum(np.abs(z) ** 2)


@program("v")
def lists_of_numbers_among_the_arrays_that_are_joined(x):
    a = np.hstack([x, [x[0]]])
    b = np.concatenate([[np.sum(x)], x])
    c = np.stack([x[:3], [x[0] * 2, 1.0, x[1]]])
    d = np.vstack(([x[0], x[1], 1.0], x[:3], (x[0] * x[1], 2, 3)))
    e = np.column_stack(([x[0], 1.0, x[2]], x[:3]))
    return a @ a + b @ b[::-1] + np.sum(c * c[::-1]) + np.sum(d**2) + np.sum(np.sin(e))
