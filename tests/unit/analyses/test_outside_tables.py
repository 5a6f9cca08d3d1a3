"""Tables of the module hold numbers as long as nobody that the program runs stores into them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.analyses.outside_tables import outside_tables
from srcgrad.compiler.doctesting import program_of

MODULE = """
TABLE = [1.0, 2.0]
ROWS = [(1.0, 2.0), [3.0]]
MIXED = [1.0, np.ones(2)]
EMPTY = []
LONG = [1.0] * 500

def read():
    return TABLE[1]

def store(x):
    TABLE[0] = x

"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x * TABLE[0]", {"TABLE[*]": "number"}),
        ("return x * ROWS[0][1]", {"ROWS[*][*]": "number"}),
        ("return x * MIXED[0] + len(EMPTY) + LONG[3]", {}),
        ("y = [x]; y[0] = x * TABLE[0]; return y[0]", {"TABLE[*]": "number"}),
        ("TABLE[0] = x; return TABLE[0] * 2", {}),
        ("TABLE.append(x); return TABLE[-1] * 2", {}),
        ("return x * TABLE[0] * read()", {"TABLE[*]": "number"}),
        ("store(3.0); return x * TABLE[0]", {}),
        ("TABLE = [x]; return x * TABLE[0]", {}),
    ],
)
def test_what_is_taken_for_a_table(body, expected) -> None:
    lines = "".join(f"    {line.strip()}\n" for line in body.split(";"))
    program = program_of(f"{MODULE}def f(x):\n{lines}")
    assert outside_tables(program) == expected


COEFFICIENTS = [1.0, 2.0, 0.5]
FACTORS = [[1.0, 2.0], [0.5, 3.0]]


def polynomial(s, x):
    total = 0.0
    for c in COEFFICIENTS:
        total = total * s + c * s
    return np.sum(total) * x


def shifted(x):
    return np.sum(x + FACTORS[0][1])


def slope(f, s, *more):
    return (f(s + 1e-6, *more) - f(s - 1e-6, *more)) / 2e-6


def test_each_call_sees_what_a_table_holds_by_then(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "COEFFICIENTS", [1.0, 2.0])
    grad = sg.grad(polynomial)
    for _ in range(3):
        assert grad(1.5, 2.0) == pytest.approx(slope(polynomial, 1.5, 2.0))
    for entries in ([np.ones(3), np.ones(3)], [0.5, 1.5, 2.5], [1.0, np.arange(2.0)], [2]):
        COEFFICIENTS[:] = entries  # the same list
        for _ in range(3):
            assert grad(1.5, 2.0) == pytest.approx(slope(polynomial, 1.5, 2.0))


def test_a_table_that_the_text_does_not_read_is_checked_too(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "FACTORS", [[1.0, 2.0], [0.5, 3.0]])
    grad = sg.grad(shifted)
    assert grad(1.5) == 1.0
    assert grad(1.5) == 1.0
    FACTORS[0][1] = np.ones(4)
    assert grad(1.5) == 4.0
    assert grad(1.5) == 4.0
