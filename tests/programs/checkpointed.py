"""Programs with checkpointed loops and calls: what is run again must be what was run."""

from __future__ import annotations

import numpy as np

import srcgrad as sg
from tests.programs.corpus import program


@program("s", "v")
def a_simulation(rate, start):
    u = start
    dt = 0.05
    for _ in sg.checkpointed(range(30)):
        u = u + dt * (rate * np.roll(u, 1) - np.sin(u))
    return np.sum(u * u)


@program("s", "v", "n")
def a_budget_of_states(rate, start, n):
    u = start
    for _ in sg.checkpointed(range(7 * n), budget=2):
        u = u + 0.1 * rate * np.cos(u)
    return np.sum(u * u)


@program("s", "v")
def a_budget_of_one_state(rate, start):
    u = start
    for _ in sg.checkpointed(range(12), budget=1):
        u = u + 0.1 * rate * np.cos(u)
    return np.sum(u * u)


@program("s", "v")
def a_budget_of_bytes(rate, start):
    u = start
    for _ in sg.checkpointed(range(20), budget="128 B"):
        u = u + 0.1 * rate * np.cos(u)
    return np.sum(u * u)


@program("s", "v")
def a_budget_larger_than_trips(rate, start):
    u = start
    for _ in sg.checkpointed(range(3), budget=100):
        u = u + 0.1 * rate * np.cos(u)
    return np.sum(u * u)


@program("s", "v")
def no_trips(rate, start):
    u = start * rate
    for _ in sg.checkpointed(range(0)):
        u = np.sin(u)
    return np.sum(u * u)


@program("v")
def no_trips_until(start):
    u = start * 2.0
    while sg.checkpointed(np.sum(u * u) < -1.0):
        u = np.sin(u)
    return np.sum(u * u)


@program("v")
def one_trip(start):
    u = start
    for i in sg.checkpointed(range(4, 5)):
        u = u * u * i
    return np.sum(u)


@program("v")
def backwards_with_the_index(start):
    u = start
    for i in sg.checkpointed(range(9, 0, -2)):
        u = u + np.sin(u * i) / i
    return np.sum(u)


@program("v", "v")
def over_forces(start, forces):
    u = start
    for f in sg.checkpointed(forces):
        u = np.tanh(u + f)
    return np.sum(u * u)


@program("v", "v", "v")
def over_pairs(start, a, b):
    u = start
    for i, (p, q) in sg.checkpointed(enumerate(zip(a, b))):
        u = np.tanh(u * p + q * i)
    return np.sum(u * u)


@program("v")
def until_it_is_small(start):
    u = 2.0 + start * start
    count = 0
    while sg.checkpointed(np.max(u) > 0.5, budget=4):
        u = u * 0.8 - 0.01 * np.sin(u)
        count += 1
    return np.sum(u * u) * count


@program("v")
def until_without_a_budget(start):
    u = 2.0 + start * start
    while sg.checkpointed(np.max(u) > 0.1):
        u = u * 0.9 - 0.001 * np.sin(u)
    return np.sum(u * u)


@program("v")
def until_with_an_else(start):
    u = 2.0 + start * start
    scale = 1.0
    while sg.checkpointed(np.max(u) > 0.5):
        u = u * 0.8
        if np.min(u) < 1e-9:
            break
    else:
        scale = 3.0
    return np.sum(u * u) * scale


@program("v", "s")
def left_by_a_break(start, rate):
    u = start
    for i in sg.checkpointed(range(40), budget=5):
        u = u + 0.1 * rate * np.cos(u)
        if np.sum(u) > 2.0 and i > 3:
            break
        u = u * 1.01
    return np.sum(u * u)


@program("v", "s")
def with_continue(start, rate):
    u = start
    for i in sg.checkpointed(range(11), budget=3):
        if i % 3 == 1:
            continue
        u = u + 0.1 * rate * np.cos(u)
    return np.sum(u * u)


