"""Random programs: source, tape and differences agree, and every pass preserves meaning.

SRCGRAD_RANDOM_PROGRAMS says how many programs each test draws; `make fuzz` draws 10,000 in all.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import os
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.api.gradient import Gradient
from srcgrad.api.values import conform
from srcgrad.compiler.stages import Stages
from tests.differences import assert_same, copied, numerical_gradient
from tests.properties.programs import programs
from tests.properties.storage import storage_programs
from tests.properties.whole_language import whole_programs

EXAMPLES = int(os.environ.get("SRCGRAD_RANDOM_PROGRAMS", "40"))
every = settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES <= 300,  # the same programs on every run, until more are asked for
    database=None,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
        HealthCheck.data_too_large,
    ],
)
numbers = itertools.count()


def load(text: str, folder: Path) -> ModuleType:
    """Write a program to a file of its own and import it, so that its source can be found."""
    name = f"random_program_{next(numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


KINDS: dict[str, Callable[[float], Any]] = {
    "float": float,
    "NumPy's number": np.float64,
    "array without axes": np.array,
}


def arguments(kind: str = "float") -> tuple[Any, ...]:
    """Return two vectors and one number, of the kind that is said."""
    rng = np.random.default_rng(7)
    return rng.normal(size=4), rng.normal(size=4), KINDS[kind](0.83)


def primal(function: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Return the value; what raises, leaves the floats or grows without bound is no example."""
    try:
        with np.errstate(all="raise"):
            value = function(*args)
    except (ArithmeticError, IndexError, TypeError, UnboundLocalError, ValueError):
        assume(False)
    assume(np.isfinite(value))
    return float(value)


