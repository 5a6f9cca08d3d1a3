"""Checks that generated source, tape and differences agree on every program by source."""

from __future__ import annotations

import inspect
import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.values import conform
from tests.differences import assert_same, copied, numerical_gradient
from tests.programs.compiled import derivative_of, gradient_of
from tests.programs.corpus import Program, programs_by, sample
from tests.refusals import skip_refused

BY_SOURCE = programs_by("source")


def marked(program: Program) -> Any:
    """Return a program as a parameter of a test, which lets NumPy warn if the program makes it."""
    silent = [pytest.mark.filterwarnings("ignore::RuntimeWarning")] if program.warns else []
    return pytest.param(program, marks=silent, id=program.name)


every_program = pytest.mark.parametrize("program", list(map(marked, BY_SOURCE.values())))
OF_SEVERAL = [program for program in BY_SOURCE.values() if len(program.argnums) > 1]


@every_program
def test_source_agrees_with_differences(program: Program) -> None:
    args = program.arguments()
    used = copied(args)
    expected = program.function(*used)
    value, grads = derivative_of(program)(*args)
    assert_same(args, used, 0, 0)  # written into as by the function itself, else untouched
    if value is not None:
        assert_same(value, expected, 1e-12)
    for argnum, grad in zip(program.argnums, grads, strict=True):
        assert_same(grad, numerical_gradient(program.function, program.arguments(), argnum))


@every_program
def test_a_second_call_agrees_and_shares_no_memory(program: Program) -> None:
    derivative = gradient_of(program)
    args = program.arguments(1)
    first = derivative(*args)
    kept, used = copied(first), copied(args)
    arrays = _arrays_in(first)
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))
    _overwrite(derivative(*program.arguments(1)))
    _overwrite(first)
    assert_same(args, used, 0, 0)
    assert_same(derivative(*program.arguments(1)), kept, 0, 0)


def _arrays_in(value: Any) -> list[Any]:
    """Return the arrays of nested containers."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays_in(item)]
    return [value] if isinstance(value, np.ndarray) else []


def _overwrite(value: Any) -> None:
    """Write into every array, which must reach no other result and no input."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            _overwrite(item)
    elif hasattr(value, "fill"):
        value.fill(-7.0)


@pytest.mark.parametrize("program", list(map(marked, sample(OF_SEVERAL, 3))))
def test_each_argument_alone_has_the_same_gradient(program: Program) -> None:
    together = gradient_of(program)(*program.arguments(2))
    for argnum, expected in zip(program.argnums, together, strict=True):
        alone = sg.grad(program.function, argnum, fallback="error")(*program.arguments(2))
        assert_same(alone, expected, 1e-12, 1e-14)


@pytest.mark.parametrize("program", list(map(marked, BY_SOURCE.values()))[::6])
def test_the_text_is_the_same_on_every_compilation(program: Program) -> None:
    one = len(program.argnums) == 1
    again = sg.grad(
        program.function, program.argnums[0] if one else program.argnums, fallback="error"
    )
    derivative = gradient_of(program)
    first = derivative(*program.arguments())  # the text may depend on the arguments
    second = again(*program.arguments())
    assert again.source == derivative.source
    assert_same((second,) if one else second, first, 0, 0)


@every_program
def test_the_tape_agrees_or_refuses(program: Program) -> None:
    args = program.arguments(3)
    value, grads = derivative_of(program)(*program.arguments(3))
    signature = inspect.signature(program.function)
    names = [list(signature.parameters)[i] for i in program.argnums]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            if program.warns:
                warnings.simplefilter("ignore", RuntimeWarning)
            taped, tape_grads = run_on_tape(program.function, signature, names, args, {}, aux=False)
    except sg.SrcgradError as refusal:
        skip_refused(refusal)
    except RuntimeError as refusal:
        if "modified by an inplace operation" not in str(refusal) and (
            "is being modified inplace" not in str(refusal)
        ):
            raise
        skip_refused(refusal)
    if value is not None:
        assert_same(value, taped, 1e-12)
    conformed = [conform(g, args[i]) for g, i in zip(tape_grads, program.argnums, strict=True)]
    for mine, theirs in zip(grads, conformed, strict=True):
        assert_same(theirs, mine, 1e-9, 1e-11)
