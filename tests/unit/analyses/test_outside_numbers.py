"""Lists, dicts and arrays of the module hold numbers as long as numbers are put into them."""

from __future__ import annotations

import pytest

from srcgrad.analyses.integers import Integers
from srcgrad.analyses.outside_numbers import OutsideNumbers
from srcgrad.analyses.shapes import Shapes
from srcgrad.compiler.doctesting import parse, program_of
from srcgrad.ir.program import Program

MODULE = """
HELD = [1.0, 2.0]
TABLE = {"a": 1.0}
ROWS = [np.ones(2), np.ones(2)]
ARRAY = np.zeros(3)
GRID = np.zeros((2, 3))
WHOLE = np.zeros(3, int)
MIXED = [1.0, "a"]
SEEN = [1.0]
NAMED = SEEN


def f(x, n: int):
    other = NAMED[0]
"""
HOLDS = {
    "HELD": [
        "HELD.append(1.0)",
        "HELD.append(np.sum(x))",
        "HELD.append(HELD[0])",
        "HELD.append(HELD[0] + 1.0)",
        "HELD.pop()",
        "a = HELD.pop()",
        "HELD[0] = 2.0",
        "HELD[0] = HELD[1]",
        "HELD[0] += 1.0",
        "HELD[0] += np.sum(x)",
        "a = HELD[1]\n    HELD[0] = a",
        "a, b = HELD[0], x\n    HELD[0] = a",
    ],
    "TABLE": [
        "TABLE['a'] = 2.0",
        "TABLE['b'] = TABLE['a'] * 2.0",
        "TABLE['a'] = TABLE.get('a', 0.0) + 1.0",
    ],
    "ARRAY": [
        "ARRAY[0] = 1.0",
        "ARRAY[:] = x",
    ],
    "GRID": [
        "GRID[0] = x",
    ],
}
HOLDS_NOT = {
    "HELD": [
        "HELD.append(x)",
        "HELD.append(HELD[0] + x)",
        "HELD.append(ROWS[0])",
        "HELD.append(ROWS[0] + HELD[0])",
        "HELD[0] = ROWS[1]",
        "HELD[0] = x",
        "HELD[0] += x",
        "a = ROWS[1]\n    HELD[0] = a",
        "a = HELD[1]\n    if n:\n        a = x\n    HELD[0] = a",
        "a, b = ROWS\n    HELD[0] = a",
        "for a in ROWS:\n        HELD[0] = a",
        "a = HELD\n    a[0] = 2.0",
    ],
    "TABLE": [
        "TABLE['b'] = HELD[0]",
        "TABLE['a'] = TABLE.get('a', x) + 1.0",
        "TABLE['a'] = TABLE.get('a', 0.0) + x",
    ],
    "ROWS": [
        "ROWS[0] = 1.0",
        "ROWS.append(x)",
    ],
    "WHOLE": [
        "WHOLE[0] = 1",
    ],
    "MIXED": [
        "MIXED.append(1.0)",
    ],
    "SEEN": [
        "SEEN.append(1.0)",
    ],
}
READS = {
    "HELD[n]": True,
    "HELD[0]": True,
    "HELD[1:]": False,
    "TABLE['a']": True,
    "ROWS[n]": False,
    "ARRAY[n]": True,
    "ARRAY[x]": False,
    "ARRAY[:n]": False,
    "GRID[n]": False,
    "GRID[n, 0]": True,
    "GRID[n, :1]": False,
    "ARRAY[n, 0]": False,
    "x[0]": False,
}


def _found(lines: str) -> tuple[OutsideNumbers, Program]:
    program = program_of(f"import numpy as np\n{MODULE}    {lines}\n    return np.sum(x) + other\n")
    program.given["n"] = "int"
    integers = Integers(program)
    return OutsideNumbers(program, integers, Shapes(program, integers).is_number), program


@pytest.mark.parametrize(("name", "lines"), [(n, line) for n in HOLDS for line in HOLDS[n]])
def test_what_numbers_alone_are_put_into_holds_numbers(name: str, lines: str) -> None:
    assert _found(lines)[0].holds(name)


@pytest.mark.parametrize(("name", "lines"), [(n, line) for n in HOLDS_NOT for line in HOLDS_NOT[n]])
def test_what_others_are_put_into_may_hold_others(name: str, lines: str) -> None:
    assert not _found(lines)[0].holds(name)


@pytest.mark.parametrize("part", READS)
def test_parts_of_such_are_numbers_where_each_axis_has_its_place(part: str) -> None:
    found, program = _found("pass")
    program.body = parse(f"a = {part}\nb = {part}\nb = x\nc, d = {part}\nn = {part}\n")
    read = program.body[0].value
    assert found.reads_number(read) is READS[part]
    assert found.numbers_read == ({"a", "c", "d"} if READS[part] else set())