@program("v", "s")
def early_return(start, rate):
    u = start
    for i in sg.checkpointed(range(15), budget=3):
        u = u + 0.1 * rate * np.cos(u)
        if i == 7:
            return np.sum(u**3)
    return np.sum(u * u)


@program("v", "s")
def early_return_not_taken(start, rate):
    u = start
    for i in sg.checkpointed(range(15), budget=3):
        u = u + 0.1 * rate * np.cos(u)
        if i == 70:
            return np.sum(u**3)
    return np.sum(u * u)


@program("v", "s")
def a_break_in_the_else_of_an_inner_loop(start, rate):
    u = start
    for i in sg.checkpointed(range(9), budget=3):
        for k in range(3):
            u = u + 0.1 * rate * np.cos(u) / (k + 1)
            if i < 5 and k == 1:
                break
        else:
            break
    return np.sum(u * u)


@program("v", "s")
def written_in_place(start, rate):
    u = start.copy()
    for i in sg.checkpointed(range(9), budget=3):
        u[1:] += rate * u[:-1] * u[1:]
        u[0] = np.sin(u[0]) + i
        u *= 0.5
    return np.sum(u * u)


@program("v")
def an_argument_written_in_place(u):
    for _ in sg.checkpointed(range(6), budget=2):
        u[1:] = u[:-1] * np.cos(u[1:])
    return np.sum(u * u)


@program("v", "s")
def double_buffered(start, rate):
    now = start.copy()
    after = np.zeros_like(now)
    for _ in sg.checkpointed(range(7), budget=2):
        after[1:] = rate * np.sin(now[:-1])
        after[0] = now[0] * now[-1]
        now, after = after, now
    return np.sum(now * now)


@program("v", "s")
def a_trajectory(start, rate):
    path = np.zeros((6, 4))
    u = start
    for i in sg.checkpointed(range(6), budget=2):
        u = u + 0.1 * rate * np.cos(u)
        path[i] = u
    return np.sum(path[2] * path[5])


@program("v", "s")
def a_sum_on_the_way(start, rate):
    u = start
    total = 0.0
    for i in sg.checkpointed(range(8), budget=3):
        u = u + 0.1 * rate * np.cos(u)
        total += np.sum(u**2) * i
    return total


@program("v", "s")
def state_in_a_list(start, rate):
    cells = [start, start * 2.0]
    for _ in sg.checkpointed(range(5), budget=2):
        first = cells[0] + 0.1 * cells[1]
        cells = [first, cells[1] - rate * np.sin(first)]
    return np.sum(cells[0] * cells[1])


@program("v", "s")
def state_in_a_dict(start, rate):
    cell = {"x": start, "v": start * 2.0}
    for _ in sg.checkpointed(range(5), budget=2):
        x = cell["x"] + 0.1 * cell["v"]
        cell = {"x": x, "v": cell["v"] - rate * np.sin(x)}
    return np.sum(cell["x"] * cell["v"])


@program("v", "s")
def a_tuple_of_states(x, rate):
    v = np.zeros_like(x)
    for _ in sg.checkpointed(range(8), budget=3):
        x, v = x + 0.1 * v, v - 0.1 * rate * np.sin(x)
    return np.sum(x * v)


@program("v", "s")
def nested(start, rate):
    u = start
    for _ in sg.checkpointed(range(4), budget=2):
        for k in sg.checkpointed(range(5), budget=2):
            u = u + 0.1 * rate * np.cos(u * k)
        u = u * rate
    return np.sum(u * u)


@program("v", "s")
def a_plain_loop_inside(start, rate):
    u = start
    for _ in sg.checkpointed(range(4), budget=2):
        for k in range(3):
            u = u + 0.1 * rate * np.cos(u * k)
    return np.sum(u * u)


@program("v", "s")
def in_a_plain_loop(start, rate):
    u = start
    for k in range(3):
        for _ in sg.checkpointed(range(4), budget=2):
            u = u + 0.1 * rate * np.cos(u * k)
    return np.sum(u * u)


