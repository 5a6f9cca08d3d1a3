"""Under the conditions that are found, values are arrays in runs."""

from __future__ import annotations

import itertools
from collections import defaultdict
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from srcgrad.analyses.axes import Axes
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.shapes import Shapes
from srcgrad.compiler.doctesting import parse, program_of, reader_of
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.walk import names_bound, statements

LINES = {
    "a = x": (0,),
    "a = x[1:]": (),
    "a = x[1]": (1,),
    "a = x[-1, 1]": (2,),
    "a = x[0, 1:]": (),
    "a = x[...]": (0,),
    "a = x[None]": (0,),
    "a = x[()]": (0,),
    "a = x.copy()[()]": (0,),
    "b = x.copy()\n    a = b[...]": (),
    "a = x * 2.0": (0,),
    "a = 2.0 * x": (0,),
    "a = np.sin(x)": (0,),
    "a = x.T": (),
    "a = x.copy()": (),
    "a = x.copy() * 2.0": (0,),
    "a = np.transpose(x)": (),
    "a = np.sum(x, 0)": (1,),
    "a = np.sum(x, axis=0)": (1,),
    "a = np.sum(x, -1)": (1,),
    "a = np.sum(x, (0, 1))": (2,),
    "a = np.sum(x, axis=(0, -1))": (2,),
    "a = np.mean(x, 1)": (1,),
    "a = x.sum(1)": (1,),
    "a = x.sum(axis=0)": (1,),
    "a = np.max(x, 0)": (1,),
    "a = np.sum(np.sum(x, 0), 0)": (2,),
    "a = np.sum(x)": None,
    "a = y.tolist()": None,
    "b = np.zeros((3, 4))\n    a = np.floor(x, b)": (),
    "a = np.frexp(x)[0]": None,
    "a = np.sum(x, None)": None,
    "a = np.sum(x, axis=None)": None,
    "a = np.sum(x[1:], 0)": (1,),
    "a = np.ravel(x)": (),
    "a = np.zeros(3)": (),
    "a = np.zeros(())": (),
    "a = np.zeros(()) + 1.0": None,
    "a = np.zeros(3) + 1.0": (),
    "a = np.zeros_like(x)": (),
    "a = np.zeros(x.shape)": (),
    "a = np.zeros(x.shape) + 1.0": (0,),
    "a = np.atleast_1d(x)": (),
    "a = np.array([1.0, 2.0])": (),
    "b = x\n    a = b + 1": (0,),
    "b = x * 2\n    a = b[0]": (1,),
    "a = 1.0": None,
    "b = [x, x * 2]\n    a = b[n]": None,
    "b = {'k': x}\n    a = b['k']": (0,),
    "b = [x, 1.0]\n    a = b[n]": None,
    "a, b = x": (1,),
    "a, b = x, x": (0,),
    "a, b = np.split(x, 2)": (),
    "a = x if n else x * 2": (0,),
    "a = x\n    if n:\n        a = x[0]": (1, 0),
    "a = x\n    for i in range(n):\n        a = a * 2.0": (0,),
    "a = x.copy()\n    for i in range(n):\n        a = a * 2.0": (0,),
    "a = x.T\n    for i in range(n):\n        a = a.T": (),
    "a = x\n    for i in range(n):\n        a = a[0]": None,
    "a = x\n    for i in range(n):\n        a = np.sum(a, 0)": None,
    "a = x\n    for i in range(n):\n        b = a[0]\n        a = b": None,
    "a = x\n    for i in range(n):\n        a = a[1:]": (0,),
    "a = b = x\n    for i in range(n):\n        a, b = b[0], a": None,
}
"""How many axes the argument must have more than; () if it is sure, None if nothing is known."""


def _found(lines: str) -> Any:
    axes, name = _axes(lines)
    return axes.of(name)


def _axes(lines: str, function: Any = None) -> tuple[Axes, str]:
    program = program_of(f"\ndef f(x, n):\n    {lines}\n    return np.sum(a)\n", "x")
    if function is not None:  # which is called in the place of what the text names
        program.reader = reader_of(helper=function)
        program.body[0].value.func = load("helper")
    integers = Integers(program)
    dimensions = Dimensions(program, integers, Shapes(program, integers), assume=False)
    makers: dict[str, list[Any]] = defaultdict(list)
    for statement in statements(program.body):
        if isinstance(statement, gast.Assign):
            for name in (n for target in statement.targets for n in names_bound(target)):
                makers[name].append(statement)
    name = program.body[-2].value.args[0].id
    return Axes(program, dimensions, integers, makers, {}), name


@pytest.mark.parametrize(("function", "said"), [(np.sin, True), (np.frompyfunc(abs, 1, 1), False)])
def test_nothing_is_said_of_what_a_function_without_rule_returns(function: Any, said: bool) -> None:
    axes, name = _axes("a = np.sin(x)", function)
    assert (axes.of(name) is not None) is said


@pytest.mark.parametrize("lines", LINES)
def test_values_are_arrays_where_the_conditions_hold(lines: str) -> None:
    found, wanted = _found(lines), LINES[lines]
    assert found == (None if wanted is None else tuple(f"np.ndim(x) > {n}" for n in wanted))
    space: dict[str, Any] = {"np": np}
    exec(f"def f(x, n):\n    {lines}\n    return a", space)
    for rank, n in itertools.product(range(4), range(3)):
        x = np.ones((2,) * rank)
        if wanted is not None and rank > max(wanted, default=-1):
            with suppress(IndexError, ValueError, TypeError):
                assert isinstance(space["f"](x, n), np.ndarray)


DICTS = {
    "d = {'k': x}": True,
    "d = {}": True,
    "d = [x]": False,
    "d = {'k': x}\n    if n:\n        d = {'k': x * 2}": True,
    "d = {'k': x}\n    if n:\n        d = [x]": False,
    "d = [x]\n    if n:\n        d = {0: x}": False,
    "for d in [{0: x}, {0: x}]:\n        pass": False,
    "d = x": False,
}


@pytest.mark.parametrize("lines", DICTS)
def test_names_that_are_always_dicts_are_told(lines: str) -> None:
    axes, _ = _axes("a = x")
    program = axes._program
    program.body = parse("\n" + lines.replace("\n    ", "\n") + "\n")
    axes._makers = {"d": [s for s in statements(program.body) if _binds(s, "d")]}
    assert axes.is_dict("d") is DICTS[lines]
    assert not axes.is_dict("e")


def _binds(statement: Any, name: str) -> bool:
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return any(target is not None and name in names_bound(target) for target in targets)
