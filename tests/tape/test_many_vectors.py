"""Compares gradients of many vectors in one pass with those of one vector at a time."""

from __future__ import annotations

import inspect
import json
import math
import os
import warnings
from typing import Any

import numpy as np
import pytest

from srcgrad import SrcgradError, autograd, tape
from srcgrad.autograd import functional
from srcgrad.runtime import unbroadcast
from srcgrad.tape import run_plainly, stacked
from srcgrad.tape.ops import require_op
from tests.unit.rules.callers import Caller, callers_of_specs

COUNT = 3
STEP = int(os.environ.get("SRCGRAD_MANY_VECTORS_STEP", "4"))  # 1 for all calls


def recorded(caller: Caller) -> Any:
    """Return a run of a call on the tape."""
    signature = inspect.signature(caller.function)
    names = [*signature.parameters][: len(caller.leaves)]
    bound = signature.bind(*map(np.copy, caller.leaves), *caller.weights)
    return run_plainly(caller.function, bound, names)


def compare(output: Any, inputs: Any) -> None:
    """Compare the gradients of a few vectors in one pass with those of one pass each."""
    seeds = np.random.default_rng(1).normal(size=(COUNT, *output.shape)).astype(output.dtype)
    options = {"retain_graph": True, "allow_unused": True}
    single = [autograd.grad(output, inputs, tape.tensor(seed), **options) for seed in seeds]
    together = autograd.grad(output, inputs, tape.tensor(seeds), is_grads_batched=True, **options)
    for place, many in enumerate(together):
        parts = [row[place] for row in single]
        if many is None:
            assert parts == [None] * COUNT
            continue
        wanted = np.stack([part._array for part in parts])
        assert many.dtype == wanted.dtype
        np.testing.assert_allclose(many._array, wanted, rtol=1e-9, atol=1e-11)


ACTS = {
    np.matmul: True,
    np.diff: True,
    np.polyval: True,
    np.trapezoid: True,
    np.flip: True,
    np.meshgrid: True,
    np.fft.fftshift: True,
    np.convolve: False,
    np.take: False,
    np.pad: False,
    np.linalg.qr: False,
}


@pytest.mark.parametrize("function", ACTS)
def test_rules_that_ask_for_no_type_run_once_for_all_vectors(
    monkeypatch: pytest.MonkeyPatch, function: Any
) -> None:
    monkeypatch.setattr(stacked, "_KNOWN", {})
    assert stacked.takes_stacks(require_op(function)) is ACTS[function]
    assert stacked.takes_stacks(require_op(function)) is ACTS[function]


def test_what_a_rule_may_name_and_run_for_all_vectors() -> None:
    for value in (np, math, np.sin, 2, 0.5, "text", None, unbroadcast):
        assert stacked._acts(value, set())
    for value in (json, isinstance, np.asarray, [], compare):
        assert not stacked._acts(value, set())


def test_vectors_of_calls_go_back_together_as_one_by_one() -> None:
    compared = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for caller in callers_of_specs()[::STEP]:
            try:
                run = recorded(caller)
                autograd.grad(run.result, run.tracked, retain_graph=True, allow_unused=True)
            except (SrcgradError, ValueError, TypeError, RuntimeError, np.linalg.LinAlgError):
                continue  # it is not recorded, or has no gradient
            compare(run.result, run.tracked)
            compared += 1
    assert compared > 1500 // STEP


def network(x: Any, w: Any) -> Any:
    hidden = np.tanh(w @ x)
    return np.concatenate([hidden[1:] * hidden[0], np.sqrt(1.0 + x[::2] ** 2)])


def of_two(x: Any, w: Any) -> Any:
    return np.sum(np.tanh(w @ x) ** 2) * np.sum(x * x)


def given() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return tape.tensor(rng.normal(size=4)), tape.tensor(rng.normal(size=(3, 4)))


def flat(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in flat(item)]
    return [value._array]


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_jacobians_and_hessians_by_many_vectors_are_those_by_one(strategy: str) -> None:
    jacobian = functional.jacobian(network, given())
    at_once = functional.jacobian(network, given(), vectorize=True, strategy=strategy)
    hessian = functional.hessian(of_two, given())
    together = functional.hessian(of_two, given(), vectorize=True, outer_jacobian_strategy=strategy)
    for found, wanted in ((at_once, jacobian), (together, hessian)):
        for a, b in zip(flat(found), flat(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_many_vectors_take_one_pass() -> None:
    runs = []

    class Doubled(autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            runs.append("own")
            return 2 * grad

    x = tape.tensor(np.arange(3.0), requires_grad=True)
    y = np.sin(Doubled.apply(np.cos(x)))
    y.register_hook(lambda grad: runs.append("hook"))
    compare(y, (x,))
    assert runs.count("hook") == 2 * COUNT  # a hook sees each vector
    runs.clear()
    compare(np.exp(Doubled.apply(np.cos(x))), (x,))
    assert runs == ["own"] * (2 * COUNT)  # and so does what only knows one


def test_what_was_saved_is_let_go_unless_it_is_kept() -> None:
    x = tape.tensor(np.arange(1.0, 4.0), requires_grad=True)
    y, units = np.log(x) * x, tape.tensor(np.eye(3))
    autograd.grad(y, x, units, is_grads_batched=True, retain_graph=True)
    autograd.grad(y, x, units, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="second time"):
        autograd.grad(y, x, units, is_grads_batched=True)


def test_gradients_of_many_vectors_can_be_differentiated_again() -> None:
    x = tape.tensor(np.arange(1.0, 4.0), requires_grad=True)
    (rows,) = autograd.grad(
        x**3, x, tape.tensor(np.eye(3)), is_grads_batched=True, create_graph=True
    )
    (again,) = autograd.grad(np.sum(rows), x)
    np.testing.assert_allclose(again._array, 6 * x._array)


def test_what_selects_masks_all_vectors() -> None:
    x = tape.tensor(np.array([0.0, 1.0, 4.0]), requires_grad=True)
    compare(np.where(x > 0, np.sqrt(x), 0.0) * np.maximum(x, 2.0), (x,))
