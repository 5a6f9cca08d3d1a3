"""Checks programs over a batch against a loop over the examples, on programs of every kind."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import copied
from tests.programs import test_agreement
from tests.programs.corpus import PROGRAMS, Program, sample
from tests.refusals import skip_refused

assert test_agreement.__doc__  # it fills the corpus

STEP = int(os.environ.get("SRCGRAD_BATCHED_PROGRAMS_STEP", "9"))  # 1 for all of them
EXAMPLES = 3
RAISE = ("short_circuits", "short_circuit_guards_an_index")  # an index that a test of each guards

some_programs = pytest.mark.parametrize(
    "program",
    sample((p for p in PROGRAMS.values() if not p.name.endswith(RAISE)), STEP),
    ids=lambda p: p.name,
)


def together(parts: list[Any]) -> Any:
    """Return values of examples as one, with the examples along the first axis."""
    first = parts[0]
    if isinstance(first, dict):
        return {key: together([part[key] for part in parts]) for key in first}
    if isinstance(first, (list, tuple)):
        columns = [together(list(column)) for column in zip(*parts, strict=True)]
        return type(first)(*columns) if hasattr(first, "_fields") else type(first)(columns)
    return np.stack(parts)


def one(value: Any, number: int) -> Any:
    """Return one example of a batch."""
    if isinstance(value, dict):
        return {key: one(item, number) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [one(item, number) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value[number]


def assert_alike(found: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key in wanted:
            assert_alike(found[key], wanted[key])
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_alike(a, b)
    else:
        assert np.shape(found) == np.shape(wanted)
        assert np.asarray(found).dtype.kind == np.asarray(wanted).dtype.kind
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11)


def compare(function: Any, program: Program) -> None:
    """Compare a function over a batch with a loop; leave a test out where that is refused."""
    try:
        compare_or_refuse(function, program)
    except sg.NotBatchedError as refusal:
        skip_refused(refusal)


def compare_or_refuse(function: Any, program: Program) -> None:
    """Compare a function over a batch with a loop.

    Raises:
        NotBatchedError: It is refused.
    """
    axes = tuple(None if kind in ("n", "l", "k") else 0 for kind in program.kinds)
    drawn = [program.arguments(seed) for seed in range(EXAMPLES)]
    args = tuple(
        drawn[0][i] if axis is None else together([given[i] for given in drawn])
        for i, axis in enumerate(axes)
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        given = copied(args)
        found = sg.vmap(function, axes, fallback="error")(*given)
        kept, results = copied(args), []
        for number in range(EXAMPLES):
            parts = zip(kept, axes, strict=True)
            results.append(function(*[v if a is None else one(v, number) for v, a in parts]))
    assert_alike(found, together(results))
    assert_alike(given, kept)  # what a loop over views leaves in the arguments


@some_programs
def test_a_batch_agrees_with_a_loop(program: Program) -> None:
    compare(program.function, program)


@pytest.mark.parametrize(
    "name",
    [
        "basics.polynomial",
        "basics.matrix_product",
        "basics.inner_product",
        "basics.scalar_arithmetic",
        "basics.broadcasting_bias",
    ],
)
def test_gradients_of_each_example_agree_with_a_loop(name: str) -> None:
    program = PROGRAMS[name]
    compare(sg.grad(program.function, program.argnums[0], fallback="error"), program)


some_gradients = pytest.mark.parametrize(
    "program",
    sample(
        (
            p
            for p in PROGRAMS.values()
            if p.by == "source" and p.argnums and not p.name.endswith(RAISE)
        ),
        5 * STEP,
    ),
    ids=lambda p: p.name,
)


@some_gradients
def test_gradients_of_programs_agree_with_a_loop(program: Program) -> None:
    compare(sg.grad(program.function, program.argnums[0], fallback="error"), program)


def test_few_programs_are_refused() -> None:
    arithmetic = [p for p in PROGRAMS.values() if p.name.startswith("basics.")]
    right = 0
    for program in arithmetic:
        try:
            compare_or_refuse(program.function, program)
        except sg.NotBatchedError:
            continue
        right += 1
    assert right >= len(arithmetic) - 2


def test_the_text_is_the_same_whatever_the_hashes() -> None:
    lines = ["from tests.programs.test_batched import PROGRAMS", "from tests.text import ledger"]
    lines += ["print(ledger.batched(PROGRAMS['exits.return_from_a_while_in_a_for']))"]
    script = "\n".join(lines)
    texts = set()
    for seed in ("0", "1", "5"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        texts.add(done.stdout)
    assert len(texts) == 1
