"""What joins lists out of lists is written as a list, where it surely is one."""

from __future__ import annotations

import pytest

from srcgrad.compiler.doctesting import reader_of, text
from srcgrad.frontend.joined_rows import join_rows
from srcgrad.ir import gast

ROWS = "a = [[1.0], [2.0]]\n"


def joined(lines: str, *parameters: str) -> str:
    """Return a body with the lists that it joins."""
    body = gast.parse(lines).body
    join_rows(body, reader_of().scope, parameters)
    return text(body)


@pytest.mark.parametrize(
    "lines",
    [
        "b = [row[:] + [3.0] for row in a]",
        "b = []\nfor row, v in zip(a, u):\n    b.append(row + [v])",
        "a[0], a[1] = a[1], a[0]\nb = a[0] + [1.0]",
        "c = a[1:]\nb = c[0].copy() + list(u)\nd = [v + [1.0] for v in c]",
        "a.append([3.0])\nb = a[i] + [v for v in u]",
        "b = [[4.0] + row + [5.0] for _, row in enumerate(a)]",
    ],
)
def test_rows_that_are_lists_are_joined(lines: str) -> None:
    assert "*" in joined(ROWS + lines)


@pytest.mark.parametrize(
    "lines",
    [
        "a[1] = x\nb = a[1] + [1.0]",
        "a.append(x)\nb = [row + [1.0] for row in a]",
        "c = a\nc[0] = x\nb = [row + [1.0] for row in a]",
        "fill(a)\nb = [row + [1.0] for row in a]",
        "a[:] = x\nb = [row + [1.0] for row in a]",
        "a += [x]\nb = [row + [1.0] for row in a]",
        "if x:\n    a = x\nb = [row + [1.0] for row in a]",
        "for row in a:\n    row = row * 2.0\n    b = row + [1.0]",
        "b = [row + x for row in a]",
        "b = [row + [1.0] for row in x]",
    ],
)
def test_what_may_be_an_array_is_left(lines: str) -> None:
    assert "*" not in joined(ROWS + lines.replace("* 2.0", "/ 2.0"), "x")


def test_a_parameter_that_gets_rows_may_be_anything_before() -> None:
    assert "*" not in joined("a = [[1.0]]\nb = [row + [1.0] for row in a]", "a")
