"""Checks gradients of the models that are measured: by source and compiled."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from bench.kernels import fitting, simulations
from bench.kernels.model import Model
from bench.kernels.table import copied
from srcgrad.targets.loops.border import differs
from tests.differences import numerical_gradient

pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0
MODELS = (*fitting.MODELS, *simulations.MODELS)


def _gradient(model: Model, **how: Any) -> Any:
    return sg.grad(model.function, model.argnums, **how)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_gradient_by_source_is_that_of_differences(model: Model) -> None:
    args = model.arguments(model.small)
    found = _gradient(model, fallback="error")(*copied(args))
    nums, found = (model.argnums, found) if type(found) is tuple else ((model.argnums,), (found,))
    for place, gradient in zip(nums, found, strict=True):
        expected = numerical_gradient(model.function, args, place)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(gradient, expected, rtol=1e-7, atol=1e-8 * scale)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_text_is_not_taken_for_wrong(model: Model) -> None:
    gradient = _gradient(model, fallback="error")
    gradient(*model.arguments(model.small))
    assert not gradient._plan.generated.proof.is_doubted


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_the_compiled_gradient_is_that_of_numpy(model: Model) -> None:
    pytest.importorskip("numba", reason="needs Numba")
    args = model.arguments(model.small)
    expected = _gradient(model, fallback="error")(*copied(args))
    compiled = _gradient(model, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        for _ in range(2):
            assert not differs(compiled(*copied(args)), expected)
    assert "@jitted" in compiled.source