@program("v", "s")
def on_a_branch(start, rate):
    u = start
    if rate > 0.1:
        for _ in sg.checkpointed(range(5), budget=2):
            u = np.sin(u) * rate
    else:
        u = u * rate
    return np.sum(u * u)


@program("v", "s")
def the_index_afterwards(start, rate):
    u = start
    for i in sg.checkpointed(range(5), budget=2):
        u = np.sin(u) * rate
    return np.sum(u * u) * i


@program("v", "s")
def two_loops(start, rate):
    u = start
    for _ in sg.checkpointed(range(5), budget=2):
        u = np.sin(u) * rate
    for i in sg.checkpointed(range(4)):
        u = np.cos(u) * i
    return np.sum(u * u)


def _step(u, rate):
    k = rate * np.cos(u)
    return u + 0.1 * k * (u + k)


@program("v", "s")
def a_step_of_its_own(start, rate):
    u = start
    for _ in sg.checkpointed(range(9), budget=3):
        u = _step(u, rate)
    return np.sum(u * u)


def _block(u, rate, scale=2.0):
    k = rate * np.cos(u)
    h = np.tanh(k) * u
    return u + 0.1 * k * (u + h) / scale


block = sg.checkpoint(_block)


@program("v", "s")
def a_call(start, rate):
    u = start
    for _ in range(3):
        u = block(u, rate)
    return np.sum(block(u, rate, scale=3.0) * u)


@program("v", "s")
def a_call_in_a_loop(start, rate):
    u = start
    for _ in sg.checkpointed(range(4), budget=2):
        u = block(u, rate)
    return np.sum(u * u)


@sg.checkpoint
def _chain(u, rate):
    for _ in sg.checkpointed(range(4), budget=2):
        u = block(u, rate)
    return u


@program("v", "s")
def a_call_with_a_loop(start, rate):
    return np.sum(_chain(start, rate) ** 2)


@program("v", "s")
def a_local_function(start, rate):
    @sg.checkpoint
    def step(u, scale=2.0):
        a = np.sin(u) * rate
        return a * u + scale, a

    u, a = step(start)
    u, _ = step(u * a, 3.0)
    return np.sum(u * a)


@program("v", "s")
def a_lambda(start, rate):
    u = sg.checkpoint(_block)(start, rate)
    u = sg.checkpoint(lambda v: np.sin(v) * np.cos(v) * rate)(u)
    return np.sum(u * u)


@program("v", "s")
def an_operand_written_later(start, rate):
    u = start.copy()
    v = block(u, rate)
    u[0] = 3.0 * rate
    return np.sum(v * block(u, rate))


def _simulate(u, rate, n):
    for _ in sg.checkpointed(range(n), budget=3):
        u = _step(u, rate)
    return u


@program("v", "s", "n")
def in_a_called_function(start, rate, n):
    u = _simulate(start, rate, n)
    return np.sum(_simulate(u, rate * 2.0, n + 1) * u)


@program("v", "s")
def a_closure_as_step(start, rate):
    def step(u):
        return u + rate * np.sin(u)

    u = start
    for _ in sg.checkpointed(range(5), budget=2):
        u = step(u)
    return np.sum(u * u)


@program("s", "s")
def numbers_alone(x, rate):
    v = 0.0
    for _ in sg.checkpointed(range(25), budget=4):
        v -= 0.1 * rate * np.sin(x)
        x += 0.1 * v
    return x * v


@program("v", "s")
def nothing_that_varies(start, rate):
    count = 0.0
    for i in sg.checkpointed(range(5)):
        count += i
    return np.sum(start * rate) * count


@program("m", "v")
def a_recurrent_network(w, start):
    h = start
    hidden = w.T @ w
    for _ in sg.checkpointed(range(8), budget=3):
        h = np.tanh(hidden @ h)
    return np.sum(h * h)


@program("v", "s")
def a_try_inside(start, rate):
    u = start
    for i in sg.checkpointed(range(6), budget=2):
        try:
            scale = [1.0, 2.0, 3.0][i]
        except IndexError:
            scale = 0.5
        u = np.sin(u) * scale * rate
    return np.sum(u * u)
