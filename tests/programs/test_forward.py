"""Checks the tangents of every program: by source where it can be, against differences."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, copied
from tests.programs import test_agreement
from tests.programs.compiled import gradient_of
from tests.programs.corpus import PROGRAMS, Program
from tests.refusals import skip_refused

assert test_agreement.__doc__  # it fills the corpus

every_program = pytest.mark.parametrize(
    "program",
    [p for p in PROGRAMS.values() if p.by != "refused"],
    ids=lambda p: p.name,
)


def random_tangent(value: Any, rng: np.random.Generator) -> Any:
    """Return a random tangent in the structure of a value."""
    if isinstance(value, dict):
        return {key: random_tangent(item, rng) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [random_tangent(item, rng) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, np.ndarray):
        return rng.normal(size=value.shape)
    return float(rng.normal()) if isinstance(value, float) else None


def moved(value: Any, tangent: Any, step: float) -> Any:
    """Return a value moved along its tangent."""
    if isinstance(value, dict):
        return {key: moved(item, tangent[key], step) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [moved(a, b, step) for a, b in zip(value, tangent, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value if tangent is None else value + step * tangent


def directional(program: Program, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """Return the derivative along the tangents by differences of fourth order."""

    def at(step: float) -> Any:
        ends = [a if t is None else moved(a, t, step) for a, t in zip(args, tangents, strict=True)]
        return program.function(*copied(tuple(ends)))

    h = 1e-4
    with np.errstate(all="ignore"):
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def drawn(program: Program, seed: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    args = program.arguments(seed)
    rng = np.random.default_rng(seed + 17)
    tangents = tuple(
        random_tangent(a, rng) if i in program.argnums else None for i, a in enumerate(args)
    )
    return args, tangents


@every_program
def test_tangents_agree_with_differences(program: Program) -> None:
    args, tangents = drawn(program, 0)
    given = tuple(item for item in tangents if item is not None)
    before = copied(given)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", sg.FallbackWarning)
        try:
            value, tangent = sg.jvp(program.function, copied(args), tangents)
        except (sg.SrcgradError, RuntimeError, NotImplementedError) as refusal:
            skip_refused(refusal)
    assert_same(given, before, 0, 0)
    with np.errstate(all="ignore"):
        assert_same(value, program.function(*copied(args)), 1e-12)
    assert np.shape(tangent) == np.shape(value)
    assert_same(tangent, directional(program, args, tangents), 1e-5, 1e-7)


@every_program
def test_tangents_agree_with_gradients(program: Program) -> None:
    """The dot-product test: <gradient, tangent> is the tangent of the value."""
    args, tangents = drawn(program, 1)
    names = list(inspect.signature(program.function).parameters)
    assert names
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", sg.FallbackWarning)
        try:
            _, tangent = sg.jvp(program.function, copied(args), tangents)
            grads = gradient_of(program)(*copied(args))
        except (sg.SrcgradError, RuntimeError, NotImplementedError) as refusal:
            skip_refused(refusal)
    total = sum(dot(grad, tangents[i]) for i, grad in zip(program.argnums, grads, strict=True))
    assert_same(tangent, total, 1e-9, 1e-10)


def dot(grad: Any, tangent: Any) -> Any:
    if isinstance(grad, dict):
        return sum(dot(item, tangent[key]) for key, item in grad.items())
    if isinstance(grad, (list, tuple)):
        return sum(dot(a, b) for a, b in zip(grad, tangent, strict=True))
    return 0.0 if grad is None else np.sum(grad * tangent)
