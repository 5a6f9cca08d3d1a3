"""Plain programs on the tape, the compiler put aside, against differences."""

from __future__ import annotations

import copy
import inspect
import math
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.values import conform
from tests.differences import assert_same, numerical_gradient
from tests.tape.programs import aliases, codes, methods, options, pieces, values
from tests.tape.programs.corpus import PROGRAMS

MODULES = (values, codes, aliases, methods, options, pieces)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plain_program_has_the_value_and_the_gradient_of_differences(name: str) -> None:
    program = PROGRAMS[name]
    function: Any = program.function
    signature = inspect.signature(function)
    names = list(signature.parameters)[: len(program.args)]
    before = [dict(vars(module)) for module in MODULES]
    args, plain = copy.deepcopy(program.args), copy.deepcopy(program.args)
    value, grads = run_on_tape(function, signature, names, args, {}, aux=False)
    expected = function(*plain)
    assert type(value) is type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    assert_same(args, plain, 1e-12)
    for number, grad in enumerate(grads):
        slope = numerical_gradient(program.like, copy.deepcopy(program.args), number)
        assert_same(conform(grad, program.args[number]), slope, 1e-6, 1e-6)
    for module, names_before in zip(MODULES, before, strict=True):
        assert all(vars(module)[key] is item for key, item in names_before.items() if key != "GV")


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x, y: math.acos(np.clip(float(x), -1, 1)) * y, 1.6),
        (lambda x, y: math.asin(np.clip(float(x), -1, 1)) * y, -1.6),
        (lambda x, y: math.sqrt(np.clip(float(x), 0, 1)) * y, -1.6),
    ],
)
def test_edges_of_domains_behind_a_clip_have_no_slope(f, at):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sg.grad(f, argnums=(0, 1), fallback="tape")(at, 2.0)
    assert found[0] == 0.0
    np.testing.assert_allclose(found[1], f(at, 1.0))
