"""Simulations as they stand in scientific code: fields, particles, filters and steppers."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program

_RNG = np.random.default_rng(11)
FORCING = _RNG.normal(size=6)
NOISE = _RNG.normal(size=8)
SIGNAL = np.sin(np.arange(12) * 0.7)
SPOTS = _RNG.normal(size=(4, 2))


@program(("v", 8), "s")
def electromagnetic_pulse(start, permittivity):
    """One-dimensional FDTD: two staggered fields that are updated in turn."""
    n = len(start)
    electric = start.copy()
    magnetic = np.zeros(n - 1)
    c_e = 0.5 / permittivity
    c_h = 0.5
    probe = 0.0
    for step in range(5):
        magnetic += c_h * (electric[1:] - electric[:-1])
        electric[1:-1] += c_e * (magnetic[1:] - magnetic[:-1])
        electric[0] = 0.0
        electric[-1] = 0.1 * math.sin(0.3 * step)
        probe += electric[n // 2] ** 2
    energy = 0.5 * permittivity * np.sum(electric**2) + 0.5 * np.sum(magnetic**2)
    return probe + energy


@program(("m", 5, 5), "s", "s")
def reaction_and_diffusion(start, feed, kill):
    """Gray and Scott's model on a torus, by rolled neighbours."""
    u = 1.0 - 0.1 * start
    v = 0.1 + 0.05 * start
    dt = 0.5
    for _ in range(4):
        lap_u = -4.0 * u
        lap_v = -4.0 * v
        for axis in (0, 1):
            for shift in (-1, 1):
                lap_u = lap_u + np.roll(u, shift, axis=axis)
                lap_v = lap_v + np.roll(v, shift, axis=axis)
        reaction = u * v * v
        u = u + dt * (0.1 * lap_u - reaction + 0.04 * feed * (1.0 - u))
        v = v + dt * (0.05 * lap_v + reaction - (0.06 * kill + 0.04 * feed) * v)
    return np.sum(v**2) + np.mean(u)


@program(("v", 7), "s")
def leapfrog_wave(start, speed):
    """The wave equation with three time levels and absorbing ends."""
    dx, dt = 1.0, 0.4
    r = (speed * dt / dx) ** 2 * 0.25
    before = start.copy()
    now = start.copy()
    for _ in range(5):
        after = np.zeros_like(now)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + r * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        after[0] = now[1] + 0.1 * (after[1] - now[0])
        after[-1] = now[-2] + 0.1 * (after[-2] - now[-1])
        before = now
        now = after
    return np.sum(now**2) + np.sum(np.abs(before) ** 3)


@program(("m", 4, 4), "s")
def alternating_directions(start, conductivity):
    """An ADI step: implicit along rows, then along columns, by Thomas' algorithm."""

    def solve_line(right, lam):
        n = len(right)
        c = np.zeros(n)
        d = np.zeros(n)
        b = 1.0 + 2.0 * lam
        c[0] = -lam / b
        d[0] = right[0] / b
        for i in range(1, n):
            m = b + lam * c[i - 1]
            c[i] = -lam / m
            d[i] = (right[i] + lam * d[i - 1]) / m
        x = np.zeros(n)
        x[n - 1] = d[n - 1]
        for i in range(n - 2, -1, -1):
            x[i] = d[i] - c[i] * x[i + 1]
        return x

    lam = 0.3 * conductivity
    u = start.copy()
    half = np.zeros_like(u)
    for i in range(u.shape[0]):
        half[i, :] = solve_line(u[i, :], lam)
    for j in range(u.shape[1]):
        u[:, j] = solve_line(half[:, j], lam)
    return np.sum(u * start)


@program(("v", 5), "s")
def tridiagonal_solver(right, diagonal):
    """Thomas' algorithm in place, in arrays that are overwritten as it goes."""
    n = len(right)
    lower = -0.5 * np.ones(n)
    main = (2.0 + diagonal) * np.ones(n)
    upper = -0.7 * np.ones(n)
    d = right.copy()
    for i in range(1, n):
        w = lower[i] / main[i - 1]
        main[i] = main[i] - w * upper[i - 1]
        d[i] = d[i] - w * d[i - 1]
    x = np.empty(n)
    x[-1] = d[-1] / main[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - upper[i] * x[i + 1]) / main[i]
    return np.sum(x**2) + x[2]


@program("s", "s")
def logistic_map(rate, start):
    """An orbit of the logistic map, with its Lyapunov exponent."""
    r = 2.5 + 0.4 * rate
    x = 0.3 * start
    total = 0.0
    for step in range(8):
        x = r * x * (1.0 - x)
        if step >= 2:
            total += math.log(abs(r * (1.0 - 2.0 * x)) + 0.1)
    return total / 6.0 + x


