"""Programs that keep values in deques."""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.programs.corpus import program


@program("v")
def waiting_line(x):
    line = deque([x[0]])
    total, k = 0.0, 0
    while line:
        v = line.popleft()
        total = total + v * v
        k += 1
        if k < 3:
            line.append(v * x[k])
    return total


@program("v")
def grown_at_both_ends(x):
    ends = deque()
    ends.append(x[0])
    ends.appendleft(x[1] * x[0])
    ends.appendleft(x[2])
    last = ends.pop()
    a, b = ends
    return last * a + b


@program("v")
def moving_mean_and_maximum(x):
    window = deque(maxlen=3)
    out = 0.0
    for v in x:
        window.append(v)
        out = out + sum(window) / len(window) * np.max(window)
    return out


@program("v")
def filter_with_a_delay_line(x):
    n = 2
    line = deque([0.0] * n, maxlen=n)
    out = 0.0
    for v in x:
        out += v * line[0] - 0.5 * line[1] ** 2
        line.append(v * v)
    return out


@program("v")
def last_states(x):
    states = deque([np.zeros(4)] * 2, maxlen=2)
    for i in range(len(x)):
        states.append(x * (i + 1.0) * x[i])
    return np.sum(states[0] * states[-1]) + np.sum(np.mean(states, axis=0))


@program("v")
def latest_first(x):
    latest = deque(maxlen=2)
    for v in x:
        latest.appendleft(v)
    latest[0] = latest[0] * latest[1]
    return latest[0] * latest[1] * len(latest)


@program("v")
def extended(x):
    held = deque([1.0])
    held.extend([x[0], x[1]])
    held.extend(x * 2)
    return sum(held) * held[-1] * held[2]


@program("v")
def a_ring_that_turns(x):
    total = 0.0
    ring = deque([0.0, 0.0, 0.0], maxlen=3)
    for v in x:
        ring.rotate(1)
        ring[0] = v
        total += ring[0] * ring[1]
    return total


@program("v")
def counted_out_of_a_ring(x):
    total = 0.0
    ring = deque(x)
    while len(ring) > 1:
        ring.rotate(-1)
        total += ring.popleft() * len(ring)
    ring.rotate()
    return total * ring[0]
