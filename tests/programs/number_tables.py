"""Programs that fill tables: lists of lists of numbers."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


@program("v", "v")
def soft_time_warping(a, b):
    n, m = len(a), len(b)
    R = [[math.inf] * (m + 1) for _ in range(n + 1)]
    R[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (a[i - 1] - b[j - 1]) ** 2
            R[i][j] = d - math.log(
                math.exp(-R[i - 1][j]) + math.exp(-R[i][j - 1]) + math.exp(-R[i - 1][j - 1])
            )
    return R[n][m]


@program("v", "v")
def time_warping(a, b):
    n, m = len(a), len(b)
    dp = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    dp[0][0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = abs(a[i - 1] - b[j - 1])
            dp[i][j] = cost + min(dp[i - 1][j], dp[i][j - 1], dp[i - 1][j - 1])
    return dp[-1][-1]


@program("s", "s")
def option_on_a_tree(s, v):
    n = 5
    u = math.exp(v * 0.3)
    p = (1.01 - 1 / u) / (u - 1 / u)
    tree = [[0.0 for _ in range(i + 1)] for i in range(n + 1)]
    value = [[0.0 for _ in range(i + 1)] for i in range(n + 1)]
    for i in range(n + 1):
        for j in range(i + 1):
            tree[i][j] = s * u ** (2 * j - i)
    for j in range(n + 1):
        value[n][j] = max(tree[n][j] - 1.0, 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = (p * value[i + 1][j + 1] + (1 - p) * value[i + 1][j]) / 1.01
            value[i][j] = max(hold, tree[i][j] - 1.0)
    return value[0][0]


@program("v")
def products_of_tables(x):
    A = [[0.0, 0.0], [0.0, 0.0]]
    B = [[1.0, 2.0], [3.0, 4.0]]
    A[0][0] = x[0]
    A[0][1] = x[1]
    A[1][0] = x[2]
    A[1][1] = x[3]
    for step in range(3):
        C = [[0.0] * 2 for _ in range(2)]
        for i in range(2):
            for j in range(2):
                for k in range(2):
                    C[i][j] += A[i][k] * B[k][j]
        for i in range(2):
            for j in range(2):
                A[i][j] = C[i][j] * C[j][i]
    return A[0][0] + A[1][1]


@program("v")
def rows_of_a_table_in_loops(x):
    T = [[0.0] * 4 for _ in range(3)]
    for i in range(3):
        row = T[i]
        for j in range(4):
            row[j] = x[j] * (i + 1)
    for row in T:
        for j in range(1, 4):
            row[j] += row[j - 1] * row[j]
    total = 0.0
    for row in T:
        for v in row:
            total += v**2
    return total


@program("v")
def table_made_an_array(x):
    T = [[0.0] * 4 for _ in range(3)]
    for i in range(3):
        for j in range(4):
            T[i][j] = x[j] * x[i]
    return np.sum(np.array(T) ** 3)


@program("v")
def sums_of_rows(x):
    T = [[0.0] * 4 for _ in range(3)]
    for i in range(3):
        for j in range(4):
            T[i][j] = x[j] * x[i]
    return sum(sum(r) for r in T) * max(T[0])


@program("v")
def rows_that_take_turns(x):
    T = [[0.0] * 4 for _ in range(2)]
    cur, prev = T[0], T[1]
    for k in range(3):
        for j in range(4):
            cur[j] = prev[j - 1] * 2 + x[j]
        cur, prev = prev, cur
    return prev[2] * cur[1]


@program("v")
def integers_that_become_numbers(x):
    G = [[0] * 3 for i in range(3)]
    for i in range(3):
        for j in range(3):
            if (i + j) % 2:
                G[i][j] = x[i] * x[j + 1]
            elif i:
                G[i][j] += G[i - 1][j] ** 2
    G[1][1] *= x[0]
    G[0][2] -= G[1][1]
    G[0][0] **= 2
    return G[2][2] + G[1][2] * G[0][1] + G[0][2]


@program("v")
def row_by_a_test(x):
    G = [[0.0] * 3 for i in range(2)]
    r = G[0] if x[0] > 0 else G[1]
    r[0] = x[1] * x[2]
    return G[0][0] ** 2 + G[1][0]


@program("v", by="tape")
def arrays_in_a_table(x):
    G = [[0.0] * 3 for i in range(2)]
    G[0][1] = x
    G[1][0] = G[0][1] * x
    G[0][1] = x * 3
    return np.sum(G[0][1] * G[1][0])


@program("v")
def slice_of_a_row(x):
    G = [[0.0] * 4 for i in range(2)]
    for j in range(4):
        G[1][j] = x[j] ** 2
    part = G[1][1:]
    G[1][1] = 5.0
    part[0] *= x[0]
    return part[0] * part[1] + G[1][1]


@program("v")
def table_filled_by_a_helper(x):
    def fill(T, v):
        for j in range(4):
            T[1][j] = v * x[j]

    G = [[0.0] * 4 for i in range(2)]
    fill(G, x[0])
    return G[1][2] * G[1][3]


@program("v")
def table_made_anew(x):
    G = [[0.0] * 4 for i in range(2)]
    for k in range(2):
        G[k][1] = x[k] ** 2
        if k:
            G = [[1.0] * 4 for i in range(2)]
        G[1][0] += x[3] * G[k][1]
    return G[1][0]


@program("v")
def table_of_constants_read_by_rows(x):
    weights = [[1.0, 2.0], [0.5, -1.0]]
    hidden = [[0.0, 0.0] for _ in range(2)]
    for i in range(2):
        for j in range(2):
            hidden[i][j] = math.tanh(weights[i][0] * x[j] + weights[i][1] * x[j + 2])
        hidden[i][0] += hidden[i][1] * hidden[0][1]
    return hidden[0][0] * hidden[1][0]


@program("v", "n")
def longest_path(x, n):
    best = [[-math.inf for _ in range(n)] for _ in range(n)]
    for i in range(n):
        best[i][0] = x[i]
        for j in range(1, n):
            best[i][j] = best[i][j - 1] + x[j] * x[i]
            if i > 0 and best[i - 1][j] > best[i][j]:
                best[i][j] = best[i - 1][j] * 1.5
    return best[-1][-1]


@program("v")
def two_tables_one_for_another(x):
    now = [[0.0] * 3 for _ in range(2)]
    for _ in range(3):
        then = now
        now = [[0.0] * 3 for _ in range(2)]
        for i in range(2):
            for j in range(3):
                now[i][j] = x[j] * x[i] + then[i][j - 1] * 0.5
    return now[0][0] * now[1][2]


@program("v")
def row_twice_in_a_table(x):
    row = [0.0] * 3
    table = [row, row]
    table[0][1] = x[0] * x[1]
    table[1][1] *= x[2]
    return table[0][1] + row[1]


@program("s")
def sums_of_rows_in_two_entries(x):
    y = [[0.0] * 2 for _ in range(2)]
    y[0][1] = x
    total = 0
    for i in range(len(y)):
        total = total + sum(y[i])
    both = [total, total]
    return x + np.sin(both[0])


@program("s")
def sum_of_sums_of_rows_in_two_entries(x):
    y = [[0.0] * 2 for _ in range(2)]
    y[0][1] = x
    total = sum(sum(row) for row in y)
    both = [total, total]
    return x * both[0] + np.cos(both[1])


@program(("v", 4))
def row_in_two_places(x):
    t = [[x[0], 1.0], [x[1], x[2]]]
    t[0] = t[1]
    t[0][0] *= x[3]
    return t[1][0] * t[0][1]


@program(("v", 4))
def row_kept_under_a_name(x):
    r = [x[0], 2.0]
    t = [r, [0.0, 1.0]]
    s = t[0]
    t[0] = t[1]
    s[0] *= 2
    t[0][1] += x[1]
    return r[0] * t[0][1] + sum(t[1])


@program(("v", 4))
def row_in_two_tables(x):
    r = [x[0], x[1]]
    t, u = [r, r], [r, [1.0, 2.0]]
    t[0][1] *= x[2]
    u[1] = t[1]
    u[1][0] += x[3]
    return u[0][0] * t[1][1] + u[1][1]


@program(("v", 4))
def rows_swapped_in_loops(x):
    t = [[x[0], x[1]], [x[2], x[3]], [0.0, 0.0]]
    for k in range(3):
        for i in range(2):
            for j in range(2):
                t[i][j] += t[i - 1][j] * x[k]
        t[0], t[2] = t[2], t[0]
    s = 0.0
    for row in t:
        s += sum(row) ** 2
    return s


@program(("v", 4))
def row_replaced(x):
    t = [[0.0] * 2 for s in range(2)]
    t[0][1] = x[0]
    t[1] = [x[1], x[2]]
    t[1][0] += t[0][1] * x[3]
    return sum(sum(c) for c in t)


@program(("v", 4))
def rows_swapped_in_a_branch(x):
    t = [[np.sum(x), math.pi], [x[0] * x[1], 1.0]]
    for i in range(2):
        t[i][i] *= x[i]
        if t[i][i] > 0.5:
            t[0], t[1] = t[1], t[0]
    return t[0][0] - 2 * t[1][1] + t[0][1] * x[3]


@program(("v", 4))
def row_appended(x):
    t = [[x[0], 1.0], [x[1], 2.0]]
    t.append([x[2], x[3]])
    t[2][0] *= x[0]
    return t[0][0] * t[2][0]


@program(("v", 4))
def rows_of_computed_cells(x):
    t = [[x[0], x[1]] for _ in range(3)]
    t[0][0] *= x[2]
    t[1][1] = t[0][0] ** 2
    return t[0][0] * t[1][1] + t[2][0]


@program(("v", 4), by="tape")
def arrays_as_cells(x):
    p, q = x * 2, x * 3
    t = [[p, 1.0], [x[1], q]]
    t[0][0] *= x[3]
    return np.sum(p * t[1][1])


@program(("v", 4))
def groups(x):
    d = {}
    for i in range(4):
        d.setdefault(i % 2, []).append(np.sum(x[i:] ** 2))
    return sum(d[0]) * sum(d[1])


@program(("v", 4))
def groups_that_begin_with_a_cell(x):
    d = {}
    for i, v in enumerate(x):
        if i % 2 not in d:
            d[i % 2] = [x[0]]
        d[i % 2].append(v * x[0])
        d[i % 2][0] *= v
    return d[0][0] * sum(d[1])


@program(("v", 4))
def triangle_of_rows_that_grow(x):
    t = [[1.0]]
    for n in range(1, 4):
        row = [1.0]
        for k in range(1, n):
            row.append(t[n - 1][k - 1] * x[0] + t[n - 1][k] * x[1])
        row.append(x[2])
        t.append(row)
    t[3][1] += x[3]
    return sum(t[3]) * t[2][1]


@program(("v", 4))
def growing_rows_take_turns(x):
    p, q = [], [x[1]]
    t = [p, q]
    for v in x:
        t[0].append(v)
        if v > 0.45:
            t[0], t[1] = t[1], t[0]
    return sum(p) * 2 + sum(q) ** 2 + t[1][-1]


@program(("v", 4))
def groups_by_words(x):
    d = {"a": [], "b": []}
    for i in range(4):
        k = "a" if i % 3 else "b"
        d[k].append(np.sum(x[i:] ** 2))
        if len(d[k]) > 1:
            d[k].append(d[k][-1] * d[k][0])
    return sum(sum(r) for r in d.values()) + d["a"][-1]


@program(("v", 4))
def rows_that_look_at_the_last_one(x):
    rows = []
    for i in range(3):
        row = []
        for j in range(i + 1):
            row.append(x[j] * (i + 1) if not rows else x[j] * rows[-1][0])
        rows.append(row)
    for row in rows:
        row[0] *= x[3]
    return rows[1][0] * rows[2][1] + sum(sum(r) for r in rows)


@program("v")
def tables_swapped(x):
    a = [[1.0] * 3 for _ in range(2)]
    b = [[2.0] * 3 for _ in range(2)]
    for t in range(3):
        for i in range(2):
            for j in range(3):
                b[i][j] = a[i][j - 1] * x[j] + x[t]
        a, b = b, a
    return a[0][0] * a[1][1] + b[0][1]


@program("v")
def part_of_a_row_turned_round(x):
    table = [[0.0] * 4 for _ in range(2)]
    for j in range(4):
        table[0][j] = x[j] ** 2
    row = table[0]
    turned = row[::-1]
    row[1] = x[0] * 3
    turned[0] = turned[1] * x[2]
    return turned[0] * turned[2] * row[1] * row[3]


@program("v")
def largest_cells(x):
    table = [[0.0] * 4 for _ in range(3)]
    for i in range(3):
        for j in range(4):
            table[i][j] = x[j] * x[i]
    largest = max(table[1])
    table[1][0] = largest * 2
    return largest * min(table[2]) + sum(max(row) for row in table)


@program("v")
def table_on_one_of_two_paths(x):
    a = [[0.0] * 2 for _ in range(2)]
    b = [[1.0] * 2 for _ in range(2)]
    if x[0] > 0:
        b = a
    b[0][1] = x[1] * x[2]
    return a[0][1] * x[3] + b[0][1] * x[0]


@program("v")
def rows_by_word(x):
    rows = {k: [0.0] * 2 for k in ("a", "b", "c")}
    for n, row in enumerate(rows.values()):
        row[0] = x[n] ** 2
        row[1] = x[n] * x[0]
    product = 1.0
    for row in rows.values():
        product *= row[0] + row[1] + 2
    return product


@program("v")
def values_by_sign(x):
    groups = {sign: [] for sign in (-1, 1)}
    for v in x:
        groups[1 if v > 0 else -1].append(v * v)
    return sum(sum(group) / max(len(group), 1) for group in groups.values())


@program("v")
def series_by_word(x):
    series = {k: [] for k in ("a", "bb", "ccc")}
    for i in range(4):
        for k in series:
            series[k].append(x[i] * len(k) + i)
    total = 0.0
    for k in series:
        total += series[k][1] * series[k][0]
    return total


@program("v")
def rows_stored_into_before_they_are_put(x):
    table = [[0.0] * 4]
    for k in range(3):
        row = [0.0, 0.0, 0.0, 0.0]
        for j in range(4):
            row[j] = table[-1][j] + x[j]
        table.append(row)
        table[-1][0] = table[-1][1] * table[-1][k]
    return table[-1][0] + table[0][1] + table[2][1]


@program("v")
def best_ways_through_states(x):
    states = ("rain", "sun")
    start = {"rain": x[0], "sun": x[1]}
    moves = {
        ("rain", "rain"): x[2],
        ("rain", "sun"): 1.0 - x[2],
        ("sun", "rain"): 0.3,
        ("sun", "sun"): 0.7,
    }
    best = [{}]
    for state in states:
        best[0][state] = start[state]
    for t in range(1, 4):
        best.append({})
        for state in states:
            best[t][state] = max(
                best[t - 1][other] * moves[(other, state)] * (1.0 + 0.1 * x[3]) for other in states
            )
    return max(best[-1].values())


@program("v")
def values_of_states_and_actions(x):
    values = {state: {action: 0.0 for action in "LR"} for state in range(3)}
    for k in range(5):
        s, a = k % 3, "LR"[k % 2]
        then = max(values[(s + 1) % 3].values())
        values[s][a] += x[0] * (x[1] + x[2] * then - values[s][a])
    return sum(v for row in values.values() for v in row.values())


@program("v")
def dicts_of_numbers_that_trade_places(x):
    rows = [{}, {}]
    for i in range(4):
        rows[0], rows[1] = rows[1], rows[0]
        rows[0][i] = x[i] * (1.0 + sum(rows[1].values()))
    return sum(rows[0].values()) * sum(rows[1].values())


@program("v")
def dict_in_a_list_that_is_looped_over(x):
    rows = [{}, {}]
    for row in rows:
        for i in range(4):
            row[i] = x[i]
    for i in rows[0]:
        rows[0][i] *= rows[1][i]
    return sum(rows[0].values())


@program("v")
def dict_of_the_one_before_and_more(x):
    rows = [{}]
    rows[0]["a"] = x[0]
    for k in range(3):
        rows.append({**rows[-1], k: x[k]})
        rows[-1]["a"] = rows[-1]["a"] * rows[-1][k]
    return rows[-1]["a"] + rows[0]["a"] + rows[2][1]


@program("v")
def list_of_a_vector_and_then_another(x):
    old = list(x)
    for _ in range(3):
        new = [0.15 for _ in old]
        for k in range(4):
            new[k] += old[k] * 2.0
        old = new
    return old[0] * old[1] + x[1]


@program("v")
def ranks_of_pages(x):
    links = {"a": ["b", "c"], "b": ["c"], "c": ["a"], "d": ["c"]}
    ranks = dict(zip(links, x))
    for _ in range(3):
        new = {page: 0.15 / len(links) for page in links}
        for page, others in links.items():
            for other in others:
                new[other] += 0.85 * ranks[page] / len(others)
        ranks = new
    return ranks["a"] * ranks["b"] + ranks["d"]


@program("v")
def product_of_polynomials(x):
    a, b = list(x[:2]), list(x[2:])
    product = [0.0] * (len(a) + len(b) - 1)
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            product[i + j] += u * v
    return product[0] * product[1] + product[2]
