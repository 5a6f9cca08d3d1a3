"""Numbers that are read back from the text of what varies are found, whatever else is handed on."""

from __future__ import annotations

import pytest

from srcgrad.analyses.texts import numbers_from_texts
from srcgrad.compiler.doctesting import parse, program_of, reader_of

READ = {
    "y = float(str(a))": True,
    "y = float(repr(a).strip())": True,
    "y = int(f'{a:.0f}', 10)": True,
    "y = int('%d' % a, 10)": True,
    "y = int('{:.0f}'.format(a), n)": True,
    "y = eval(str(a), {})": True,
    "y = np.fromstring(f'{a}', float, 1, ' ')": True,
    "y = np.array([str(a)], float)": True,
    "y = np.float64(f'{n}{a}')": True,
    "s = str(a)\ny = float(s)": True,
    "s = [str(a)]\ny = float(s[0])": True,
    "s = []\ns.append(str(a))\ny = float(s[0])": True,
    "s = {1: str(a)}\ny = float(s[1])": True,
    "s = ''\ns += str(a)\ny = int(s, 10)": True,
    "for s in (str(a), '1'):\n    y = float(s)": True,
    "y = float(str(a) if n else '1')": True,
    "y = float(str(n))": False,
    "y = int(f'{n}', 10)": False,
    "y = int('10', len(str(a)))": False,
    "y = float(a)": False,
    "y = len(str(a))": False,
    "y = float(str(a > 0) == 'True')": False,
    "y = float(str(a.shape[0]))": False,
    "s = str(a)\ny = float(n)": False,
}


@pytest.mark.parametrize("lines", READ)
def test_numbers_that_are_read_from_texts_are_found(lines: str) -> None:
    program = program_of("def f(x, n): return x")
    known = {"float": float, "int": int, "str": str, "repr": repr, "len": len, "eval": eval}
    program.reader = reader_of(**known)
    program.body = parse(f"\n{lines}\n")
    assert bool(numbers_from_texts(program, frozenset({"a"}), ())) is READ[lines]
