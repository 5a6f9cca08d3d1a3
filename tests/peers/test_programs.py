"""Compares the corpus with HIPS autograd and JAX, where they can run a program.

A program's module is read once more with the peer's NumPy in the place of NumPy. Many programs are
beyond a peer (JAX has no writes, autograd does not see them), which skips them with its own words;
where a peer gives another number without a word, finite differences must side with us.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.differences import assert_same, copied, numerical_gradient
from tests.programs.compiled import gradient_of
from tests.programs.corpus import Program, every_program

pytestmark = [pytest.mark.peers, pytest.mark.slow]

NUMPY = {"autograd": "autograd.numpy", "jax": "jax.numpy"}
PROGRAMS = every_program()
# JAX dispatches each operation at some cost: programs from science, and the basic ones
FOR_JAX = {
    name: item
    for name, item in PROGRAMS.items()
    if name.partition(".")[0] in ("basics", "realistic", "simulations", "inference")
}


@functools.cache
def module_of(path: str, peer: str) -> Any:
    """Return a module of programs over the peer's NumPy."""
    pytest.importorskip(peer)
    if peer == "jax":
        importlib.import_module("jax").config.update("jax_enable_x64", True)
    text = Path(path).read_text(encoding="utf-8")
    text = text.replace("import numpy as np", f"import {NUMPY[peer]} as np")
    module = types.ModuleType(f"over_{peer}_{Path(path).stem}")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    module.__dict__["__file__"] = path
    text = text.replace("from tests.programs.corpus import program", _NO_PROGRAM)
    text = text.replace("np.random.", "__import__('numpy').random.")
    exec(compile(text, path, "exec"), module.__dict__)
    return module


_NO_PROGRAM = "program = lambda *kinds, **marks: lambda function: function"


def by_peer(program: Program, peer: str) -> Any:
    """Return the peer's gradients, or skip with what it says."""
    try:
        module = module_of(program.function.__code__.co_filename, peer)
        function = getattr(module, program.function.__name__)
        grad = importlib.import_module(peer).grad
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return grad(function, program.argnums)(*copied(program.arguments()))
    except pytest.skip.Exception:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a peer cannot do
        pytest.skip(f"{peer}: {type(error).__name__}: {str(error)[:80]}")


def check(program: Program, peer: str) -> None:
    theirs = by_peer(program, peer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = gradient_of(program)(*program.arguments())
    try:
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(_plain(other), _plain(mine), 1e-8, 1e-9)
    except AssertionError:
        with np.errstate(all="ignore"):  # what a program computes and does not select
            for argnum, mine in zip(program.argnums, ours, strict=True):
                numeric = numerical_gradient(program.function, program.arguments(), argnum)
                assert_same(mine, numeric)
        pytest.skip(f"{peer} gives another gradient; finite differences agree with ours")


def _plain(value: Any) -> Any:
    """Return gradients as plain arrays in plain containers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_plain(item) for item in value)
    return np.asarray(value)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_autograd_agrees(program: Program) -> None:
    if program.by == "refused":
        pytest.skip("refused by us")
    check(program, "autograd")


@pytest.mark.parametrize("program", FOR_JAX.values(), ids=list(FOR_JAX))
def test_jax_agrees(program: Program) -> None:
    if program.by == "refused":
        pytest.skip("refused by us")
    check(program, "jax")
