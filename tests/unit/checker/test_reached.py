"""Checks that what no run of the checker takes is found, and said."""

from __future__ import annotations

from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.checker.reached import MARK, Reached

TEXT = '''\
def f(kind, xs):
    """A text that says:

    if this: that
    """
    total = 0
    for x in xs:
        if kind == "a":  # one
            continue
        elif kind == "b":
            total += g(
                x,
                [1, 2],
            )
            total += 1
        else:
            try:
                total += x
                total += [][0]
                total += 2
            except IndexError:
                total -= 1
        total += 5
    return total


def g(x, ys):
    if x:
        return sum(ys)

    def h():
        return x

    return h()
'''


def _missed(*calls: tuple[Any, ...]) -> list[int]:
    reached = Reached(TEXT, None)
    space: dict[str, Any] = {MARK: reached.note}
    exec(reached.code, space)
    plain: dict[str, Any] = {}
    exec(TEXT, plain)
    for call in calls:
        reached.begin()
        assert space["f"](*call) == plain["f"](*call)
        reached.keep()
    return reached.missed


def test_lines_that_were_not_run_are_found() -> None:
    assert _missed() == []
    assert _missed(("a", [1])) == [11, 12, 13, 14, 15, 17, 18, 19, 20, 22, 23]
    assert _missed(("b", [1])) == [9, 17, 18, 19, 20, 22, 34]
    assert _missed(("b", [0, 1]), ("c", [1])) == [9, 20]
    assert _missed(("b", [0, 1]), ("c", [1]), ("a", [1])) == [20]


def test_a_run_that_is_not_compared_tells_nothing_but_where_it_ends() -> None:
    reached = Reached(TEXT, None)
    space: dict[str, Any] = {MARK: reached.note}
    exec(reached.code, space)
    reached.begin()
    space["f"]("a", [1])
    reached.begin()
    space["f"]("b", [0, 1])
    reached.keep(alone=True)
    assert {6, 9, 11, 23} <= {*reached.missed}
    assert 24 not in reached.missed
    space["f"]("b", [0, 1])
    reached.keep()
    assert reached.missed == [9, 17, 18, 19, 20, 22]


def test_a_text_without_branches_has_no_marks() -> None:
    code = compile("def f(x):\n    return x\n", "<a text>", "exec")
    assert Reached("def f(x):\n    return x\n", code).code is code


def test_a_text_that_cannot_be_marked_is_run_as_it_is() -> None:
    text = "def f(x):\n    match x:\n        case 1:\n            return 2\n    return 3\n"
    reached = Reached(text, None)
    space: dict[str, Any] = {MARK: reached.note}
    exec(reached.code, space)
    assert space["f"](1) == 2


WAY = "sines"


def _by_way(x: Any) -> Any:
    if WAY == "sines":
        return np.sum(np.sin(x))
    return np.sum(x * x)


def _by_value(x: Any) -> Any:
    return np.sum(np.sin(x)) if x[0] > 0.5 else np.sum(x * x)


def test_what_stands_in_lines_that_were_never_run_is_not_called_proven() -> None:
    said = sg.grad(_by_way, fallback="error").explain(np.ones(2)).to_dict()["not_proven"]
    assert said.startswith("what stands in line")
    assert said.endswith("of the text, which the checker never ran")
    assert sg.grad(_by_value, fallback="error").explain(np.ones(2)).to_dict()["not_proven"] == ""
