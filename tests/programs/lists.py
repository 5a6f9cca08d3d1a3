"""Programs whose lists grow, shrink, are joined and cut."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def time_series_stacked(x):
    """Steps of a damped oscillator, kept in a list."""
    states = [x]
    for _ in range(4):
        u = states[-1]
        states.append(u + 0.1 * np.array([u[1], -u[0], u[3], -u[2]]) - 0.01 * u**3)
    series = np.stack(states)
    return np.sum(series[1:] ** 2) + np.sum(states[2])


@program("v")
def two_steps_back(x):
    values = [x[0], x[1]]
    for k in range(5):
        values.append(0.5 * values[-1] - 0.3 * values[-2] * values[k])
    return values[-1] * values[3]


@program("v")
def negative_index_of_a_growing_list(x):
    values = [x[0]]
    total = 0.0
    for v in x:
        total = total + values[-1] * v
        values.append(v * v)
        total = total + values[-2] * values[-1]
    return total


@program("v")
def stack_machine(x):
    stack = []
    for v in x:
        stack.append(v)
        if len(stack) > 2:
            b = stack.pop()
            a = stack.pop()
            stack.append(a * b + 1.0)
    return stack[0] * stack[-1]


@program("v")
def popped_from_the_front(x):
    queue = [v * 1.5 for v in x]
    total = 0.0
    while queue:
        head = queue.pop(0)
        total = total * 0.5 + head * head
    return total


@program("v")
def popped_and_dropped(x):
    values = [v * v for v in x]
    values.pop()
    values.pop(0)
    return values[0] * values[-1]


@program("v")
def popped_from_the_middle(x):
    values = [v * v for v in x]
    middle = values.pop(-2)
    other = values.pop(len(values) // 2)
    return middle * values[0] + other


@program("v")
def inserted_at_places(x):
    values = [x[0]]
    values.insert(0, x[1] * 2.0)
    values.insert(1, x[2] * x[0])
    values.insert(-1, x[3])
    values.insert(99, x[1])
    return sum((i + 1) * v for i, v in enumerate(values))


@program("v")
def extended(x):
    values = [x[0]]
    values.extend([x[1], x[2]])
    values.extend(v * v for v in x)
    values.extend(values)
    values += [x[3] * 2.0]
    return sum(v * (i + 1) for i, v in enumerate(values))


@program("v")
def joined_and_sliced(x):
    left = [v * 2.0 for v in x[:2]]
    both = left + [x[2]] + [v * v for v in x]
    middle = both[1:4]
    return sum(middle) * both[-1] + sum(both[::2])


@program("v")
def repeated_entries(x):
    values = [x[0] * x[1]] * 3 + [x[2]] * 2
    return sum((i + 1) * v for i, v in enumerate(values))


@program("v")
def two_names_of_a_copy(x):
    values = [v * v for v in x]
    copy = list(values)
    other = values.copy()
    values.append(x[0])
    copy[0] = x[1]
    return sum(values) * sum(copy) + other[0]


@program("v")
def entries_replaced(x):
    values = [0.0] * 4
    for i in range(4):
        values[i] = x[i] * x[i]
    values[1] = values[0] * values[1]
    values[2] += values[1]
    values[3] *= x[0]
    return values[1] + values[2] * values[3]


@program("v")
def entries_swapped(x):
    values = [v * 1.0 for v in x]
    values[0], values[1] = values[1], values[0]
    values[2], values[3] = values[3] * 2.0, values[2]
    return values[0] * 2.0 + values[1] ** 2 + values[2] * values[3]


@program("v")
def arrays_replaced_in_a_list(x):
    layers = [x, x * 2.0]
    layers[0] = np.sin(layers[0] + layers[1])
    layers[1] = layers[0] * layers[1]
    return np.sum(layers[1] ** 2)


@program("v")
def list_of_lists(x):
    rows = []
    for i in range(3):
        row = []
        for j in range(i + 1):
            row.append(x[i] * x[j])
        rows.append(row)
    return rows[2][1] * rows[1][0] + sum(sum(row) for row in rows)


@program("v")
def list_of_pairs(x):
    steps = []
    position, speed = x[0], x[1]
    for _ in range(4):
        speed = speed - 0.1 * np.sin(position)
        position = position + 0.1 * speed
        steps.append((position, speed))
    total = 0.0
    for p, s in steps:
        total = total + p * p - s
    return total * steps[1][0]


@program("v")
def kept_on_one_path(x):
    kept = [0.5]
    for v in x:
        if v > 0.0:
            kept.append(v * kept[-1])
        else:
            kept[0] = kept[0] * v
    return kept[-1] * kept[0] + sum(kept)


@program("v")
def list_made_anew_in_a_loop(x):
    total = 0.0
    for i in range(3):
        window = [x[i]]
        window.append(x[i + 1] * x[i])
        total = total + window[0] * window[1]
    return total


@program("v")
def previous_row_and_row(x):
    """A table of which two rows are kept, as in dynamic programming."""
    before = [v * v for v in x]
    for k in range(3):
        now = [before[0]]
        for j in range(1, 4):
            now.append(0.5 * before[j] + np.tanh(before[j - 1] * now[j - 1]) + k)
        before = now
    return before[-1]


@program("v")
def beam_of_states(x):
    """Every state branches into two; the two largest are kept."""
    beam = [x[0]]
    for step in x[1:]:
        branches = []
        for state in beam:
            branches.append(state * step)
            branches.append(state + np.sin(step))
        beam = sorted(branches, key=lambda s: -s)[:2]
    return sum(beam)


@program("v")
def list_changed_while_read(x):
    queue = [x[0], x[1]]
    total = 0.0
    for v in queue:
        total = total + v * v
        if len(queue) < 5:
            queue.append(v * x[2])
    return total


@program("v")
def last_entries_of_many(x):
    values = []
    for v in x:
        for w in x:
            values.append(v * w)
            if len(values) > 3:
                values.pop(0)
    return values[0] * values[1] + values[2]


@program("v")
def membership_and_length(x):
    names = ["a", "b"]
    values = [x[0]]
    if "a" in names:
        values.append(x[1])
    scale = len(values)
    values.append(x[2])
    return sum(values) / len(values) * scale


@program("v")
def running_means(x):
    means = []
    total = 0.0
    for v in x:
        total += v
        means.append(total / (len(means) + 1))
    return np.sum(np.array(means) ** 2)


@program("v")
def polynomial_of_coefficients(x):
    coefficients = [v * 0.5 for v in x]
    coefficients.append(1.0)
    value = 0.0
    for c in reversed(coefficients):
        value = value * 0.9 + c
    derivative = [k * c for k, c in enumerate(coefficients)][1:]
    return value + sum(d * 0.9**k for k, d in enumerate(derivative))


@program("v")
def in_a_while_loop(x):
    values = [x[0]]
    while len(values) < 5:
        values.append(values[-1] * 0.5 + x[len(values) % 4])
    return values[4] * values[2]


@program("v")
def broken_off(x):
    values = []
    for v in x:
        if len(values) == 3:
            break
        values.append(v * v)
    return values[-1] * values[0]


def _helper(values, scale):
    found = [v * scale for v in values]
    found.append(scale)
    return found


@program("v")
def lists_given_and_returned(x):
    found = _helper([x[0], x[1] * x[2]], x[3])
    return found[0] * found[1] + found[2]


def _accumulate(values):
    total = 0.0
    for v in values:
        total = total + v * v
    return total


@program("v")
def list_passed_before_it_grows(x):
    values = [x[0], x[1]]
    first = _accumulate(values)
    values.append(first * x[2])
    second = _accumulate(values)
    values.pop(0)
    return second * _accumulate(values)


@program("v")
def stacked_before_it_grows(x):
    parts = [x, x * x]
    early = np.sum(np.stack(parts) ** 2)
    parts.append(x * early)
    return np.sum(np.stack(parts)) + np.sum(parts[0] * parts[2])


@program("v")
def tuple_extended(x):
    point = (x[0], x[1])
    point = point + (x[2] * x[0],)  # noqa: RUF005 - the operator is tested
    point = (*point, point[2] ** 2)
    return point[3] * point[1]


@program("m")
def columns_collected(a):
    columns = [a[:, j] for j in range(4)]
    total = columns[0] * 0.0
    for column in columns[1:]:
        total = total + column * columns[0]
    return np.sum(total)


@program("m")
def gram_schmidt(a):
    basis = []
    for v in a:
        for b in basis:
            v = v - (v @ b) * b
        basis.append(v / np.sqrt(v @ v))
    return np.sum(np.stack(basis) * np.arange(12.0).reshape(3, 4))


@program("v")
def list_bound_on_two_paths(x):
    values = [x[0]]
    if x[0] < 50.0:
        values = [x[1], x[2]]
    values.append(x[3] * values[-1])
    return values[-1] * values[0]


@program("v")
def two_lists_that_feed_each_other(x):
    a, b = [x[0]], [x[1]]
    for i in range(3):
        a.append(b[-1] * x[2])
        b.append(a[-1] + b[i])
    return a[-1] * b[-1]


@program("v")
def length_kept_before_it_changes(x):
    values = [v for v in x]
    n = len(values)
    for i in range(len(values)):
        values.append(values[i] * values[n - 1 - i])
    return sum(values) / len(values)


@program("v")
def area_of_a_polygon(x):
    corners = [(x[0], x[1]), (x[2], x[3])]
    corners.append((x[0] * x[1], x[2]))
    area = 0.0
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):
        area += a * d - b * c
    return 0.5 * area


def _shrunk(values):
    found = [v for v in values]
    last = found.pop()
    return last * sum(found)


@program("v")
def helpers_with_lists_of_their_own(x):
    found = _helper([x[0], x[1]], 2.0)
    return _shrunk(found) * _shrunk([found[0], x[3], found[1]])


@program("v")
def array_under_the_name_of_its_list(x):
    total = 0.0
    for k in range(1, 4):
        row = []
        for v in x:
            row.append(v**k)
        row = np.array(row)
        total += np.sum(row * row[::-1])
    pair = [x[0], x[1] * total]
    pair = np.stack(pair)
    pair[1] *= x[2]
    while len(pair) < 8:
        pair = np.concatenate([pair, 0.5 * pair])
    return np.sum(np.tanh(pair))


@program("v")
def array_of_its_list_in_another_shape(x):
    rows = []
    for i in range(len(x) - 1):
        rows.append(x[i] * x[i + 1])
    rows = np.array(rows).reshape(-1, 1)
    squares = list(x)
    squares = np.square(squares) / 2
    return np.sum(rows**2 * squares)


@program("v", "v")
def parameters_made_arrays_together(x, y):
    x, y = list(map(np.asanyarray, (x, y)))
    products = list(map(lambda a, b: a * b, x, y))
    return np.sum(products) * np.sum(x)


@program("v")
def lists_that_meet_arrays(x):
    steps, pair = [0.1, 0.2, 0.3, 0.4], [x[0], x[1]]
    scaled = x * steps[: len(x)] - [x[1]] * 1
    return np.sum(scaled) + np.sum(np.exp(pair) / [1.0, 2.0]) + np.sum(np.maximum(pair, x[2]))


def _scaled_with_sum(values, factor):
    scaled = []
    for i in range(len(values)):
        scaled.append(values[i] * factor)
    return scaled, np.sum(values)


@program("v", "s")
def list_beside_a_number_of_a_helper_made_an_array(x, s):
    parts, total = _scaled_with_sum(np.sin(x), s)
    return np.sum(np.array(parts) ** 2) * total + parts[1]


# -- lists of real arrays beside complex numbers, in programs that bind their entries anew


def _power(x, y):
    p = x + 1j * y
    return np.sum(p * p.conj() * p.conj()).real


@program("v", "v")
def entries_swapped_beside_complex_numbers(x, y):
    parts = [y * 1.0, y * 2.0]
    parts[0], parts[1] = parts[1], parts[0]
    return np.sum(parts[0] * parts[1] * x) + _power(x, y)


@program("v", "v")
def entries_stored_beside_complex_numbers(x, y):
    parts = []
    for k in range(3):
        parts.append(y * k)
    parts.append(x)
    parts[1] = parts[0] + parts[2]
    return np.sum(parts[0] * parts[1] * parts[2] * x) + _power(x, y)


@program("v", "v")
def entries_of_a_dict_beside_complex_numbers(x, y):
    parts = {"a": x * 1.0, "b": y * 2}
    parts["c"] = parts["a"] * parts["b"]
    parts["a"] = parts["b"]
    parts["b"] = y * x * (1 + 2j)
    return np.sum(parts["a"] * parts["c"]) + np.sum(parts["b"] * parts["b"]).real


@program("v", "v")
def real_entry_made_complex_in_the_place_of_another(x, y):
    parts = [x * 1.0, y * (1 + 1j)]
    parts[0], parts[1] = parts[1], parts[0]
    parts[1] = parts[1] * y
    return np.sum(parts[0] * parts[1] * parts[0]).real


@program("v", "v")
def entries_read_one_by_one_and_together_beside_complex_numbers(x, y):
    parts = [x for _ in range(2)]
    total = sum(part[0] for part in parts)
    return np.sum(x**2) + np.sum(parts) + total + _power(x, y)


@program("v", "v")
def windows_in_a_list_beside_complex_numbers(x, y):
    parts = [x[k : k + 2] for k in range(2)]
    total = sum(part.sum() * part[0] for part in parts)
    return np.sum(x**2) * np.sum(np.sin(np.concatenate(parts))) + total + _power(x, y)


@program("v", "v")
def stacked_entries_beside_complex_numbers(x, y):
    parts, total = [x * 1.0, x * 2.0], 0.0
    for part in parts:
        total = total + part[0] * part[1]
    return np.sum(np.stack(parts) ** 2) + total + _power(x, y)


@program("s")
def literals_of_every_kind_appended(x):
    xs = [x, x * x]
    xs.append(-0.4)
    xs.append(2 * 3.0 - 1)
    xs.insert(0, -len(xs))
    xs.append(len(xs) * 2)
    return xs[1] * xs[2] + xs[3] * x + xs[-1] * xs[0]


@program("v")
def entries_compared_and_then_replaced(x):
    """The best weights of chains that rise: each entry is asked for before it is written."""
    best = list(x)
    for i in range(len(x)):
        for j in range(i):
            if x[j] < x[i] and best[j] + x[i] > best[i]:
                best[i] = best[j] + x[i] * x[j]
    return max(best) + best[1] ** 2


@program("v")
def truths_of_entries_kept_over_a_write(x):
    best = [item**2 for item in x]
    low = best[0] > 1 or not best[1] > best[2]
    k = 0 if best[2] > best[3] else 1
    best[k] = x[1] * x[2]
    best[3] *= 3.0 if low else 2.0
    return sum(best) * best[k]


@program("v", "s")
def list_on_one_way_and_array_on_the_other(x, c):
    """No place reads the one or the other."""
    if c > 5.0:
        rows = np.zeros((2, 3))
        for i in range(2):
            rows[i] = x[i : i + 3] * c
        return np.sum(rows.T**2)
    rows = []
    for i in range(2):
        rows.append(x[i : i + 3] * c)
    return np.sum(np.concatenate(rows) ** 2)


@program("v")
def array_after_a_list_of_the_same_name(x):
    pair = [x[0], np.sin(x[1])]
    scale = pair[0] * pair[1]
    pair = np.array([scale, x[2]])
    return np.sum(pair**2)


@program("v")
def list_and_number_by_turns_in_each_trip(x):
    total = x[0]
    for i in range(3):
        pair = [x[i], total]
        product = pair[0] * pair[1]
        pair = product * product
        total = total + pair
    return total


@program("v")
def list_in_a_handler_after_it_is_none(x):
    pair = np.sum(x)
    try:
        pair = [pair, x[0]]
        first = pair[1]
        pair = np.log(first * first)
        pair = pair * 2.0
    except ZeroDivisionError:
        pair = x[1]
    return pair * first


@program("v", by="tape")
def list_or_array_at_one_place(x):
    if x[0] > 9.0:
        points = [x[0]]
    else:
        points = np.linspace(x[0], x[1], 5)
    total = 0.0
    for point in points:
        total = total + point * point
    return total


@program("v", "n")
def repeated_list_joined_with_a_vector(x, n):
    ends = [np.min(x), np.max(x)] * n
    return np.sum(np.concatenate((ends, x)) ** 2) + np.sum(np.hstack(([x[0]] * n, x, [x[1] * n])))


@program("v", "n")
def grown_list_stacked_with_a_vector(x, n):
    first = []
    for i in range(n):
        first.append(x[i] ** 2)
    return np.sum(np.hstack((first, x[1:])) ** 2) + np.sum(np.array([first, x[:3]]) ** 3)
