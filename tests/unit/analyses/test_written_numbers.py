"""Numbers that a program writes out are told from what may have memory."""

from __future__ import annotations

import pytest

from srcgrad.analyses.written_numbers import written_numbers
from srcgrad.compiler.doctesting import program_of


def found(lines: str) -> set[str]:
    """Return the names of numbers in a program of some lines, by the user's names."""
    body = "\n".join(f"    {line}" for line in lines.splitlines())
    program = program_of(f"def f(x):\n{body}\n    return x")
    return {program.namer.base(name) for name in written_numbers(program)}


USED = """
    v = k
    v *= x[0]
    x = x * v"""


@pytest.mark.parametrize(
    "table",
    [
        "t = [('a', 1.5), ('b', -2)]\nfor s, k in t:",
        "t = {'a': ('b', 1.5)}\nfor s in t:\n    to, k = t[s]",
        "t = (0.5, 1.5)\nfor i in range(2):\n    k = t[i]",
        "t = [[0, 1, 0.5], [1, 2, 0.25]]\nfor i, j, k in t:",
        "t = [(('a', 'b'), 1.5)]\nfor s, n in t:\n    k = n",
    ],
)
def test_numbers_of_tables(table: str) -> None:
    assert "k" in found(table + USED)


@pytest.mark.parametrize(
    "table",
    [
        "t = [('a', 1.5), ('b', x)]\nfor s, k in t:",
        "t = [('a', 1.5)]\nt.append(x)\nfor s, k in t:",
        "t = [['a', 1.5]]\nt[0][1] = x\nfor s, k in t:",
        "t = [('a', 1.5)]\nprint(t)\nfor s, k in t:",
        "t = [('a', x[:1])]\nfor s, k in t:",
    ],
)
def test_what_may_be_something_else(table: str) -> None:
    assert "k" not in found(table + USED)