@program(("v", 3), "s")
def lorenz_attractor(start, beta):
    """Heun's method for Lorenz' equations, with the state in a list of floats."""
    x, y, z = start[0], start[1], start[2]
    h = 0.02
    for _ in range(6):
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - beta * z
        px, py, pz = x + h * dx, y + h * dy, z + h * dz
        ex, ey, ez = 10.0 * (py - px), px * (28.0 - pz) - py, px * py - beta * pz
        x = x + 0.5 * h * (dx + ex)
        y = y + 0.5 * h * (dy + ey)
        z = z + 0.5 * h * (dz + ez)
    return x * x + y * z


@program(("m", 4, 2), "s")
def lennard_jones(start, width):
    """Molecular dynamics with velocity Verlet and a cut-off."""
    x = SPOTS * 1.5 + 0.1 * start
    v = np.zeros_like(x)

    def forces(x):
        f = np.zeros_like(x)
        energy = 0.0
        for i in range(len(x)):
            for j in range(i):
                d = x[i] - x[j]
                r2 = d @ d + 0.5
                if r2 > 9.0:
                    continue
                s6 = (0.6 * width / r2) ** 3
                energy += 4.0 * (s6 * s6 - s6)
                pull = 24.0 * (2.0 * s6 * s6 - s6) / r2 * d
                f[i] += pull
                f[j] -= pull
        return f, energy

    f, energy = forces(x)
    for _ in range(3):
        v += 0.5 * 0.05 * f
        x += 0.05 * v
        f, energy = forces(x)
        v += 0.5 * 0.05 * f
    return energy + 0.5 * np.sum(v * v)


@program("s", "s")
def metropolis_with_fixed_noise(mean, scale):
    """A chain that is accepted or not by draws that are fixed beforehand."""
    x = 0.5 * mean
    kept = []
    for k in range(len(NOISE)):
        proposal = x + 0.8 * scale * NOISE[k]
        logp = -0.5 * (proposal - mean) ** 2 + 0.5 * (x - mean) ** 2
        if logp > math.log(0.1 + 0.1 * k):
            x = proposal
        kept.append(x)
    total = 0.0
    for value in kept[2:]:
        total += value * value
    return total / len(kept)


@program(("v", 4))
def adaptive_filter(start):
    """Least mean squares over a signal, with a window that slides."""
    weights = start.copy()
    error_sum = 0.0
    for t in range(4, len(SIGNAL)):
        window = SIGNAL[t - 4 : t]
        error = SIGNAL[t] - weights @ window
        weights += 0.1 * error * window
        error_sum += error * error
    return error_sum + np.sum(weights**4)


@program("s", "s")
def predator_and_prey(growth, appetite):
    """Lotka and Volterra by an implicit midpoint that is iterated to convergence."""
    x, y = 1.0, 0.5
    h = 0.1
    for _ in range(4):
        new_x, new_y = x, y
        for _ in range(30):
            mx, my = 0.5 * (x + new_x), 0.5 * (y + new_y)
            next_x = x + h * (growth * mx - appetite * mx * my)
            next_y = y + h * (appetite * mx * my - my)
            change = abs(next_x - new_x) + abs(next_y - new_y)
            new_x, new_y = next_x, next_y
            if change < 1e-14:
                break
        x, y = new_x, new_y
    return x * x + y


@program(("v", 6), "s")
def shallow_water(start, gravity):
    """Lax and Friedrichs for height and momentum, with walls that reflect."""
    h = 1.0 + 0.1 * start
    q = np.zeros_like(h)
    r = 0.1
    for _ in range(4):
        flux_h = q
        flux_q = q * q / h + 0.5 * gravity * h * h
        new_h = h.copy()
        new_q = q.copy()
        new_h[1:-1] = 0.5 * (h[2:] + h[:-2]) - 0.5 * r * (flux_h[2:] - flux_h[:-2])
        new_q[1:-1] = 0.5 * (q[2:] + q[:-2]) - 0.5 * r * (flux_q[2:] - flux_q[:-2])
        new_h[0], new_q[0] = new_h[1], -new_q[1]
        new_h[-1], new_q[-1] = new_h[-2], -new_q[-2]
        h, q = new_h, new_q
    return np.sum(h**3) + np.sum(q * q)


@program(("m", 4, 4))
def successive_overrelaxation(f):
    """Red and black sweeps of SOR, element by element in place."""
    n = f.shape[0]
    u = np.zeros((n + 2, n + 2))
    omega = 1.3
    for _ in range(3):
        for colour in (0, 1):
            for i in range(1, n + 1):
                for j in range(1, n + 1):
                    if (i + j) % 2 != colour:
                        continue
                    around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    u[i, j] += omega * (0.25 * (around - f[i - 1, j - 1]) - u[i, j])
    return np.sum(u[1:-1, 1:-1] * f) + u[2, 2]


