"""Runs the rules on an array that refuses what CuPy refuses: copies, mixing, missing names."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad
from srcgrad.rules.library import canonical_name
from tests.doubles.cupy_gaps import HOST, lacks
from tests.doubles.foreign import Foreign, ForeignError
from tests.unit.rules.opspec import Call, Loss, OpSpec, leaves
from tests.unit.rules.specs import SPECS

FOLDER = Path(srcgrad.__file__).parent

GAPS = {
    "numpy.linalg.det(*": "asks whether a matrix is singular: one number is copied, as CuPy allows",
}
"""Calls whose rules copy from a device, by patterns of their labels, with the reason."""


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the array be that of CuPy, as far as anything asks which library owns it."""
    cupy: Any = types.ModuleType("cupy")
    cupy.ndarray = Foreign
    cupy.asarray = lambda value: Foreign(np.array(value))
    monkeypatch.setitem(sys.modules, "cupy", cupy)


def on_arrays(spec: OpSpec) -> bool:
    """Say whether a call of NumPy varies arrays, not numbers alone."""
    name = canonical_name(spec.fn)
    if not name.startswith(("numpy.", "srcgrad.")) or ".scipy." in name:
        return False
    args, kwargs, active = spec.make_args(np.random.default_rng(0))
    varied = [kwargs[key] if isinstance(key, str) else args[key] for key in active]
    return all(isinstance(leaf, np.ndarray) for leaf in leaves(varied))


def away(value: Any) -> Any:
    """Return a value with its arrays on the device."""
    if isinstance(value, np.ndarray):
        return Foreign(value.copy())
    if isinstance(value, (list, tuple)):
        return type(value)(away(item) for item in value)
    return value


def host(value: Any) -> Any:
    """Return a value with its arrays back."""
    if isinstance(value, (list, tuple)):
        return type(value)(host(item) for item in value)
    return value._host if isinstance(value, Foreign) else value


def gap(spec: OpSpec) -> bool:
    return any(fnmatchcase(spec.label, pattern) for pattern in GAPS)


def label(spec: OpSpec) -> str:
    return spec.label


CALLS = [spec for spec in SPECS if on_arrays(spec) and not gap(spec)]


@pytest.mark.parametrize("spec", CALLS, ids=label)
def test_a_rule_runs_on_a_device(spec: OpSpec) -> None:
    args, kwargs, active = spec.make_args(np.random.default_rng(0))
    call = Call.of(spec, args, kwargs, active)
    grads = Loss(spec, call.output, np.random.default_rng(1)).grads(call.output)
    expected = call.backward(grads)
    remote = {key: away(value) for key, value in kwargs.items()}
    try:
        there = Call.of(spec, [away(arg) for arg in args], remote, active)
    except (ForeignError, TypeError, AttributeError, ValueError) as refusal:
        pytest.skip(f"the function itself does not run there: {refusal}")
    seeds = tuple(None if grad is None else away(np.asarray(grad)) for grad in grads)
    for mine, theirs in zip(there.backward(seeds), expected, strict=True):
        for part, right in zip(leaves(host(mine)), leaves(theirs), strict=True):
            np.testing.assert_allclose(part, right, rtol=1e-9, atol=1e-12)


def calls_of_numpy(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls ``np.name(...)`` of a file outside of `forward`, which are the user's own."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    forwards = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "forward"]
    skipped = {id(inner) for node in forwards for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and id(node) not in skipped:
            func = node.func
            if isinstance(func, ast.Attribute) and getattr(func.value, "id", "") == "np":
                yield func.attr, node


FILES = sorted((FOLDER / "rules").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rules_emit_names_and_keywords_of_cupy(path: Path) -> None:
    for name, call in calls_of_numpy(path):
        where = f"np.{name} in line {call.lineno}"
        assert not lacks(name), where
        assert name not in HOST, f"{where} makes an array on the host"
        for keyword in call.keywords:
            assert keyword.arg is None or not lacks(name, keyword.arg), (where, keyword.arg)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda x: float(x[0]),
        lambda x: np.ones(3) * x,
        np.asarray,
        lambda x: np.zeros(3).__setitem__(0, x[0]),
        lambda x: x if np.sum(x) > 0 else -x,
        lambda x: np.sum(x, where=x > 0),
        lambda x: np.concatenate([x, np.ones(2)]),
        lambda x: np.vecdot(x, x),
        lambda x: x[np.array([0, 1])],
    ],
)
def test_the_double_refuses_what_a_device_refuses(mistake: Any) -> None:
    with pytest.raises((ForeignError, ValueError)):
        mistake(Foreign(np.ones(3)))
