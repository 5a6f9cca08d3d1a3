"""Functions without a rule are refused by name, at the user's line, by both engines."""

from __future__ import annotations

import inspect
import warnings
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from scipy import special

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from tests.unit.rules.coverage_page import public_names
from tests.unit.rules.public_names import members

STEP = 7
X = np.array([[1.5, 0.2, 0.1], [0.2, 2.5, 0.3], [0.1, 0.3, 3.5]])


def unwritten() -> list[tuple[str, Any]]:
    found = []
    for module, kinds in public_names().items():
        if module.startswith("numpy.polynomial"):
            continue  # these are followed, and take more arguments
        values = members(module)
        names = [name for name in kinds["not yet"] if name != "set_workers"]  # a context manager
        found += [(f"{module}.{name}", values[name]) for name in names]
    return [(name, getattr(value, "pdf", getattr(value, "pmf", value))) for name, value in found]


SAMPLE = unwritten()[::STEP]
LOUD = (AttributeError, TypeError, ValueError, RuntimeError)  # as a plain array raises, too
WAYS_OUT = ("Function", "np.where", "keep an array")


def program_of(function: Any) -> Any:
    def program(x: Any) -> Any:
        return np.sum(function(x))

    return program


@pytest.mark.parametrize("function", [v for _, v in SAMPLE], ids=[name for name, _ in SAMPLE])
def test_what_is_not_written_yet_is_refused_by_name(function: Any) -> None:
    program = program_of(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(sg.UnsupportedError) as by_source:
            sg.grad(program, fallback="error")(X)
        with pytest.raises((sg.SrcgradError, *LOUD)) as on_tape:
            run_on_tape(program, inspect.signature(program), ("x",), (X,), {}, aux=False)
    assert by_source.value.span is not None
    assert by_source.value.span.file == __file__
    assert any(way in by_source.value.hint for way in WAYS_OUT)
    if isinstance(function, FunctionType) and function.__module__.startswith("scipy."):
        assert isinstance(on_tape.value, sg.UnsupportedError)


MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])


def with_global(x: Any) -> Any:
    return np.sum(MASKED * x)


def with_argument(x: Any, masked: Any) -> Any:
    return np.sum(masked * x)


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_masked_arrays_are_refused(fallback: Any) -> None:
    with pytest.raises(sg.SrcgradError, match="masked"):
        sg.grad(with_global, fallback=fallback)(np.ones(3))
    with pytest.raises(sg.SrcgradError, match="masked"):
        sg.grad(with_argument, fallback=fallback)(np.ones(3), MASKED)


def confluent(x: Any, a: Any) -> Any:
    return np.sum(special.hyp1f1(a, 1.2, x) ** 2)


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_an_argument_without_a_derivative_is_refused_and_not_0(fallback: Any) -> None:
    with pytest.raises(sg.MissingRuleError):
        sg.grad(confluent, (0, 1), fallback=fallback)(X, 0.8)
    assert np.any(sg.grad(confluent, fallback=fallback)(X, 0.8))