@program(("v", 3), "s")
def spring_chain_with_contact(start, stiffness):
    """Masses on springs that hit a wall, by symplectic Euler with a penalty force."""
    x = np.arange(3.0) + 0.2 * start
    v = np.zeros(3)
    for step in range(6):
        force = np.zeros(3)
        force[:-1] += stiffness * (x[1:] - x[:-1] - 1.0)
        force[1:] -= stiffness * (x[1:] - x[:-1] - 1.0)
        for i in range(3):
            depth = x[i] - 2.05
            if depth > 0.0:
                force[i] -= 20.0 * depth
        force += FORCING[step]
        v = 0.98 * v + 0.1 * force
        x = x + 0.1 * v
    return np.sum(x**2) + np.sum(v**2)


@program(("v", 6))
def multigrid_cycle(f):
    """A two-grid cycle: smooth, restrict, solve coarsely by recursion, prolong, smooth."""

    def smooth(u, f, h, sweeps):
        for _ in range(sweeps):
            left = np.concatenate([np.zeros(1), u[:-1]])
            right = np.concatenate([u[1:], np.zeros(1)])
            u = u + 0.6 * (0.5 * (left + right + h * h * f) - u)
        return u

    def cycle(u, f, h):
        if len(u) <= 3:
            return smooth(u, f, h, 6)
        u = smooth(u, f, h, 2)
        left = np.concatenate([np.zeros(1), u[:-1]])
        right = np.concatenate([u[1:], np.zeros(1)])
        residual = f - (2.0 * u - left - right) / (h * h)
        coarse = cycle(np.zeros(len(u) // 2), residual[::2][: len(u) // 2], 2.0 * h)
        u = u + np.repeat(coarse, 2)
        return smooth(u, f, h, 2)

    u = cycle(np.zeros(6), f, 0.5)
    return np.sum(u * f)


@program("s", "s")
def projectile_until_it_lands(speed, drag):
    """A flight with drag, in steps until the ground, then the last step shortened."""
    x, y = 0.0, 1.0
    vx, vy = speed, 0.5 * speed
    h = 0.05
    while y > 0.0:
        last = (x, y)
        v = math.sqrt(vx * vx + vy * vy)
        vx -= h * 0.1 * drag * v * vx
        vy -= h * (9.81 + 0.1 * drag * v * vy)
        x += h * vx
        y += h * vy
    part = last[1] / (last[1] - y)
    return last[0] + part * (x - last[0])


@program(("v", 5), "s")
def cellular_traffic(density, braking):
    """Cars on a ring: a flux that is limited by room ahead, in place and in order."""
    rho = 0.5 + 0.2 * np.tanh(density)
    moved = np.zeros_like(rho)
    n = len(rho)
    for _ in range(4):
        for i in range(n):
            ahead = (i + 1) % n
            demand = rho[i] * (1.0 - 0.3 * braking * rho[i])
            supply = 0.9 - 0.5 * rho[ahead]
            moved[i] = 0.3 * min(demand, supply)
        for i in range(n):
            rho[i] += moved[i - 1] - moved[i]
    return np.sum(rho**3) + moved[0]


@program(("v", 6), ("v", 6))
def charges_in_cells(starts, speeds):
    """Charges are shared between the two cells beside them, by whole numbers of their places."""
    places, count, cells = 1.5 + np.sin(starts), len(starts), 5
    energy = 0.0
    for _ in range(2):
        charge = np.full(cells, -1.0)
        for p in range(count):
            cell = int(places[p])
            share = places[p] - cell
            charge[cell] += 1.0 - share
            charge[(cell + 1) % cells] += share
        for p in range(count):
            places[p] = (places[p] + 0.01 * speeds[p] * charge[int(places[p])]) % cells
        energy += np.sum(charge * charge)
    return energy


@program(("m", 9, 2, 2), "s")
def nine_directions(start, ease):
    """What flows in nine directions is summed up, and comes nearer to the sum."""
    flow = start.copy()
    for _ in range(2):
        mass = np.sum(flow, axis=0)
        for k in range(9):
            flow[k] += (mass / 9.0 - flow[k]) / ease
    return np.sum(mass * flow[8])


@program("s", "n")
def option_in_a_list(price, steps):
    """A tree of prices in a list, of which the numbers are replaced from the leaves on."""
    values = [max(price * 1.1**i - 1.2, 0.0) for i in range(2 * steps + 1)]
    for step in range(2 * steps, 0, -1):
        for i in range(step):
            values[i] = 0.999 * (0.5 * values[i + 1] + 0.5 * values[i])
    return values[0]
