"""Functions that write, as functions that return what they have written."""

from __future__ import annotations

import ast
import functools

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend.effects import returned_elements, returned_parameters, written_by
from srcgrad.frontend.normalize.threaded import states_returned, threaded
from srcgrad.frontend.source import find_source
from srcgrad.ir import gast
from srcgrad.runtime import kept_apart, taken_over
from tests.differences import assert_same, numerical_gradient


def halved(a, n):
    """Halve an array from its end."""
    if n == 0:
        return
    a[n] = a[n] / 2
    halved(a, n - 1)


def remembered(n, memo):
    if n not in memo:
        memo[n] = remembered(n - 1, memo) * 2.0
    return memo[n]


def handed_back(a, n):
    if n == 0:
        return a
    a[n] = 0.0
    return handed_back(a, n - 1)


def both(a, b, n):
    if n == 0:
        return a[0], b[0]
    a[n] = b.pop()
    return both(a, b, n - 1)


def made_if_missing(n, memo=None):
    if memo is None:
        memo = {}
    memo[n] = 1.0
    return len(memo) if n == 0 else made_if_missing(n - 1, memo)


def updated(n, total):
    total += n
    return total if n == 0 else updated(n - 1, total)


def bound_anew(a, n):
    a[n] = 1.0
    a = a[1:]
    return bound_anew(a, n - 1) if n else a


def kept_by_a_lambda(a, n):
    a[n] = 1.0
    return kept_by_a_lambda(a, n - 1) if n else (lambda: a)


CASES = {
    halved: (lambda: (np.arange(4.0), 3), ("a",)),
    remembered: (lambda: (5, {0: 1.5}), ("memo",)),
    handed_back: (lambda: (np.arange(4.0), 3), ("a",)),
    both: (lambda: (np.arange(4.0), [1.0, 2.0, 3.0, 4.0], 3), ("a", "b")),
    made_if_missing: (lambda: (3, {}), ("memo",)),
}


def test_the_cases_write_into_what_they_are_given():
    for function, (arguments, _) in CASES.items():
        given, untouched = arguments(), arguments()
        function(*given)
        assert str(given) != str(untouched)


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_what_is_returned_is_what_would_have_been_written(function):
    arguments, states = CASES[function]
    given, written = arguments(), arguments()
    found = threaded(function, VOCABULARY)
    assert found is not None
    assert found.states == states == states_returned(found.function)
    result = found.function(*given)
    expected = function(*written)
    own = [] if found.returned or expected is None else [expected]
    own = [*expected] if isinstance(expected, tuple) else own
    after = [written[found.parameters.index(name)] for name in states]
    returned = result if len(own) + len(after) > 1 else (result,)
    assert list(map(str, returned)) == list(map(str, [*own, *after]))


@pytest.mark.parametrize("function", [halved, remembered, handed_back, both], ids=str)
def test_it_is_made_once_and_says_nothing_of_what_it_copies(function):
    found = threaded(function, VOCABULARY)
    assert found is threaded(function, VOCABULARY)
    body = find_source(found.function).tree.body
    copies = [ast.unparse(gast.gast_to_ast(line)) for line in body[: len(found.states)]]
    assert copies == [f"{name} = {name}.copy()" for name in found.states]


@pytest.mark.parametrize("function", [updated, bound_anew, kept_by_a_lambda, np.linalg.norm])
def test_what_may_be_a_number_is_bound_anew_or_kept_stays_as_it_is(function):
    function = getattr(function, "__wrapped__", function)
    assert threaded(function, VOCABULARY) is None


def stored(rows, v):
    rows[0] = v


def stored_inside(rows, v):
    rows[0][0] = v * 2.0


def stored_by_another(rows, v):
    kept = {0: rows}
    stored(rows, v)
    return kept


def test_what_a_list_holds_is_told_from_the_list():
    for function, deeply in [
        (stored, set()),
        (stored_inside, {"rows"}),
        (stored_by_another, set()),
    ]:
        found = written_by(function, VOCABULARY)
        assert (found.parameters, found.deeply) == ({"rows"}, deeply)


def element(x, i):
    return x[i - 1]


def row_or_slice(x, places):
    return x[places]


def element_of_what_holds_it(x, i):
    held = [x]
    return held[i - 1]


def whole_or_element(x, i):
    return x if i < 0 else x[i]


def key_of_a_table(table, key):
    return table[key]


@pytest.mark.parametrize(
    ("function", "whole", "elements"),
    [
        (element, {"x"}, {"x"}),
        (row_or_slice, {"x"}, set()),
        (element_of_what_holds_it, {"x"}, set()),
        (whole_or_element, {"x"}, set()),
        (key_of_a_table, {"table"}, set()),
    ],
)
def test_elements_are_told_from_the_whole(function, whole, elements):
    assert returned_parameters(function, VOCABULARY) == whole
    assert returned_elements(function, VOCABULARY) == elements


def test_arrays_are_copied_by_who_writes_and_containers_by_who_has_them():
    array, rows, table, names = np.arange(2.0), [1.0], {"a": 1.0}, {1}
    assert kept_apart(array) is array
    assert taken_over(array) is not array
    for value in (rows, table, names):
        assert taken_over(value) is value
        assert kept_apart(value) == value
        assert kept_apart(value) is not value


def another_factor(x):
    k = 1.0

    @functools.cache
    def scaled(n):
        return x[n] * k

    first = scaled(1)
    k = 2.0
    return first * x[0] + scaled(1) * x[2]


def another_array(x):
    y = x * 1.0

    @functools.cache
    def squared(n):
        return y[n] ** 2

    first = squared(1)
    y[1] = x[0]
    return first + squared(1) * x[2]


def calls_noted(x):
    seen = []

    @functools.cache
    def squared(n):
        seen.append(n)
        return x[n] ** 2

    return (squared(1) + squared(1) * x[2]) * len(seen)


@pytest.mark.parametrize("function", [another_factor, another_array, calls_noted])
def test_a_cache_that_keeps_what_was_before_is_not_left_out(function):
    x = np.array([0.7, 1.3, 0.4])
    with pytest.raises(sg.UnsupportedSyntaxError, match="whose cache keeps what it found"):
        sg.grad(function, fallback="error")(x)
    with pytest.warns(sg.FallbackWarning):
        found = sg.grad(function)(x)
    assert_same(found, numerical_gradient(function, (x,), 0))
