"""Programs that write into lists and dicts which lie in tuples beside numbers."""

from __future__ import annotations

from tests.programs.corpus import program


@program("v")
def planets_in_tuples(x):
    bodies = [
        ([x[0], 0.0, 0.1], [0.0, x[1], 0.0], 1.0),
        ([1.0, x[2], 0.0], [0.1, 0.0, x[3]], 0.5),
        ([0.3, -1.0, 0.7], [0.0, 0.2, 0.1], 0.2),
    ]
    pairs = []
    for i in range(len(bodies) - 1):
        for b in bodies[i + 1 :]:
            pairs.append((bodies[i], b))
    dt = 0.01
    for _ in range(2):
        for ([x1, y1, z1], v1, m1), ([x2, y2, z2], v2, m2) in pairs:
            dx, dy, dz = x1 - x2, y1 - y2, z1 - z2
            mag = dt * (dx * dx + dy * dy + dz * dz) ** -1.5
            b1m, b2m = m1 * mag, m2 * mag
            v1[0] -= dx * b2m
            v1[1] -= dy * b2m
            v1[2] -= dz * b2m
            v2[0] += dx * b1m
            v2[1] += dy * b1m
            v2[2] += dz * b1m
        for r, [vx, vy, vz], _m in bodies:
            r[0] += dt * vx
            r[1] += dt * vy
            r[2] += dt * vz
    e = 0.0
    for ([x1, y1, z1], _v1, m1), ([x2, y2, z2], _v2, m2) in pairs:
        dx, dy, dz = x1 - x2, y1 - y2, z1 - z2
        e -= m1 * m2 / (dx * dx + dy * dy + dz * dz) ** 0.5
    for _r, [vx, vy, vz], m in bodies:
        e += m * (vx * vx + vy * vy + vz * vz) / 2.0
    return e


@program("v")
def list_and_its_factor(x):
    pair = ([x[0], 0.1], x[1] * x[2])
    row, factor = pair
    row[0] *= factor
    again, same = pair
    return again[0] * same + row[1] * x[3]


@program("v")
def pairs_that_trade_places(x):
    points = [([x[0]], x[1]), ([x[2]], x[3])]
    points[0], points[1] = points[1], points[0]
    for row, w in points:
        row[0] *= w
    points[0] = (points[1][0], x[0] * 2)
    return points[0][0][0] * points[0][1] + points[1][1]


@program("v")
def pairs_under_keys(x):
    table = {"a": ([x[0], x[1]], 2.0), "b": ([x[2], 1.0], x[3])}
    for row, w in table.values():
        row[1] += w * row[0]
    row, w = table["b"]
    row[0] = row[1] * w
    return table["a"][0][1] * table["b"][0][0]


@program("v")
def dicts_and_their_weights(x):
    states = [({"v": x[0]}, 1.5), ({"v": x[1]}, x[2])]
    queue = []
    for s, w in states:
        s["v"] = s["v"] * w
        queue.append((s, w * x[3]))
    queue[0][0]["v"] += queue[1][1]
    return states[0][0]["v"] * states[1][0]["v"]


@program("v")
def one_list_in_two_tuples(x):
    row = [x[0], x[1]]
    a, b = (row, x[2]), (row, x[3])
    for p, w in (a, b):
        p[0] *= w
    return row[0] * a[1] + b[0][0]


@program("v")
def tuples_in_tuples(x):
    whole = ([x[0]], (x[1], [x[2]]))
    p, (w, q) = whole
    p[0] += w * q[0]
    q[0] *= p[0]
    return whole[0][0] * whole[1][1][0] * whole[1][0] + x[3]


@program("v")
def texts_beside_lists(x):
    item = ([x[0]], x[1], "name", None, 3)
    p, w, name, nothing, k = item
    p[0] += w * k
    if name == "name" and nothing is None:
        p[0] *= x[2]
    return item[0][0] * w


@program("v")
def state_of_a_list_and_a_sum(x):
    state = ([x[0], x[1]], 0.0)
    for _ in range(3):
        row, total = state
        total = total + row[0] * x[2]
        row[0] = row[1] * total
        state = (row, total)
    return state[0][0] * state[1] + x[3]


@program("v")
def best_list_so_far(x):
    best = ([x[0]], -1.0)
    for i in range(3):
        row = [x[i] * 2]
        row[0] += best[0][0]
        if row[0] > best[1]:
            best = (row, row[0])
    return best[0][0] * best[1]


@program("v")
def stack_of_lists_and_weights(x):
    stack = [([x[0]], x[1])]
    total = 0.0
    while stack:
        row, w = stack.pop()
        row[0] *= w
        total += row[0]
        if len(row) < 4:
            row.append(w)
            stack.append((row, w * x[2]))
    return total


@program("v")
def pairs_sorted_after_writes(x):
    rows = [(x[i], [x[i]]) for i in range(4)]
    for v, row in rows:
        row[0] = row[0] * v
    rows = sorted(rows, key=lambda pair: -pair[0])
    return rows[0][1][0] * rows[3][0]


@program("v")
def pairs_run_backwards(x):
    rows = [(x[i], [x[i]]) for i in range(4)]
    total = 0.0
    for v, row in rows:
        row[0] = row[0] * v
    for v, row in reversed(rows):
        total = total * 0.5 + row[0] * v
    (a, first), (_b, second), *rest = rows
    first[0] += second[0]
    return total + rows[0][1][0] * a + rest[0][0]


@program("v")
def counts_and_lists_by_name(x):
    groups = {}
    for k, v in [("a", x[0]), ("b", x[1]), ("a", x[2])]:
        if k in groups:
            n, values = groups[k]
            values.append(v)
            groups[k] = (n + 1, values)
        else:
            groups[k] = (1, [v])
    return sum(groups["a"][1]) / groups["a"][0] * groups["b"][1][0] + x[3]
