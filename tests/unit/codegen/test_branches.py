"""Tests that marks tell the branches that a run has taken, and change nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from srcgrad.codegen.branches import MARK, Branches

TEXT = '''\
def f(x, n):
    """Say something."""
    total = 0
    for i in range(n):
        if i == x:
            total += 100
        elif i > x and i % 2:
            continue
        total += i if i < 2 else 10 * i
    while total > 1000:
        total -= 1
        if total == 1005:
            break
    else:
        total += 1
    try:
        total += 1
        total += [1, 2][x]
        total += 1
    except IndexError:
        total -= 5
    finally:
        total += 2
    try:
        total += 3
    finally:
        total -= 3
    return total + sum([k * x for k in range(n)])
'''


def run(branches: Branches, wanted: set[int], *args: Any) -> tuple[Any, set[int]]:
    seen: set[int] = set()

    def f(x, n): ...

    f.__code__ = branches.code("<test>", wanted.__contains__)["f"]
    f.__globals__[MARK] = seen.add
    return f(*args), seen


@pytest.mark.parametrize(("x", "n"), [(0, 0), (0, 1), (1, 4), (3, 5), (-2, 3), (5, 60)])
def test_marks_change_no_result(x: int, n: int) -> None:
    space: dict[str, Any] = {}
    exec(TEXT, space)
    branches = Branches(TEXT)
    assert run(branches, set(range(len(branches.lines))), x, n)[0] == space["f"](x, n)


def test_those_that_nobody_wants_are_not_there() -> None:
    branches = Branches(TEXT)
    code = branches.code("<test>", lambda _: False)["f"]
    assert MARK not in code.co_names
    assert not [name for name in code.co_varnames if name.startswith("__srcgrad")]
    _, seen = run(branches, {2, 3}, 1, 4)
    assert seen <= {2, 3}


def taken(text: str, *args: Any) -> set[int]:
    branches = Branches(text)
    return run(branches, set(range(len(branches.lines))), *args)[1]


TEST = "def f(x, n):\n    if x:\n        n = 2 * n\n    return n"
LOOP = "def f(x, n):\n    for i in range(n):\n        x += i\n    return x"
WHILE = "def f(x, n):\n    while n:\n        n -= 1\n    return x"
CHOICE = "def f(x, n):\n    return n if x else 2 * n"
BOTH = "def f(x, n):\n    return x and n"
EACH = "def f(x, n):\n    return [i * x for i in range(n)]"
TRIED = """\
def f(x, n):
    try:
        n = 1
        n = 1 / x
        n = 2
    except ZeroDivisionError:
        n = 3
    return n
"""


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (TEST, (0, 1), (1, 1)),
        (TEST, (1, 1), (0, 1)),  # where nothing stands
        (LOOP, (0, 1), (0, 2)),  # a second trip
        (LOOP, (0, 2), (0, 0)),  # none
        (WHILE, (0, 1), (0, 2)),
        (WHILE, (0, 2), (0, 0)),
        (CHOICE, (0, 1), (1, 1)),
        (CHOICE, (1, 1), (0, 1)),
        (BOTH, (0, 1), (1, 1)),
        (EACH, (1, 0), (1, 1)),
        (TRIED, (0, 1), (1, 1)),
        (TRIED, (1, 1), (0, 1)),
    ],
)
def test_what_is_taken_anew_has_a_mark_of_its_own(text: str, first: Any, second: Any) -> None:
    assert taken(text, *second) - taken(text, *first)
    assert taken(text, *first) == taken(text, *first)


def test_lines_are_those_of_the_text() -> None:
    branches = Branches(TEXT)
    lines = TEXT.split("\n")
    assert all(lines[line - 1].strip() for line in branches.lines)
    code = branches.code("<test>", lambda _: True)["f"]
    assert code.co_firstlineno == 1
    assert {line for _, _, line in code.co_lines() if line} <= set(range(1, len(lines)))


def test_a_text_that_catches_is_known() -> None:
    assert Branches(TRIED).catches
    assert not Branches(LOOP).catches
