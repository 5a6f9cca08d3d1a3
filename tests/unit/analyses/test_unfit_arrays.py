"""What is said of the elements of arrays is what NumPy makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad.analyses.unfit_arrays import unfit_arrays
from srcgrad.compiler.doctesting import program_of

KINDS = {"i": "integers", "u": "integers", "b": "integers", "O": "objects", "V": "records"}
LINES = [
    "a = np.array([1, 2])\nb = a\nc = b",
    "a = np.array([1.0, 2])\nb = a",
    "a = np.array(3)\nb = np.array(3.0)",
    "a = np.array([1, None])\nb = a\nc = a[:1]",
    "a = np.array([[1, 2], [3, 4]])\nb = a[0]",
    "a = np.array([{}, {}])",
    "a = np.array(None)\nb = np.array([2.0, None])",
    "a = np.array([x[0], 1])\nb = np.array([len(x), 1.5])",
    "a = np.zeros(3, dtype=int)\nb = a[1:]\nc = np.zeros(3)",
    "a = np.zeros((2, 2), int)\nb = np.ones(2, np.float32)",
    "a = np.zeros(2, dtype=object)\nb = a[1:]",
    "a = np.full(3, 2)\nb = np.full(3, 2.0)\nc = np.full(3, None)",
    "a = np.full(3, 2, dtype=float)\nb = np.full(3, 2.5, dtype=int)",
    "a = x.astype(int)\nb = x.astype(float)\nc = x.astype('i8')\nd = x.astype('f4')",
    "a = np.zeros(2, dtype=[('p', float)])\nb = a\nc = b",
    "a = np.array([1, 2])\nb = np.zeros_like(a)\nc = np.reshape(a, (2, 1))\nd = np.zeros_like(x)",
    "a = np.array([1, 2])\nb = np.ones_like(a, dtype=float)\nc = np.copy(a)\nd = np.copy(b)",
    "a = np.array([True, False])\nb = np.array((1, 2))\nc = np.array([(1, 2.0)])",
]


@pytest.mark.parametrize("lines", LINES)
def test_elements_are_told_as_they_are(lines: str) -> None:
    scope: dict[str, Any] = {"np": np, "x": np.array([0.5, 1.5])}
    exec(lines, scope)
    made = {name: scope[name] for name in "abcd" if isinstance(scope.get(name), np.ndarray)}
    body = "".join(f"    {line}\n" for line in lines.split("\n"))
    written = "".join(f"    {name}[0] = x[0]\n" for name in made)
    program = program_of(f"def f(x):\n{body}{written}    return np.sum({' * '.join(made)})\n")
    said = unfit_arrays(program)
    kinds = {name: KINDS.get(item.dtype.kind) for name, item in made.items()}
    assert {name: said.get(name, "").partition(",")[0] or None for name in made} == kinds