def smooth_gradients(function: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    """Return differences, unless a kink or a branch is so near that they cannot be trusted."""
    found = []
    for argnum in range(3):
        here, above, below = (
            numerical_gradient(function, tuple(_moved(a, step) for a in copied(args)), argnum)
            for step in (0.0, 5e-4, -5e-4)
        )
        assume(np.all(np.isfinite(here)))
        assume(np.max(np.abs(here)) < 1e5)
        assume(np.allclose(above, below, rtol=1e-2, atol=1e-2))
        assume(np.allclose(here, 0.5 * (above + below), rtol=1e-4, atol=1e-4))
        found.append(here)
    return found


def _moved(value: Any, step: float) -> Any:
    """Return a value that is moved a little, of the same type."""
    return np.asarray(value + step) if isinstance(value, np.ndarray) else value + step


def by_source(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what gives value and gradients by source, or None if it refuses."""
    derivative = sg.value_and_grad(function, (0, 1, 2), fallback="error")

    def run(args: tuple[Any, ...]) -> Any:
        try:
            return derivative(*args)
        except sg.UnsupportedError:
            return None

    return run


def by_tape(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what gives value and gradients by the tape, or None if it refuses."""
    signature = inspect.signature(function)

    def run(args: tuple[Any, ...]) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                value, grads = run_on_tape(
                    function, signature, list(signature.parameters), args, {}, aux=False
                )
        except (sg.SrcgradError, RuntimeError):
            return None
        return value, tuple(conform(g, a) for g, a in zip(grads, args, strict=True))

    return run


def check(text: str, folder: Path, tally: Counter[str], kind: str = "float") -> None:
    note(f"{text}\nwith a {kind}")
    module = load(text, folder)
    try:
        function = module.program
        used = arguments(kind)
        value = primal(function, used)
        try:
            expected = smooth_gradients(function, arguments(kind))
        except (ArithmeticError, IndexError, ValueError):
            assume(False)  # a step away it raises
        with pytest.MonkeyPatch.context() as patch:
            if zlib.crc32(text.encode()) % 3:  # two of three do with the text for all shapes
                patch.setattr(Gradient, "_closest", lambda g, plan, *_: plan or g._make_plan())
            for engine in (by_source, by_tape):
                found = check_engine(engine, function, (value, expected, used), kind)
                tally[f"{engine.__name__}: {'right' if found else 'refused'}"] += 1
    finally:
        del sys.modules[module.__name__]


def check_engine(
    engine: Callable[..., Any], function: Callable[..., Any], expected: Any, kind: str
) -> bool:
    """Check one engine twice against value, gradients and used arguments; False if it refuses."""
    value, gradients, used = expected
    note(engine.__name__)
    results = []
    run = engine(function)
    for _ in range(2):
        args = arguments(kind)
        with np.errstate(all="ignore"):  # what is not used may overflow
            found = run(args)
        if found is None:
            return False
        results.append(copied(found))
        assert_same(args, used, 0, 0)  # written into as by the function itself
    assert_same(results[0][0], value, 1e-14 if engine is by_source else 1e-10, 0.0)
    assert_same(results[1], results[0], 0, 0)
    for mine, numeric in zip(results[0][1], gradients, strict=True):
        assert_same(mine, numeric, 1e-4, 1e-4)
    return True


@pytest.mark.slow
def test_random_programs_get_the_right_gradient_or_a_refusal(tmp_path: Path) -> None:
    tally: Counter[str] = Counter()

    @every
    @given(programs(views=False))
    def run(text: str) -> None:
        check(text, tmp_path, tally)

    run()
    assert tally["by_source: right"] > tally["by_source: refused"], tally


@pytest.mark.slow
def test_random_programs_with_views_get_the_right_gradient_or_a_refusal(tmp_path: Path) -> None:
    tally: Counter[str] = Counter()

    @every
    @given(programs(views=True))
    def run(text: str) -> None:
        check(text, tmp_path, tally)

    run()
    assert tally["by_source: right"] > 0, tally


@pytest.mark.slow
@pytest.mark.parametrize("arguments_written", [False, True])
def test_random_programs_of_the_whole_language_get_the_right_gradient_or_a_refusal(
    arguments_written: bool, tmp_path: Path
) -> None:
    tally: Counter[str] = Counter()

    @every
    @given(whole_programs(arguments=arguments_written), st.sampled_from(list(KINDS)))
    def run(text: str, kind: str) -> None:
        check(text, tmp_path, tally, kind)

    run()
    assert tally["by_source: right"] > 0, tally


@pytest.mark.slow
def test_random_programs_that_keep_and_overwrite_get_the_right_gradient_or_a_refusal(
    tmp_path: Path,
) -> None:
    tally: Counter[str] = Counter()

    @settings(every, max_examples=max(EXAMPLES // 4, 1))
    @given(storage_programs(), st.sampled_from(list(KINDS)))
    def run(text: str, kind: str) -> None:
        check(text, tmp_path, tally, kind)

    run()
    assert tally["by_source: right"] > 0, tally


def updates_array_of_two_names(text: str) -> bool:
    """Say whether ``a += v`` writes into an array that `u` names too.

    The passes before reversal say ``a = a + v`` and note on the side that it is in place.
    """
    body = list(ast.walk(ast.parse(text)))
    pairs = {
        name
        for item in body
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Name)
        for name in (getattr(item.targets[0], "id", ""), item.value.id)
    }
    updated = {getattr(item.target, "id", "s") for item in body if isinstance(item, ast.AugAssign)}
    return any(name[:1] not in "st" for name in pairs & updated)


class EnoughError(Exception):
    """The passes before reversal are through."""


class StagesBeforeReversal(Stages):
    """The texts after the passes before reversal; the others are not run."""

    def note(self, name: str, tree: Any) -> None:
        """Keep the text, and stop when the last of them is there."""
        super().note(name, tree)
        if name == "name versions":
            raise EnoughError


@pytest.mark.slow
def test_the_passes_before_reversal_preserve_the_value(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    @every
    @given(programs(views=False))
    def run(text: str) -> None:
        assume(not updates_array_of_two_names(text))
        note(text)
        module = load(text, tmp_path)
        try:
            value = primal(module.program, arguments())
            stages = StagesBeforeReversal(wanted=True)
            try:
                sg.grad(module.program, (0, 1, 2), fallback="error").plan(stages=stages)
            except EnoughError:
                texts = stages.texts
            except sg.UnsupportedError:
                return
            for name in ("flatten", "name versions"):
                note(texts[name])
                names = dict(vars(module))
                exec(texts[name], names)
                assert names["program"](*arguments()) == value
                seen[name] += 1
        finally:
            del sys.modules[module.__name__]

    run()
    assert seen["flatten"] == seen["name versions"] > 0
