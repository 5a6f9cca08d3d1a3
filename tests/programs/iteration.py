"""Programs that iterate: over arrays, containers, comprehensions, generators and itertools."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np

from tests.programs.corpus import program


@program("v")
def sum_of_a_generator_expression(x):
    return sum(v * v for v in x) * x[0]


@program("v")
def list_comprehension_stacked(x):
    parts = [x * k for k in range(1, 4)]
    return np.sum(np.stack(parts) ** 2)


@program("v")
def list_comprehension_with_a_condition(x):
    kept = [v * v for v in x if v > 0]
    return np.sum(np.array(kept)) + x[0]


@program("v")
def dict_comprehension_read(x):
    powers = {k: x**k for k in (1, 2, 3)}
    return np.sum(powers[3] - powers[2] * powers[1])


@program("m")
def nested_comprehension(a):
    table = [[a[i, j] * a[j, i] for j in range(3)] for i in range(3)]
    total = 0.0
    for row in table:
        for value in row:
            total += value * value
    return total


@program("v")
def list_that_grows(x):
    states = [x]
    for k in range(3):
        states.append(np.sin(states[-1]) * (k + 1))
    return np.sum(states[1] * states[3])


@program("v")
def list_appended_then_concatenated(x):
    out = []
    for v in x:
        out.append(v * v)
        out.append(v + 1.0)
    return np.sum(np.array(out) * np.arange(8.0))


@program("v")
def stack_popped_in_reverse(x):
    stack = []
    for i in range(4):
        stack.append(x[i] * x[i])
    total = 0.0
    while stack:
        total = total * 0.5 + stack.pop()
    return total * x[0]


@program("v")
def list_with_insert_and_extend(x):
    parts = [x[0] * 2.0]
    parts.insert(0, x[1] ** 2)
    parts.extend([x[2], x[3] * x[0]])
    first, *middle, last = parts
    return first * last + sum(middle)


@program("v")
def map_and_filter(x):
    squares = map(lambda v: v * v, x)
    kept = filter(lambda v: v > 0.01, squares)
    return sum(kept) * x[1]


@program("v")
def reduce_by_a_function(x):
    return functools.reduce(lambda a, b: a * 0.5 + b * b, x, 1.0)


@program("v")
def reduce_by_an_operator(x):
    return functools.reduce(operator.mul, [x[i] + 2.0 for i in range(4)])


@program("v")
def builtin_max_and_min(x):
    return max(x[0], x[1], x[2]) * min(x[1], x[3]) + max(list(x)) + abs(min(x))


@program("v")
def sorted_values(x):
    low, *_, high = sorted(x)
    return high * high - low


@program("v")
def sorted_by_a_key(x):
    order = sorted(range(4), key=lambda i: x[i])
    return sum(x[i] * k for k, i in enumerate(order)) ** 2


@program("v")
def enumerate_from_a_start(x):
    total = 0.0
    for k, v in enumerate(x, 1):
        total += v**k
    return total


@program("v", "v")
def zip_of_three(x, y):
    total = 0.0
    for a, b, k in zip(x, y, range(10)):
        total += a * b * k
    return total * total


@program("v")
def zip_with_a_set(x):
    places = {0, 2}
    total = 0.0
    for place, v in zip(places, x, strict=False):
        total = total + x[place] * v
    return total


@program("v")
def zip_of_neighbours(x):
    total = 0.0
    for left, right in zip(x[:-1], x[1:]):
        total += (right - left) ** 2
    return total


@program("v")
def itertools_pairs(x):
    total = 0.0
    for i, j in itertools.combinations(range(4), 2):
        total += x[i] * x[j]
    return total


@program("v")
def itertools_chain_and_product(x):
    total = 0.0
    for i, j in itertools.product(range(2), repeat=2):
        total += x[i] * x[2 + j]
    for v in itertools.chain(x[:2], x[3:]):
        total *= 1.0 + 0.1 * v
    return total


@program("v")
def itertools_accumulate(x):
    sums = list(itertools.accumulate(x))
    return sums[-1] * sums[1] + sums[0]


@program("d")
def dict_items(params):
    total = 0.0
    for name, value in params.items():
        total += np.sum(value**2) * len(name)
    return total


@program("d")
def dict_values_and_keys(params):
    total = 0.0
    for key in params:
        total += np.sum(params[key])
    for value in params.values():
        total *= 1.0 + 0.1 * np.sum(value * value)
    return total


@program("d")
def dict_updated_functionally(params):
    new = {k: v - 0.1 * v**2 for k, v in params.items()}
    return np.sum(new["w"] ** 2) + np.sum(new["b"])


@program("m")
def rows_unpacked(a):
    p, q, r = a
    return p @ q + np.sum(r * p)


@program("m")
def rows_in_a_comprehension(a):
    return sum(row @ row for row in a) * a[0, 0]


@program("m")
def iteration_over_the_transpose(a):
    total = 0.0
    for k, column in enumerate(a.T):
        total += np.sum(column) ** 2 * k
    return total


@program("v")
def any_and_all(x):
    y = np.sum(x * x)
    if any(v > 100.0 for v in x):
        y = y * 10.0
    if all(v < 100.0 for v in x):
        y = y * x[0]
    return y


def _running(x):
    total = 0.0
    for v in x:
        total = total + v
        yield total * v


@program("v")
def generator_function(x):
    result = 1.0
    for value in _running(x):
        result = result * 0.5 + value
    return result


@program("v")
def range_with_negative_step(x):
    total = 0.0
    for i in range(3, -1, -1):
        total = total * x[i] + 1.0
    for i in range(0, 4, 3):
        total = total + x[i]
    return total


@program("v", "n")
def horner(x, n):
    result = 0.0
    for c in x[::-1]:
        result = result * (0.3 * n) + c
    return result


@program("m")
def ndindex_and_ndenumerate(a):
    total = 0.0
    for i, j in np.ndindex(2, 2):
        total += a[i, j] * a[j, i]
    for (i, j), v in np.ndenumerate(a):
        total += v * (i + j)
    return total


@program("v")
def list_slices(x):
    parts = [x[i] * (i + 1.0) for i in range(4)]
    tail = parts[1:]
    tail[0] = tail[0] * x[0]
    return sum(tail) + parts[1] * parts[-1]


@program("v")
def list_multiplied_and_joined(x):
    parts = [x[0]] * 2 + [x[1] * x[2]]
    parts += [x[3]]
    return parts[0] * parts[1] * parts[2] + parts[3]


@program("v")
def list_changed_in_its_loop(x):
    queue = [x[0], x[1]]
    total = 0.0
    for value in queue:
        total += value * value
        if len(queue) < 5:
            queue.append(value * x[2])
    return total


@program("v")
def dict_as_a_memo(x):
    memo = {}
    for i in range(4):
        memo[i] = x[i] * (memo[i - 1] if i - 1 in memo else 1.0)
    return memo[3] + memo.get(1, 0.0) * memo.get(9, 2.0)


@program("v")
def trips_of_a_loop_that_counts_down(x):
    for _ in reversed(range(3)):
        x = x * 0.9
    return np.mean(x)


@program("v")
def slopes_of_a_loop_that_counts_down(x):
    for i in reversed(range(3)):
        x = x * (i + 1.5)
    return np.mean(x)


def _halves(count):
    for k in range(count):
        yield 0.5 * k + 1.0


def _lazily(values):
    made = (2.0 * v for v in values)
    return made  # noqa: RET504 - by its name


@program("v")
def generator_of_constants_beside_values(x):
    def steps(start):
        for k in range(3):
            yield start + k

    return sum(g * h * x[0] for g, h in zip(x, steps(1.0)))


@program("v")
def list_of_what_a_generator_yields(x):
    def steps(values):
        yield from values

    items = [h for h in steps([1.0, 2.0, 3.0])]
    items[0] = items[0] * x[0]
    items.append(x[1])
    return items[0] * items[1] * items[3]


@program("v")
def entries_of_a_generator_of_the_module(x):
    items = [h for h in _halves(3)]
    items[1] = items[1] * x[0]
    return items[0] * items[1] * x[2]


@program("v")
def list_of_what_a_helper_gives_lazily(x):
    items = [h for h in _lazily([1.0, 2.0])]
    items[1] = items[1] * x[0]
    return items[0] * items[1] * x[2]


@program("v")
def name_of_a_comprehension_that_a_later_loop_binds(x):
    total = 0.0
    for _ in range(2):
        parts = {k: v * x[0] for k, v in {"a": 1.0, "b": 2.0}.items()}
        for k in ("a", "b"):
            total = total * x[1] + parts[k]
        last = k
    return total * len(last)


@program("v", "s")
def generator_that_is_used_up_at_once(x, k):
    def halves(values):
        for v in values:
            yield v * k
            if v > 0.8:
                return

    total = sum(halves(x))
    squares = [v * v for v in halves(x * 2.0)]
    return total * squares[0] * len(squares)


@program("v", "s")
def generator_that_reads_what_is_bound_anew(x, k):
    def products(values):
        i = 0
        while True:
            yield values[i] * factor
            i += 1
            if i == len(values):
                return

    factor = k
    total = max(products(x)) * sum(v * k for v in products(x))
    factor = k * k
    for i in range(2):
        total = total + sum(products(x * i))
    return total * sorted(products(x))[1]


@program("v")
def generator_that_adds_up(x):
    def running(values):
        total = 0.0
        for v in values:
            total += v
            yield total * 1.0

    return sum(running(x)) * np.sum(np.array(list(running(x * x))))


@program("m")
def generator_of_an_array_that_it_writes(a):
    def sums(rows):
        total = a[0] * 0.0
        for row in rows:
            total += row
            yield total

    return sum([np.sum(v * v) for v in sums(a)])


@program("v")
def generator_of_what_its_user_changes(x):
    y = x * 1.0

    def doubled(values):
        for i in range(3):
            yield values[i] * 2.0

    def put(v):
        y[1] += v
        return v

    return sum([put(v) for v in doubled(y)])


def _ends(x, known=None):
    if known is None:
        return np.min(x), np.max(x)
    return known[0], known[1]


@program("v")
def ends_mapped_and_taken_apart(x):
    low, high = map(float, _ends(x))
    first, last = map(float, _ends(x, (x[0], x[1])))
    return np.sum((np.clip(x, low, high) - low) / (high - low)) + first * last


@program("v")
def reversed_and_taken_apart(x):
    a, b = reversed(x[:2])
    return a * b * b


@program("v")
def sorted_and_taken_apart(x):
    a, b = sorted(map(float, x[:2]))
    c, d = sorted(x[1:3], reverse=True)
    return a * b * b + c * d * d


@program("v")
def filtered_and_taken_apart(x):
    (a,) = filter(lambda v: v >= np.max(x), x)
    return a * x[0]


@program("v")
def pairs_taken_apart_beside_another_value(x):
    x[0] = x[0] + 1.0
    (a, b), x = zip(x[:2], x[1:3]), x * 2.0
    return a[0] * b[1] * x[0]
