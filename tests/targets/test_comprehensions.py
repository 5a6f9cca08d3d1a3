"""Tests comprehensions, dicts and lists of lists, compiled: nothing that is written is lost."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.programs.changing_lists import taken_out_and_put_in
from tests.programs.number_tables import rows_that_take_turns

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

NORMAL = np.random.default_rng(8).normal


def arrays_in_a_list(x):
    parts = [np.zeros(len(x)) for _ in range(2)]
    first = parts[0]
    kept = [first]
    for i in range(len(x)):
        first[i] += x[i] * x[i]
    return kept[0][0] * kept[0][1]


def conditions_and_two_loops(x):
    products = [x[i] * x[j] for i in range(len(x)) if i != 1 for j in range(i) if j > 0]
    total = 0.0
    for item in products:
        total += item * item
    return total


def names_that_mean_others(x):
    i = 2
    squares = [x[i] ** 2 for i in range(len(x))]
    return squares[i] * i


def nested(x):
    table = [[x[i] * x[j] for j in range(3)] for i in range(3)]
    total = 0.0
    for i in range(3):
        total += table[i][2 - i] * i
    return total


def rows_written_whole(x):
    table = [[0.0 for _ in range(3)] for _ in range(2)]
    table[0] = [x[0], x[1], x[2]]
    return table[0][1] * x[0]


def a_table_that_grows(x):
    table = [[x[0] * 0.5]]
    for i in range(1, 4):
        row = [0.5 * table[i - 1][0] + x[1]]
        for j in range(1, i + 1):
            row.append(row[j - 1] + (row[j - 1] - table[i - 1][j - 1]) / (4**j - 1))
        table.append(row)
    return table[-1][-1] * x[2]


def sum_of_what_is_given(x):
    return sum(x[i] * x[i + 1] for i in range(len(x) - 1))


def a_key_that_is_there(x):
    known = {"scale": 2.0}
    if "scale" in known and "shift" not in known:
        return np.sum(x * x) * known["scale"]
    return np.sum(x)


def a_number_with_two_names(x):
    y = np.where(x[0] > -9, x[0], x[1])
    z = y
    z += 1.0
    return y * 2.0 + z


PROGRAMS = (
    rows_that_take_turns,
    arrays_in_a_list,
    conditions_and_two_loops,
    names_that_mean_others,
    nested,
    rows_written_whole,
    a_table_that_grows,
    sum_of_what_is_given,
    a_key_that_is_there,
    a_number_with_two_names,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda item: item.__name__)
def test_a_compiled_program_loses_nothing(program):
    expected, found = sg.value_and_grad(program), sg.value_and_grad(program, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        for _ in range(2):
            x = NORMAL(size=4)
            assert not differs(found(x), expected(x)), program.__name__


def test_comprehensions_are_loops():
    g = sg.value_and_grad(nested, backend="numba")
    g(NORMAL(size=4))
    assert "table = []" in g.source
    assert "[[" not in g.source.partition("def ")[2].replace("[[x", "", 1), g.source


def keys_that_are_gone_through(p):
    total = 0.0
    for key in p:
        total += p[key] * p[key]
    return total


def a_comprehension_that_may_not_run(x):
    y = [v * v for v in x] if x[0] > 100 else [2.0 * v for v in x]
    return y[0] * y[1]


@pytest.mark.parametrize(
    ("program", "arg"),
    [
        (keys_that_are_gone_through, {"a": 1.5, "b": -0.5}),
        (a_comprehension_that_may_not_run, np.array([1.0, 2.0, 3.0])),
    ],
)
def test_what_is_not_compiled_is_right(program, arg):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        found = sg.value_and_grad(program, backend="numba")(arg)
    assert not differs(found, sg.value_and_grad(program)(arg))


class Counter:
    def __init__(self):
        self.count = 0

    def scaled(self, x):
        self.count += 1
        return x * self.count

    def in_a_loop(self, x):
        self.count = 0
        total = 0.0
        for _ in range(3):
            total += self.scaled(x) ** 2
        return total


COUNTER = Counter()


def counted(x):
    return COUNTER.in_a_loop(x)


def test_a_part_that_writes_a_field_runs_once():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        g = sg.value_and_grad(counted, backend="numba")
        for x in (1.5, 0.7):
            assert g(x) == pytest.approx((14 * x * x, 28 * x), rel=1e-12)


def test_lists_of_arrays_that_change_are_those_of_python():
    expected = sg.value_and_grad(taken_out_and_put_in)
    found = sg.value_and_grad(taken_out_and_put_in, backend="numba")
    for length in (2, 50, 7):
        for _ in range(20):  # what is freed twice does not always show
            x = NORMAL(size=length)
            assert not differs(found(x), expected(x))


def put_first(t, v):
    t[0] = v * v


def whole_numbers_replaced(x):
    t = [0, 1, 2]
    t[1] = x[0] * 0.5
    t[2] += x[1]
    return t[1] * t[2]


def rows_of_whole_numbers(x):
    table = [[0] * 3 for _ in range(2)]
    row = table[1]
    for j in range(3):
        row[j] = x[j] * x[j]
    return table[1][0] + table[1][2] * x[0]


def rows_gone_through(x):
    table = [[0, 0], [0, 0]]
    for row in table:
        row[0] = x[0] * x[1]
    return table[0][0] * table[1][0]


def put_by_a_helper(x):
    t = [0, 1]
    put_first(t, x[0])
    return t[0] * t[1] * x[1]


def list_of_a_dict(x):
    t = {"a": [1, 2]}
    t["a"][0] = x[0]
    return t["a"][0] * x[1]


def appended_and_replaced(x):
    t = []
    for _ in range(3):
        t.append(0)  # noqa: PERF401 - what is tested
    for i in range(3):
        t[i] = t[i - 1] + x[i]
    return t[2] * t[0]


def pairs_replaced(x):
    pairs = [(0, 1), (2, 3)]
    pairs[0] = (x[0], 1)
    return pairs[0][0] * x[1]


def counts_that_stay(x):
    places = [0] * 4
    for i in range(3):
        places[i] = i * i
    return x[places[1]] * x[places[2] - 3]


def made_by_a_helper(x):
    t = of_two()
    t[0] = x[0]
    return t[0] * t[1] * x[1]


def of_two():
    return [1, 2]


WHOLE = (
    whole_numbers_replaced,
    rows_of_whole_numbers,
    rows_gone_through,
    put_by_a_helper,
    list_of_a_dict,
    appended_and_replaced,
    pairs_replaced,
    counts_that_stay,
    made_by_a_helper,
)


@pytest.mark.parametrize("program", WHOLE, ids=lambda item: item.__name__)
def test_lists_of_whole_numbers_take_others(program):
    """The first call, whose numbers are whole, does not tell."""
    expected, found = sg.value_and_grad(program), sg.value_and_grad(program, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        for x in (np.array([2.0, 4.0, 6.0]), NORMAL(size=3)):
            assert not differs(found(x), expected(x))


def where_of_one_argument(x, m):
    i = np.where(m)[0]
    y = x[i]
    return np.sum(y * y) + x[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_where_of_one_argument_gives_places(dtype):
    x, m = np.array([1.0, -2.0, 3.0], dtype), np.array([True, False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        found = sg.value_and_grad(where_of_one_argument, backend="numba")(x, m)
    assert not differs(found, sg.value_and_grad(where_of_one_argument)(x, m), narrow=True)
