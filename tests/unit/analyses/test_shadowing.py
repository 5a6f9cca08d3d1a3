"""Which names may be bound to lists and tuples of the program, into which nothing is stored."""

from __future__ import annotations

import pytest

from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.shadowed import NotShadowedError
from srcgrad.analyses.shadowing import Shadowing
from srcgrad.analyses.shapes import Shapes
from srcgrad.compiler.doctesting import parse, program_of

DISPLAYS = {
    "b = np.zeros(3)": False,
    "b = x": False,
    "b = [x, x]": True,
    "b = (x, x)": True,
    "c = [x, x]\nb = c": True,
    "c = x\nb = c": False,
    "b = x\nif n:\n    b = [x]": True,
    "for b in x:\n    pass": True,
    "b, c = np.zeros(2), np.zeros(2)": True,  # which no normal form is
    "c = [x, x]\nb, d = c": False,
    "e = [1.0, 2.0]\nc = [x, e]\nb, d = c": True,
    "e = [1.0, 2.0]\nc = [e, x]\nb, d = c": True,
    "e = [1.0, 2.0]\nc = [e, e]\nb, d = c": True,
    "c = [np.zeros(2), np.ones(2)]\nb, d = c": False,
    "c = [np.zeros(2), [1.0, 2.0]]\nb, d = c": True,
    "c = [np.zeros(2) for i in range(2)]\nb, d = c": False,
    "c = [x, x]\ne = c\nb, d = e": False,
    "e = (x, x)\nc = [e, e]\nb, d = c": True,
    "c = np.split(x, 2)\nb, d = c": True,
    "b = c\nc = b": False,
    "c = [c, x]\nb, d = c": True,
    "c = x[0]\nb = c": False,
    "c = [x, x]\nb = c[0]": False,
}


MAKERS = {
    "b = x": "copy",
    "b = None": "nothing",
    "b = 2.0": "number",
    "b = [x, x]": "display",
    "b = np.reshape(x, 3)": "maybe",
    "b = np.reshape(x[0], 3)": None,
    "b = np.reshape([x, x], 3)": None,
    "b = np.reshape(x * 2, 3)": None,
    "b = np.transpose(x)": "view",
    "b = np.transpose([x, x])": None,
    "b = x[1:]": "view",
    "b = x[0]": "maybe",
    "b = x[0, 1:]": "view",
    "b = (x * 2)[1:]": None,
    "b = x.T": "view",
    "b = np.where(n, x, x)": "either",
    "b = np.reshape(x, 3, order='F')": "either",
    "b = np.ravel(x, 'F')": "either",
    "b = np.ravel(x)": "maybe",
}
"""How each makes its name, if what it gives may lie in the memory of `x`; None: nobody knows."""


def _shadowing(lines: str) -> Shadowing:
    program = program_of("def f(x, n): return x")
    program.body = parse(f"\n{lines}\n")
    integers = Integers(program)
    shapes = Shapes(program, integers)
    dimensions = Dimensions(program, integers, shapes, assume=True)
    return Shadowing(program, dimensions, integers, lambda _: [], set(), shapes.is_number)


@pytest.mark.parametrize("lines", DISPLAYS)
def test_names_of_lists_and_tuples_are_told(lines: str) -> None:
    assert _shadowing(lines)._shown.may_be_shown("b") is DISPLAYS[lines]


@pytest.mark.parametrize("lines", MAKERS)
def test_how_names_are_made_is_told(lines: str) -> None:
    shadowing = _shadowing(lines)
    shadowing._shared = lambda _: ["x"]
    (statement,) = shadowing._program.body
    if MAKERS[lines] is None:
        with pytest.raises(NotShadowedError):
            shadowing.maker(statement)
    else:
        assert shadowing.maker(statement) == MAKERS[lines]
