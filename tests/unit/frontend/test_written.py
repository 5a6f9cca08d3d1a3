"""What functions are said to write into, beside what a run changes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.frontend import effects
from srcgrad.frontend.callees import ELSEWHERE
from srcgrad.frontend.effects import written_parameters

TABLE = np.ones(3)
HELD = [np.ones(3)]
OPTIONS = {"factor": 2.0}


def fresh(a):
    return a * 2.0


def same(a):
    return a


def outside(_):
    return TABLE


def default(_, out=HELD):
    return out[0]


def scaled(a, factor=1.0):
    return a * factor


def with_options(a, options=OPTIONS):
    return scaled(a, **options)


def first_of_all(a, known=HELD):
    known.append(a)
    return known.pop(0) if len(known) > 2 else known[0]


def again(a, n=3):
    return a if n == 0 else again(a, n - 1)


def twice(a, n=3):
    return fresh(a) if n == 0 else twice(a, n - 1)


def part_of_what_is_handed_back(a):
    return same(again(a))[1:]


def holding(a):
    return {"a": [a]}["a"][0]


def by_name(**named):
    return named["a"]


def named(a):
    return by_name(a=a)


FUNCTIONS = [fresh, same, outside, default, with_options, first_of_all, again, twice]
FUNCTIONS += [part_of_what_is_handed_back, holding, named]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_write_into_what_another_function_returns(function: Callable[..., Any]) -> None:
    def writes(a: Any) -> None:
        found = function(a)
        found[0] = 5.0

    TABLE[:] = HELD[0][:] = 1.0
    given = np.ones(3)
    writes(given)
    changed = {"a"} if given.max() > 1.0 else set()
    if max(TABLE.max(), HELD[0].max()) > 1.0:
        changed.add(ELSEWHERE)
    written = written_parameters(writes, VOCABULARY)
    assert changed <= written
    if function in (fresh, same, outside, with_options, twice):  # of which nothing else is feared
        assert changed == written


def between_copies(p, q, w):
    p = p.copy()
    w[0] = 5.0
    q = q.copy()
    p[0] = q[0] = 5.0


def variable_bound_anew(p, q, w):
    a = p
    b = a[0] * q[0]
    a = np.asarray(w).copy()
    a *= b + 4.0


def written_and_then_bound_anew(p, q, w):
    a = p
    a[0] = 5.0
    a = np.asarray(a).copy()
    a /= 2.0 * w
    a = q
    a = a.copy()
    a[1] = 5.0


def bound_anew_in_a_loop(p, q, w):
    a = p
    for _ in range(2):
        a[0] = 5.0
        a = a.copy()
    a = q if w is None else w.copy()
    a[0] = 5.0


def captured(p, q, w):
    match [p, q]:
        case [a, *b]:
            b[0][0] = a[0] + 4.0


def captured_after_a_copy(p, q, w):
    p = p.copy()
    match [w]:
        case [p]:
            p[0] = 5.0


def bound_by_a_nested_function(p, q, w):
    a = p.copy()

    def turn():
        nonlocal a
        a = w

    a = a.copy()
    turn()
    a[0] = 5.0


def bound_anew_in_branches(p, q, w):
    if w[0] > 0.0:
        p = p.copy()
        p[0] = 5.0
        if q[0] > 0.0:
            q = np.multiply(q, 2.0)
            q *= 3.0
    elif p[0] > 0.0:
        w = np.add(w, 1.0)
        w += q


def bound_anew_in_a_branch_and_written_after(p, q, w):
    if w[0] > 9.0:
        p = p.copy()
        q = q.copy()
        p[0] = 5.0
    p[0] = 5.0


def bound_anew_before_a_jump(p, q, w):
    for _ in range(2):
        q[0] = 5.0
        if w[0] > 9.0:
            p = p.copy()
            continue
        q = q.copy()
    p[0] = 5.0


def converted_without_a_copy(p, q, w):
    a = p.astype(float, copy=False)
    a[0] = 5.0
    b = np.diff(q, 0)
    b[0] = 5.0
    c = np.array(w, copy=w[0] > 9.0 or None)
    c[0] = w[0]


def copied_by_a_type(p, q, w):
    kind = q.dtype.type
    a = p.astype(kind)
    a *= kind(5.0)
    b = np.add(q, w, dtype=kind)
    b *= np.dtype(kind).type(w[0])


def by_one_of_two(p, q, w):
    of_first = fresh
    of_both = fresh if w[0] > 9.0 else twice
    a, b = of_first(p), of_both(q)
    a[0] = b[0] = 5.0


def by_one_that_hands_back(p, q, w):
    chosen = fresh if w[0] > 9.0 else same
    a = chosen(p)
    a[0] = 5.0


def under_another_name(p, *rest, **named):
    q, w = named["q"], named["w"]
    if w[0] > 9.0:
        chosen = []
        chosen.append(q)
    else:
        chosen = rest
    again_ = chosen
    p[0] = 5.0 + len(again_)


APART = [between_copies, variable_bound_anew, bound_anew_in_branches, copied_by_a_type]
APART += [by_one_of_two, under_another_name]
"""Functions that write into nothing else than a run changes."""


@pytest.mark.parametrize(
    "function",
    [
        *APART,
        *(bound_anew_in_a_branch_and_written_after, bound_anew_before_a_jump),
        *(converted_without_a_copy, by_one_that_hands_back),
        *(written_and_then_bound_anew, bound_anew_in_a_loop),
        *(captured, captured_after_a_copy, bound_by_a_nested_function),
    ],
)
def test_a_write_under_a_name_that_is_bound_again(function: Callable[..., Any]) -> None:
    given = {name: np.ones(3) for name in "pqw"}
    function(**given)
    changed = {name for name, value in given.items() if value.max() > 1.0}
    assert changed <= written_parameters(function, VOCABULARY)
    if function in APART:  # of which nothing else is feared
        assert changed == written_parameters(function, VOCABULARY)


def _all_call_all(count: int) -> str:
    calls = " + ".join(f"f{i}(a, n - 1)" for i in range(count))
    heads = (f"def f{i}(a, n):\n    if n == 0:\n        return a\n" for i in range(count))
    return "\n\n".join(f"{head}    return {calls}\n" for head in heads)


def test_functions_that_call_each_other_are_read_a_few_times_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not once for each way through the calls, of which there are 5 * 4 * 3 * 2 at least."""
    (tmp_path / "all_call_all.py").write_text(_all_call_all(6))
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("all_call_all")
    read: list[Any] = []
    find = effects._found_written
    monkeypatch.setattr(
        effects, "_found_written", lambda f, *rest: (read.append(f), find(f, *rest))[1]
    )
    assert written_parameters(module.f0, VOCABULARY) == frozenset()
    assert len(read) < 60
