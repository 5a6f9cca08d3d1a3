"""Which names have tangents, and which of them may lie in memory that is written."""

from __future__ import annotations

import pytest

from srcgrad.analyses.mirroring import mirroring
from srcgrad.compiler.doctesting import program_of

PLACED = "a = [x, y]\n    i = n\n    "
VIEWED = "a = np.zeros(3)\n    b = a[1:]\n    "
FOUND = {
    PLACED + "a.insert(i, x)\n    b = a[0]": ("a b out x y", "a b x y"),
    PLACED + "a.append(y)\n    b = a[i]": ("a b out x y", "a b x y"),
    PLACED + "a[i] = y\n    b = a[0]": ("a b out x y", "a b x y"),
    VIEWED + "i = n\n    b[i] = x[0]": ("a b out x x_0", "a b"),
    VIEWED + "a[n] = x[0]": ("a b out x x_0", "a b"),
    VIEWED + "a[n] = 1.0\n    c = b * x\n    b = c": ("b_2 c out x", "a b"),
    VIEWED + "a[n] = 1.0": ("", "a b"),
    "a = np.zeros(3)\n    b = a * x\n    a[0] = 1.0": ("b out x", "a"),
    "a = np.zeros(3)\n    np.add.at(a, n, x)\n    b = a[0]": ("a b out x", "a b"),
    "a = {n: x}\n    b = a[n]\n    b[0] = 2.0": ("a b out x", "a b x"),
    "a = x.copy()\n    b = a\n    b[0] = y[0]": ("a b out x", "a b"),
}
"""Names that vary and lead to the result, and names of memory that may be written."""


@pytest.mark.parametrize("lines", FOUND)
def test_names_that_mirror_others_are_found(lines: str) -> None:
    program = program_of(f"\ndef f(x, y, n):\n    {lines}\n    return np.sum(b)\n", "x")
    found = mirroring(program, program.outputs)
    assert (" ".join(sorted(found.active)), " ".join(sorted(found.written))) == FOUND[lines]
