"""Which containers are told to be in local values, by how they are bound."""

from __future__ import annotations

import pytest

from srcgrad.frontend.told_containers import ToldContainers, is_of_pairs
from srcgrad.ir import gast


def _kinds(text, expression):
    """Return the kinds that a value may be of, in a function body."""
    told = ToldContainers(gast.parse(text).body)
    found = told.of(gast.parse(expression, mode="eval").body)
    return {part.kind for part in found if not part.steps}


@pytest.mark.parametrize(
    ("text", "expression", "kinds"),
    [
        ("net = {'a': [x], 'b': x}", "net['a']", {"list"}),
        ("net = {'a': [x], 'b': x}", "net['b']", set()),
        ("net = {'a': [x]}; net['b'] = (x, x)", "net[key]", {"list", "tuple"}),
        ("net = {}; net[0] = [x]", "net[1]", {"list"}),
        ("rows = [[x], {'w': x}]; rows.sort()", "rows[0]", {"list", "dict"}),
        ("t = ([x], {'w': x})", "t[1]", {"dict"}),
        ("t = ([x], {'w': x})", "t[1:][0]", {"list", "dict"}),
        ("t = ([x], x)", "(t + t)[1]", {"list"}),
        ("a, b = [x], {'w': x}", "b", {"dict"}),
        ("t = ([x], {'w': x}); a, *b = t", "a", {"list", "dict"}),
        ("p = {'k': [x]}\nfor k, v in p.items(): pass", "v", {"list"}),
        ("ps = [{}]\nfor i, p in enumerate(ps): pass", "p", {"dict"}),
        ("ps = [{}]; qs = [()]\nfor p, q in zip(ps, qs): pass", "q", {"tuple"}),
        ("ps = [dict(w=x) for _ in r]", "ps[0]", {"dict"}),
        ("p = {'w': [x]}; q = {**p, 'v': x}", "q['w']", {"list"}),
        ("p = {'w': [x]}; q = dict(p)", "q['w']", {"list"}),
        ("p = {}; p.update(w=[x])", "p['w']", {"list"}),
        ("p = {}; p.setdefault('w', []).append({})", "p.get('w')[0]", {"dict"}),
        ("p = {'w': []}; p.setdefault('w', [{}])", "p['w'][0]", {"dict"}),
        ("rows = []; rows.append([x]); r = rows.pop()", "r", {"list"}),
        ("rows = [[x]]\nif (r := rows[0]): pass", "r", {"list"}),
        ("a = [x] if c else {}", "a", {"list", "dict"}),
        ("for v in x: pass\nn = sum(sum(v) for v in [[x]])", "v", set()),
        ("v = [x]; n = [v for v in x]", "v", {"list"}),
        ("v = [[x]]; w = [v for v in v]", "w[0]", {"list"}),
    ],
)
def test_kinds_of_a_value(text, expression, kinds):
    assert _kinds(text, expression) == kinds


@pytest.mark.parametrize(
    ("text", "expression", "pairs"),
    [
        ("p = [('a', x)]", "p", True),
        ("p = zip(keys, values)", "p", True),
        ("q = {'a': x}; p = q.items()", "p", True),
        ("p = [(k, v) for k, v in q]", "p", True),
        ("p = {'a': x}", "p", False),
        ("p = f(x)", "p", False),
        ("p = [] if c else {}", "p", False),
    ],
)
def test_pairs_are_told_from_dicts(text, expression, pairs):
    told = ToldContainers(gast.parse(text).body)
    assert is_of_pairs(told.of(gast.parse(expression, mode="eval").body)) is pairs


def test_a_list_that_holds_itself_is_followed_to_an_end():
    assert _kinds("xs = []\nfor _ in r: xs = [xs]", "xs[0][0][0][0][0][0]") == {"list"}


def test_what_was_taken_out_is_told_from_what_was_made():
    told = ToldContainers(gast.parse("rows = [[x]]; row = rows[0]; mine = [x]").body)
    taken = {
        name: {p.is_taken for p in told.of(gast.Name(name, gast.Load(), None, None))}
        for name in ("row", "mine")
    }
    assert taken == {"row": {True}, "mine": {False}}
