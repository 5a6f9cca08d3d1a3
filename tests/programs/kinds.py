"""Variables and arguments that are numbers, arrays, lists or dicts, as the case may be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sized

import numpy as np

from tests.programs.corpus import program


@program("v")
def stack_of_pairs(x):
    stack = [(x, 1.0)]
    total = 0.0
    while stack:
        part, weight = stack.pop()
        if len(part) == 1:
            total += weight * part[0] ** 2
            continue
        stack.append((part[1:], weight * 2))
        stack.append((part[:1], weight))
    return total


@program("v")
def queue_of_pairs(x):
    queue = [(v, i) for i, v in enumerate(x)]
    total = 0.0
    while queue:
        v, i = queue.pop(0)
        total += v * i
        if v > 0.1 and i < 4:
            queue.append((v * 0.5, i + 1))
    return total


@program("v")
def pairs_popped_from_a_dict(x):
    pairs = {"p": (x[0], x[1]), "q": (x[2], x[3])}
    a, b = pairs.pop("p")
    return a * b + pairs["q"][0]


@program("d", "n")
def key_of_a_dict_in_a_branch(d, n):
    total = np.sum(d["w"] ** 2)
    if n > 2:
        total = total * np.sum(d["b"])
    return total


@program("d")
def key_that_may_be_absent(d):
    try:
        n = d["n"]
    except KeyError:
        n = 2
    return np.sum(d["w"] ** 2) * n


@program("v")
def number_then_list(x):
    a = 2.0
    for i in range(3):
        a = a * x[i]
    product = a
    a = [product, x]
    return sum(np.sum(k) ** 2 for k in a)


@program("v")
def array_then_list(x):
    a = x[:2]
    b = a * 2
    a = [b, x]
    return np.sum(b) ** 2 + np.sum(a[1])


@program("v")
def dict_then_list(x):
    d = {"a": x[0], "b": x[1]}
    total = 0.0
    for v in d.values():
        total = total + v * v
    d = [total, x[2]]
    for v in d:
        total = total * v
    return total


@program("v")
def array_plus_list(x):
    numbers = [1.0, 2.0, 3.0, 4.0]
    x = x + numbers
    return np.sum(x * x)


@program("v")
def array_times_list(x):
    weights = [1.0, 2.0, 3.0, 4.0]
    return np.sum(x * weights) + np.sum(weights * x)


@program("v")
def counts_by_key(x):
    counts = Counter()
    for v in x:
        counts["up" if v > 0 else "down"] += v * v
    return counts["up"] + 2 * counts["down"]


@program("v")
def sums_by_key(x):
    sums = defaultdict(float)
    for i, v in enumerate(x):
        sums[i % 2] += v * v
    return sums[0] * sums[1]


@program("v", by="tape")
def value_that_an_exception_carries(x):
    try:
        raise ValueError(x[0] * 2)  # noqa: TRY301 - the subject of the program
    except ValueError as error:
        return error.args[0] * x[1]


@program("v")
def best_key_of_a_dict(x):
    scores = {"a": x[0] ** 2, "b": x[1] ** 2}
    best = max(scores, key=scores.get)
    return scores[best] * 3


@program("v", by="tape")
def rows_that_are_one_list(x):
    grid = [[0.0] * 3] * 2
    grid[0][1] = x[0] * x[1]
    return sum(map(sum, grid))


@program("v")
def groups_made_on_the_way(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, []).append(v)
    return sum(groups[0]) * sum(groups[1])


def _count_after(values, v):
    values.append(v * v)
    return len(values)


@program("v")
def helper_that_writes_in_a_condition(x):
    squares = []
    for v in x:
        if _count_after(squares, v) > 2:
            break
    return sum(squares)


@program("v")
def none_then_list(x):
    found = None
    for v in x:
        if found is None:
            found = [v]
        else:
            last = [v * found[-1]]
            found = found + last
    return sum(found)


@program("v")
def list_times_array(x):
    pair = [x[0], x[1]]
    weights = np.array([1.0, 2.0])
    return np.sum(pair * weights)


@program("v", by="tape")
def exceptions_kept_in_a_list(x):
    errors = []
    try:
        raise ValueError(x[0] * x[1])  # noqa: TRY301 - the subject of the program
    except ValueError as error:
        errors.append(error)
    return errors[0].args[0] * x[2]


@program("s")
def first_of_iterable(x):
    return x[0] if isinstance(x, Iterable) else x * x


@program("v", "s")
def weighed_by_what_has_a_length(x, w):
    weights = w if hasattr(w, "__len__") or isinstance(w, Sized) else w * np.ones_like(x)
    return np.sum(weights * x)


def _each_with_an_axis(*arrays):
    """Return each array with at least one axis; of one alone not in a list."""
    found = []
    for array in arrays:
        array = np.asarray(array)
        if len(array.shape) == 0:
            array = array.reshape(1)
        found.append(np.sin(array))
    if len(found) == 1:
        return found[0]
    return found


@program("v")
def result_alone_or_in_a_list(x):
    """How long a list is where straight code has made it says which of two kinds is returned."""
    return np.sum(_each_with_an_axis(x) * x)


@program("v", "s")
def several_results_in_a_list(x, c):
    a, b = _each_with_an_axis(x, c)
    return np.sum(a * b)


@program("v", "v")
def results_of_a_map_alone_or_in_lists(x, y):
    a, b = map(_each_with_an_axis, (x, y))
    return np.sum(a * b)


@program("v")
def test_of_a_length_that_a_path_changes(x):
    """The length is asked when the text runs."""
    found = [np.sin(x)]
    if x[0] > 0.0:
        found.append(x * x)
    if len(found) > 1:
        return np.sum(found[1] * found[0])
    return np.sum(found[0])


@program("v")
def scaled_where_a_sum_is_positive(x):
    total = np.sum(x**2, axis=-1)
    x = x * 1.0
    x[total > 0] = x[total > 0] / total[total > 0, np.newaxis]
    return np.sum(x * np.arange(4.0))


@program("m")
def rows_divided_by_their_norms(x):
    norms = np.linalg.norm(x, axis=-1)
    return np.sum((x[norms > 0.5] / norms[norms > 0.5, np.newaxis])[:, 1])


@program("v")
def complex_numbers_of_entries(x):
    total = 0j
    for value in x:
        total = total + np.complex128(value) ** 2 * 1j
    return np.abs(total + np.complex128(1j * x[0]))


@program("v")
def complex_array(x):
    z = np.complex128(x) + 1j * x[0]
    return np.sum((z * np.conj(z) * x).real)


@program("v")
def counted_between_edges(x):
    steps = np.diff(x**2)
    counts, edges = np.histogram(steps[::2], np.arange(-3.0, 4.0))
    return np.sum(counts * edges[1:]) * x[0] + steps[1]


def flattened(x):
    if isinstance(x, np.matrix):
        x = np.array(x)
    if isinstance(x, np.ma.MaskedArray):
        return x.filled(0.0)
    return x.flatten(order="F")


@program("m")
def asked_for_a_matrix_in_a_helper(x):
    return np.sum(flattened(x) * np.arange(12.0))


@program("v")
def entries_of_what_has_axes_read_twice(x):
    y = np.atleast_1d(x)
    return np.sum(y[np.array([0, 0, 2])] ** 2)


@program("v")
def result_plus_list(x):
    y = np.sin(x) * x
    numbers = [1, 2, 3, 4]
    y = y + numbers
    w = x[1:]
    w = w * (1.0, 2.0, 3.0)
    return np.sum(y * y) + np.sum(w * w)


def _joined_to_itself(v, n):
    y = v
    for _ in range(n):
        y = y + y
    return sum(np.sum(e * e) for e in y)


@program("v", by="tape")
def list_joined_by_a_helper_that_names_it_anew(x):
    return _joined_to_itself([x, x * 2.0], 2) + _joined_to_itself(x, 2)


def _shares(x, shares):
    if isinstance(shares, float):
        shares = [shares]
    found = []
    for share in shares:
        found.append(np.sum(x) * (1 + share))
    return found[0] if len(found) == 1 else np.sum(np.array(found))


@program("v")
def list_made_of_a_number_that_is_given(x):
    """Inside of the list is what the name was before: no list in a list."""
    return _shares(x, 0.5) * _shares(x, [0.25, 0.5])


@program("v")
def list_made_of_what_cannot_be_gone_through(x, shares=0.5):
    try:
        iter(shares)
    except TypeError:
        shares = (shares,)
    total = 0.0
    for share in shares:
        total = total + x[0] * (1 + share)
    return total


@program("v")
def list_made_in_an_expression(x, shares=0.5):
    shares = shares if np.ndim(shares) else [shares]
    total = 0.0
    for share in shares:
        total = total + x[0] * (1 + share)
    return total


@program("v", by="tape")
def list_of_itself_twice(x):
    """Here the name was a list before."""
    rows = [x[0], x[1]]
    rows = [rows, rows]
    both = rows[0] + rows[1]
    return both[0] * both[3]
