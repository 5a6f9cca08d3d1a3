"""Functions that call themselves and write into what they are given, or what is around them."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from tests.programs.corpus import program


def _filled(out, x, i):
    if i < 0:
        return
    out[i] = x[i] ** 2
    _filled(out, x, i - 1)


@program("v")
def array_filled_from_its_end(x):
    out = np.zeros_like(x)
    _filled(out, x, len(x) - 1)
    return np.sum(out * x)


def _sorted_between(a, low, high):
    if low < high:
        pivot, place = a[high], low
        for k in range(low, high):
            if a[k] < pivot:
                a[place], a[k] = a[k], a[place]
                place += 1
        a[place], a[high] = a[high], a[place]
        _sorted_between(a, low, place - 1)
        _sorted_between(a, place + 1, high)


@program("v")
def quicksort_in_place(x):
    a = x.copy()
    _sorted_between(a, 0, len(a) - 1)
    return np.sum(a * np.arange(len(a)) ** 2)


def _merged(a, low, high):
    if high - low < 2:
        return
    middle = (low + high) // 2
    _merged(a, low, middle)
    _merged(a, middle, high)
    left, right = a[low:middle].copy(), a[middle:high].copy()
    i = j = 0
    for k in range(low, high):
        if j >= len(right) or (i < len(left) and left[i] < right[j]):
            a[k] = left[i]
            i += 1
        else:
            a[k] = right[j]
            j += 1


@program("v")
def merge_sort_in_place(x):
    a = np.sin(x)
    _merged(a, 0, len(a))
    return a @ np.arange(1.0, len(a) + 1)


def _transformed(a):
    n = len(a)
    if n == 1:
        return
    even, odd = a[::2].copy(), a[1::2].copy()
    _transformed(even)
    _transformed(odd)
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    a[: n // 2] = even + turned
    a[n // 2 :] = even - turned


@program("v")
def fourier_transform_in_place(x):
    a = x[:4].astype(complex)
    _transformed(a)
    return np.sum(np.abs(a[:3]) ** 2) * x[0]


def _wavelets(a, n):
    if n == 1:
        return
    half = n // 2
    means, differences = (a[0:n:2] + a[1:n:2]) / 2, (a[0:n:2] - a[1:n:2]) / 2
    a[:half] = means
    a[half:n] = differences
    _wavelets(a, half)


@program("v")
def haar_wavelets_in_place(x):
    a = x[:4] ** 2
    _wavelets(a, 4)
    return np.sum(a**3)


def _eliminated(a, k):
    n = len(a)
    if k == n - 1:
        return
    for i in range(k + 1, n):
        a[i, k] /= a[k, k]
        a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    _eliminated(a, k + 1)


@program("v")
def elimination_in_place(x):
    a = np.outer(x, x) + np.diag(x**2 + 1)
    _eliminated(a, 0)
    return np.sum(np.log(np.abs(np.diag(a))))


@program("v")
def fibonacci_with_a_memo(x):
    memo = {}

    def term(n):
        if n in memo:
            return memo[n]
        if n < 2:
            value = x[n]
        else:
            value = term(n - 1) * x[2] + term(n - 2)
        memo[n] = value
        return value

    return term(8)


def _chebyshev(n, t, memo):
    if n not in memo:
        memo[n] = 2 * t * _chebyshev(n - 1, t, memo) - _chebyshev(n - 2, t, memo)
    return memo[n]


@program("v")
def chebyshev_with_a_memo_that_is_given(x):
    return _chebyshev(6, x[0], {0: 1.0, 1: x[0]}) * x[1]


def _ladder(n, x, memo=None):
    if memo is None:
        memo = {}
    if n in memo:
        return memo[n]
    memo[n] = x[n] if n < 2 else _ladder(n - 1, x, memo) * x[2] + _ladder(n - 2, x, memo)
    return memo[n]


@program("v")
def memo_that_the_first_call_makes(x):
    return _ladder(6, x)


@program("v")
def knapsack_with_a_memo(x):
    memo, weights = {}, [1, 2, 3]

    def best(i, room):
        if i == len(weights):
            return 0.0
        if (i, room) not in memo:
            found = best(i + 1, room)
            if weights[i] <= room:
                found = max(found, x[i] ** 2 + best(i + 1, room - weights[i]))
            memo[i, room] = found
        return memo[i, room]

    return best(0, 4)


@program("v")
def halves_that_are_visited(x):
    seen = []

    def visit(low, high):
        if high - low == 1:
            seen.append(x[low] ** 2)
            return
        middle = (low + high) // 2
        visit(low, middle)
        visit(middle, high)

    visit(0, len(x))
    return sum(value * (i + 1) for i, value in enumerate(seen))


def _in_order(node, x, values):
    if node is None:
        return
    left, place, right = node
    _in_order(left, x, values)
    values.append(x[place])
    _in_order(right, x, values)


@program("v")
def tree_walked_in_order(x):
    values = []
    _in_order(((None, 1, None), 0, ((None, 2, None), 1, None)), x, values)
    total = 0.0
    for i, value in enumerate(values):
        total += value * value * i
    return total


@program("v")
def disks_moved_between_pegs(x):
    pegs = [x[0], x[1], x[2]]

    def move(n, source, target, spare):
        if n == 0:
            return
        move(n - 1, source, spare, target)
        pegs[target] = pegs[target] + pegs[source] * 0.1
        move(n - 1, spare, target, source)

    move(3, 0, 2, 1)
    return pegs[0] * pegs[1] * pegs[2]


def _even_steps(n, x, steps):
    if n == 0:
        return x[0]
    steps.append(x[n % 3])
    return _odd_steps(n - 1, x, steps) * x[1]


def _odd_steps(n, x, steps):
    if n == 0:
        return x[2]
    steps.append(x[n % 3] ** 2)
    return _even_steps(n - 1, x, steps) + x[0]


@program("v")
def two_that_call_each_other(x):
    steps = []
    value = _even_steps(5, x, steps)
    return value * sum(steps)


def _exchanged(a, b, n):
    if n == 0:
        return 1.0, a[0]
    a[n] = b[n - 1] * 2
    b[n] = a[n] * b[n] + 1
    product, total = _exchanged(a, b, n - 1)
    return product * a[n], total + b[n]


@program("v")
def two_arrays_and_two_results(x):
    a, b = x * 1.0, x * x
    product, total = _exchanged(b, a, 2)
    return product * total + np.sum(a * b)


def _labelled(depth, path, x, found):
    if depth == 0:
        found[path] = x[0] * len(path)
        return
    for step in "ab":
        _labelled(depth - 1, path + step, x * 1.1, found)


@program("v")
def dict_with_paths_for_keys(x):
    found = {}
    _labelled(2, "", x, found)
    return sum(value * (i + 1) for i, value in enumerate(found.values()))


def _counted(n, x, calls):
    calls[0] += 1
    if n < 2:
        return x[n]
    return _counted(n - 1, x, calls) * x[2] + _counted(n - 2, x, calls)


@program("v")
def calls_that_are_counted(x):
    calls = [0]
    value = _counted(5, x, calls)
    return value * calls[0]


def _returned(a, n):
    if n == 0:
        return a
    a[n] = a[n - 1] * a[n]
    return _returned(a, n - 1)


@program("v")
def array_that_is_written_and_returned(x):
    a = x * x
    b = _returned(a, 2)
    return np.sum(b * x) + a[1]


def _mixed(a, b, i):
    if i == len(a):
        return
    a[i] = a[i] * b[i] + b[0]
    _mixed(a, b, i + 1)


@program("v")
def arrays_written_in_a_loop(x):
    a = x * 1.0
    for k in range(3):
        _mixed(a, x, k)
        a = a * 0.5
    return np.sum(a**2)


@program("v")
def warping_with_a_cache(x):
    y = x[::-1] ** 2

    @lru_cache(maxsize=None)
    def cost(i, j):
        if i == 0 or j == 0:
            return float(i + j)
        before = min(cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1))
        return (x[i - 1] - y[j - 1]) ** 2 + before

    return cost(len(x), len(y))


@program("v")
def order_of_products_with_a_cache(x):
    @cache
    def cheapest(i, j):
        if i == j:
            return 0.0
        best = np.inf
        for k in range(i, j):
            both = cheapest(i, k) + cheapest(k + 1, j)
            best = min(best, both + x[i] ** 2 * x[k] ** 2 * x[j] ** 2)
        return best

    return cheapest(0, len(x) - 1)


@program("v")
def pairs_with_a_cache(x):
    @cache
    def both(i):
        if i >= len(x):
            return 0.0, 1.0
        a, b = both(i + 1)
        c, d = both(i + 2)
        return a + x[i] * d, b * x[i] + c

    first, second = both(0)
    return first * second


@cache
def _legendre(n, t):
    if n < 2:
        return t if n else 1.0
    return ((2 * n - 1) * t * _legendre(n - 1, t) - (n - 1) * _legendre(n - 2, t)) / n


@program("v")
def polynomials_with_a_cache(x):
    total = 0.0
    for n in range(5):
        total += _legendre(n, x[0]) * x[n % 2]
    return total


def _squared(a, i):
    if i == len(a):
        return
    a[i] = a[i] * a[i - 1]
    _squared(a, i + 1)


@program("v")
def array_read_before_and_after(x):
    a = x * 2.0
    before = np.sum(a * a)
    _squared(a, 1)
    between = np.sum(a**2)
    _squared(a, 2)
    return before * between + np.sum(a**3)


def _grown(out, n, x):
    if n == 0:
        return
    out.append(x[n] * len(out))
    _grown(out, n - 1, x)
    out.append(out[-1] * out[0])


@program("v")
def list_that_grows_before_and_after(x):
    out = [x[0]]
    before = sum(out) * out[0]
    _grown(out, 2, x)
    return before * sum(value * (i + 1) for i, value in enumerate(out))


@program("v")
def array_of_a_list_that_is_read_later(x):
    a = np.zeros(len(x))
    kept = [a]
    a[:] = x**2
    _mixed(a, x, 0)
    return np.sum(kept[0] ** 2) * a[0]


@program("v", by="tape")
def array_given_twice(x):
    a = x * 1.0
    _mixed(a, a, 0)
    return np.sum(a**2)


@program("v")
def array_whose_view_is_read_later(x):
    a = x * 1.0
    tail = a[1:]
    _mixed(a, x, 0)
    return np.sum(tail**2) + a[0]


def _labelled_by(place, label, graph, values, labels):
    labels[place] = label
    total = values[place] ** 2
    for other in graph[place]:
        if labels[other] < 0:
            total = total + _labelled_by(other, label, graph, values, labels) * values[place]
    return total


@program("v")
def depth_first_search_with_labels(x):
    labels = [-1, -1, -1]
    graph = [[1], [0, 2], [1]]
    return _labelled_by(0, 1, graph, x, labels) * (labels[2] + 2)


def _change(amount, coins, x, known):
    if amount == 0:
        return 1.0
    if amount < 0:
        return 0.0
    if amount not in known:
        total = 0.0
        for place, coin in enumerate(coins):
            total = total + x[place] * _change(amount - coin, coins, x, known)
        known[amount] = total
    return known[amount]


@program("v")
def ways_to_give_change(x):
    return _change(7, [1, 2, 3], x, {})


@program("v")
def edits_between_words_with_a_cache(x):
    @cache
    def cost(i, j):
        if i == 0:
            return j * x[0] ** 2
        if j == 0:
            return i * x[1] ** 2
        if "tree"[i - 1] == "three"[j - 1]:
            return cost(i - 1, j - 1)
        replaced = cost(i - 1, j - 1) + x[2] ** 2
        return min(cost(i - 1, j) + x[1] ** 2, cost(i, j - 1) + x[0] ** 2, replaced)

    return cost(4, 5)


def _integrated(f, a, b, left, right, depth, parts):
    middle = (a + b) / 2
    value = f(middle)
    if depth == 0:
        parts.append((b - a) / 6 * (left + 4 * value + right))
        return
    _integrated(f, a, middle, left, value, depth - 1, parts)
    _integrated(f, middle, b, value, right, depth - 1, parts)


@program("v")
def parts_of_an_integral_that_are_kept(x):
    parts = []
    _integrated(lambda t: np.sin(x[0] * t) * x[1], 0.0, 1.0, 0.0, x[2], 2, parts)
    return sum(parts) + parts[0] * len(parts)


def _hilbert(n, angle, place, points):
    if n == 0:
        points.append(place[-1] + np.cos(angle))
        place.append(place[-1] * 0.5 + np.sin(angle))
        return
    _hilbert(n - 1, angle * 0.9, place, points)
    _hilbert(n - 1, -angle, place, points)


@program("v")
def curve_drawn_by_a_turtle(x):
    place, points = [x[0]], []
    _hilbert(2, x[1], place, points)
    return sum(p**2 for p in points) * place[-1]


@program("v")
def partitions_with_a_memo_of_pairs(x):
    known = {}

    def count(n, most):
        if n == 0:
            return x[0]
        if n < 0 or most == 0:
            return 0.0
        if (n, most) not in known:
            known[n, most] = count(n, most - 1) + count(n - most, most) * x[1]
        return known[n, most]

    return count(5, 3) * x[2]
