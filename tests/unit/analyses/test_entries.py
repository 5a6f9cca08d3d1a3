"""Checks what is known of the entries of lists and dicts."""

from __future__ import annotations

from srcgrad.analyses.entries import Entries
from srcgrad.compiler.doctesting import program_of, text
from srcgrad.ir import gast
from srcgrad.ir.walk import statements

KEPT = """
def f(x):
    kept = {"w": x, "b": 2.0}
    for key in kept:
        kept[key] = x[0]
    kept["b"] = x[1]
    b = kept["b"]
    w = kept["w"]
    return b * w
"""


def read(source: str, name: str) -> list[str]:
    program = program_of(source)
    entries = Entries(program)
    reads = [s for s in statements(program.body) if isinstance(s, gast.Assign)]
    found = next(s for s in reads if getattr(s.targets[0], "id", "") == name)
    return [text([gast.Expr(value)]) for value in entries.read(found) or []]


def test_what_is_kept_under_another_word_is_not_read() -> None:
    assert read(KEPT, "w") == ["x", "x_0"]  # under a key that only the run tells
    assert read(KEPT, "b") == ["2.0", "x_0", "x_1"]
