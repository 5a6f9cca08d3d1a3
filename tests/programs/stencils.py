"""Time loops and stencils as they stand in scientific code: swaps, work arrays, boundaries."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def jacobi_with_swapped_buffers(x):
    u = x.copy()
    new = x.copy()
    for _ in range(4):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return np.sum(u * u)


@program(("m", 5, 6), ("m", 5, 6))
def jacobi_on_a_plate(u, source):
    u = u.copy()
    v = u.copy()
    for _ in range(3):
        v[1:-1, 1:-1] = 0.25 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 0.1 * source[1:-1, 1:-1]
        )
        u, v = v, u
    return np.sum(u**2)


@program(("m", 4, 5))
def gauss_seidel_by_views(x):
    u = x * 1.0
    inner = u[1:-1]
    for _ in range(3):
        for row in inner:
            row[1:-1] = 0.25 * (row[:-2] + row[2:]) + 0.1 * row[1:-1] ** 2
    return np.sum(u * u)


@program(("m", 5, 5))
def red_black_sweeps(x):
    u = x.copy()
    for _ in range(2):
        for colour in range(2):
            for i in range(1, 4):
                for j in range(1 + (i + colour) % 2, 4, 2):
                    u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


@program(("v", 8), "s")
def leapfrog_with_three_levels(u0, c):
    before = u0.copy()
    now = u0.copy()
    after = np.zeros(8)
    for _ in range(4):
        after[1:-1] = (
            2 * now[1:-1] - before[1:-1] + 0.1 * c**2 * (now[2:] - 2 * now[1:-1] + now[:-2])
        )
        before, now, after = now, after, before
    return np.sum(now**2)


@program(("v", 8), "s")
def wave_with_copied_levels(u0, c):
    before, now = u0.copy(), u0.copy()
    for _ in range(3):
        after = np.zeros_like(now)
        after[1:-1] = 2 * now[1:-1] - before[1:-1] + c * (now[2:] - 2 * now[1:-1] + now[:-2]) * 0.1
        before[:] = now
        now[:] = after
    return np.sum(now**2)


@program(("v", 8), ("v", 8))
def maxwell_in_one_dimension(e, h):
    e, h = e.copy(), h.copy()
    for step in range(4):
        h[:-1] += 0.5 * (e[1:] - e[:-1])
        e[1:] += 0.5 * (h[1:] - h[:-1])
        e[0] = np.sin(0.3 * step) * e[1]
        h[-1] = h[-2]
    return np.sum(e * e) + np.sum(h * e)


@program(("m", 4, 4), ("m", 4, 4), ("m", 4, 4))
def maxwell_in_two_dimensions(ez, hx, hy):
    for _ in range(3):
        hx[:, :-1] -= 0.4 * (ez[:, 1:] - ez[:, :-1])
        hy[:-1, :] += 0.4 * (ez[1:, :] - ez[:-1, :])
        ez[1:, 1:] += 0.4 * (hy[1:, 1:] - hy[:-1, 1:] - hx[1:, 1:] + hx[1:, :-1])
    return np.sum(ez**2)


@program(("v", 8), "s")
def burgers_upwind(u0, dt):
    u = u0.copy()
    dt = 0.1 * dt
    for _ in range(4):
        un = u.copy()
        u[1:] = un[1:] - dt * un[1:] * (un[1:] - un[:-1])
        u[0] = u[-1]
    return np.sum(u**2)


@program(("v", 8), "s")
def heat_with_boundary_conditions(u0, k):
    u = u0.copy()
    flux = np.empty(9)
    for _ in range(4):
        flux[1:-1] = -k * 0.1 * (u[1:] - u[:-1])
        flux[0] = 0.0
        flux[-1] = u[-1] * 0.2
        u -= flux[1:] - flux[:-1]
    return np.sum(u**2)


@program(("v", 6), ("v", 6))
def shallow_water(h0, q0):
    h = 2.0 + 0.1 * np.tanh(h0)
    q = q0 * 0.1
    for _ in range(3):
        f = q * q / h + 0.5 * h * h
        left, right = h[:-2].copy(), h[2:].copy()
        hq = q[2:] - q[:-2]
        q[1:-1] = 0.5 * (q[:-2] + q[2:]) - 0.05 * (f[2:] - f[:-2])
        h[1:-1] = 0.5 * (left + right) - 0.05 * hq
        h[0], h[-1] = h[1], h[-2]
        q[0], q[-1] = -q[1], -q[-2]
    return np.sum(h**2) + np.sum(q**2)


@program(("m", 4, 5))
def alternating_directions(x):
    u = x.copy()
    for _ in range(2):
        for view in (u, u.T):
            view[1:-1] = 0.5 * view[1:-1] + 0.25 * (view[:-2] + view[2:])
    return np.sum(u * u)


@program(("v", 6), ("v", 6))
def thomas_algorithm(d, b):
    n = len(b)
    main = 3.0 + d * d
    rhs = b.copy()
    for i in range(1, n):
        w = -1.0 / main[i - 1]
        main[i] -= w * -1.0
        rhs[i] -= w * rhs[i - 1]
    x = np.zeros(n)
    x[-1] = rhs[-1] / main[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (rhs[i] + x[i + 1]) / main[i]
    return np.sum(x * x)


@program(("m", 4, 4))
def lu_in_place(m):
    a = m @ m.T + 4.0 * np.eye(4)
    for k in range(3):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diag(a))))


@program(("m", 4, 4))
def lu_in_place_by_rows(m):
    a = m @ m.T + 4.0 * np.eye(4)
    n = a.shape[0]
    for k in range(n - 1):
        pivot = a[k]
        for i in range(k + 1, n):
            row = a[i]
            row[k] /= pivot[k]
            row[k + 1 :] -= row[k] * pivot[k + 1 :]
    return np.sum(a * np.arange(16.0).reshape(4, 4))


@program(("m", 4, 4))
def cholesky_in_place(m):
    a = m @ m.T + 4.0 * np.eye(4)
    for j in range(4):
        a[j, j] = np.sqrt(a[j, j] - np.sum(a[j, :j] ** 2))
        for i in range(j + 1, 4):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
    return np.sum(np.tril(a))


@program(("m", 3, 3), ("v", 3))
def elimination_with_row_swaps(m, b):
    a = m @ m.T + 2.0 * np.eye(3)
    a[[0, 2]] = a[[2, 0]]
    y = b.copy()
    y[[0, 2]] = y[[2, 0]]
    for k in range(3):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
            y[[k, p]] = y[[p, k]]
        for i in range(k + 1, 3):
            factor = a[i, k] / a[k, k]
            a[i] -= factor * a[k]
            y[i] -= factor * y[k]
    for k in range(2, -1, -1):
        y[k] = (y[k] - np.dot(a[k, k + 1 :], y[k + 1 :])) / a[k, k]
    return np.sum(y * y)


@program("v", "s")
def runge_kutta_of_fourth_order(y0, h):
    y = y0.copy()
    k = np.zeros((4, 4))
    for _ in range(2):
        k[0] = np.sin(y)
        k[1] = np.sin(y + 0.1 * h * k[0])
        k[2] = np.sin(y + 0.1 * h * k[1])
        k[3] = np.sin(y + 0.2 * h * k[2])
        y += 0.2 * h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
    return np.sum(y**2)


@program(("m", 4, 2), ("m", 4, 2))
def verlet_with_forces_accumulated(x, v):
    x, v = x.copy(), v.copy()
    force = np.zeros_like(x)
    for _ in range(2):
        force[...] = 0.0
        for i in range(4):
            for j in range(i):
                d = x[i] - x[j]
                f = d / (1.0 + np.sum(d * d))
                force[i] -= f
                force[j] += f
        v += 0.1 * force
        x += 0.1 * v
    return np.sum(x * x) + np.sum(v * v)


@program(("v", 8))
def multigrid_restriction_and_prolongation(x):
    fine = x.copy()
    coarse = np.zeros(4)
    for _ in range(2):
        coarse[:] = 0.5 * (fine[::2] + fine[1::2])
        coarse[1:-1] = 0.5 * (coarse[:-2] + coarse[2:])
        fine[::2] += 0.5 * coarse
        fine[1::2] -= 0.25 * coarse * fine[::2]
    return np.sum(fine * fine)


@program(("v", 8))
def haar_transform_in_place(x):
    y = x.copy()
    n = 8
    while n > 1:
        half = n // 2
        even, odd = y[:n:2].copy(), y[1:n:2].copy()
        y[:half] = (even + odd) / np.sqrt(2.0)
        y[half:n] = (even - odd) / np.sqrt(2.0)
        n = half
    return np.sum(y**3)


@program(("v", 8))
def lattice_streaming(x):
    f = np.zeros((3, 8))
    f[0] = x
    f[1] = x * 0.5
    f[2] = x * x
    for _ in range(3):
        f[1] = np.roll(f[1], 1)
        f[2] = np.roll(f[2], -1)
        rho = f[0] + f[1] + f[2]
        f += 0.1 * (rho / 3.0 - f)
    return np.sum(f**2)


@program(("v", 8), "s")
def periodic_advection_with_ghost_cells(x, c):
    u = np.zeros(10)
    u[1:-1] = x
    for _ in range(3):
        u[0] = u[-2]
        u[-1] = u[1]
        u[1:-1] -= 0.2 * c * (u[2:] - u[:-2])
    return np.sum(u[1:-1] ** 2)


@program(("m", 4, 4))
def checkerboard_by_strided_views(x):
    u = x.copy()
    red, black = u[::2, ::2], u[1::2, 1::2]
    for _ in range(2):
        red += 0.1 * black
        black *= 1.0 + 0.1 * red
    return np.sum(u * u)


@program(("v", 6))
def sandpile_of_conditional_updates(x):
    u = 2.0 + np.abs(x)
    for _ in range(2):
        for i in range(1, 5):
            if u[i] > 2.5:
                moved = 0.5 * (u[i] - 2.0)
                u[i] -= 2.0 * moved
                u[i - 1] += moved
                u[i + 1] += moved * moved
    return np.sum(u * np.arange(6.0))
