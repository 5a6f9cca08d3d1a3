"""Tests that what users were promised is there, under its name and with its arguments."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from functools import reduce
from types import ModuleType

import numpy as np
import pytest

import srcgrad as sg

# argnums and argnames are None until one is given; with neither, it is the first argument
OPTIONS = (
    "argnums=None, argnames=None, has_aux=False, backend='auto', fallback='warn', "
    "*, debug_nans=False, pure=False, verify=False"
)
HOW = "backend='auto', fallback='warn', pure=False, verify=False"  # of every derivative

# dotted name below srcgrad -> its arguments, or None where they are none of this test's business
PROMISED: dict[str, str | None] = {
    "grad": f"f=None, {OPTIONS}",
    "value_and_grad": f"f=None, {OPTIONS}",
    "vjp": f"f, *primals, has_aux=False, kwargs=None, {HOW}",
    "jvp": f"f, primals, tangents, *, has_aux=False, kwargs=None, {HOW}",
    "jacobian": f"f, argnums=None, argnames=None, has_aux=False, sparsity=None, *, {HOW}",
    "jacfwd": f"f, argnums=None, argnames=None, has_aux=False, sparsity=None, *, {HOW}",
    "jacrev": f"f, argnums=None, argnames=None, has_aux=False, sparsity=None, *, {HOW}",
    "hessian": f"f, argnums=None, argnames=None, has_aux=False, sparsity=None, *, {HOW}",
    "hvp": f"f, primals, tangents, *, has_aux=False, kwargs=None, {HOW}",
    "pushforward": f"f, argnums=None, argnames=None, has_aux=False, *, {HOW}",
    "pullback": f"f, argnums=None, argnames=None, has_aux=False, *, {HOW}",
    "hessian_product": f"f, argnums=None, argnames=None, has_aux=False, *, {HOW}",
    "numba": "*, parallel=False, boundscheck=True",
    "numeric_vjp": "f, *, step=None",
    "compile": f"f, *, {HOW}",
    "scipy_objective": f"f, params, *args, {HOW}",
    "debug_nans": "enabled=True",
    "checkpoint": "f",
    "stop_gradient": "x",
    "grad_of": "x",
    "register_container": "cls, flatten, unflatten",
    "tensor": "data, *, dtype=None, requires_grad=False",
    "Tensor": None,
    "no_grad": "function=None",
    "enable_grad": "function=None",
    "set_grad_enabled": "mode",
    "is_grad_enabled": "",
    "inference_mode": "mode=True",
    "exp": None,
    "matmul": None,
    "autograd.backward": None,
    "autograd.grad": None,
    "autograd.Function": None,
    "autograd.gradcheck": None,
    "autograd.gradgradcheck": None,
    "autograd.detect_anomaly": None,
    "autograd.set_detect_anomaly": None,
    "autograd.Variable": None,
    "autograd.function.Function": None,
    "autograd.function.FunctionCtx": None,
    "autograd.function.once_differentiable": None,
    "autograd.function.InplaceFunction": None,
    "autograd.function.NestedIOFunction": None,
    "autograd.function.traceable": None,
    "autograd.functional.vjp": None,
    "autograd.functional.jvp": None,
    "autograd.functional.vhp": None,
    "autograd.functional.hvp": None,
    "autograd.functional.jacobian": None,
    "autograd.functional.hessian": None,
    "autograd.graph.draw": "tensors, path=None, *, names=None, most=2000",
    "autograd.graph.saved_tensors_hooks": None,
    "autograd.graph.save_on_cpu": None,
    "autograd.graph.disable_saved_tensors_hooks": None,
    "autograd.graph.Node": None,
    "autograd.graph.register_multi_grad_hook": None,
    "autograd.graph.get_gradient_edge": None,
    "autograd.forward_ad.dual_level": None,
    "autograd.forward_ad.make_dual": None,
    "autograd.forward_ad.unpack_dual": None,
    "autograd.profiler.profile": None,
    "autograd.profiler.record_function": None,
    "autograd.profiler.emit_nvtx": None,
    "autograd.profiler.load_nvprof": None,
    "utils.checkpoint.checkpoint": None,
    "SrcgradError": None,
    "CompileWarning": None,
    "FallbackWarning": None,
    "NumericWarning": None,
    "TieWarning": None,
}

# what a derivative has, besides being callable
PROMISED_OF_A_DERIVATIVE = {
    "source",
    "show",
    "primal",
    "explain",
    "stages",
    "export",
    "trace",
    "report",
}

# not built yet; a name that is built must leave this list, and nothing may be added to it
PENDING: set[str] = set()
PENDING_OF_A_DERIVATIVE: set[str] = set()

MISSING = object()


def find(name):
    """Return what a dotted name means, its modules imported, or MISSING."""
    parts = name.split(".")
    for depth in range(1, len(parts)):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(".".join(["srcgrad", *parts[:depth]]))
    found = reduce(lambda owner, part: getattr(owner, part, MISSING), parts, sg)
    return MISSING if isinstance(found, ModuleType) else found  # a module of the function's name


def arguments(function):
    """Return the parameters of a function or of the objects of a class, without annotations."""
    parameters = inspect.signature(function).parameters.values()
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    return str(inspect.Signature(bare))[1:-1]


@pytest.mark.parametrize("name", sorted(set(PROMISED) - PENDING))
def test_a_promised_name_exists(name):
    assert find(name) is not MISSING


@pytest.mark.parametrize("name", sorted(PENDING))
def test_a_name_that_is_built_is_no_longer_pending(name):
    assert name in PROMISED
    assert find(name) is MISSING


@pytest.mark.parametrize(
    "name", sorted(n for n, text in PROMISED.items() if text is not None and n not in PENDING)
)
def test_a_promised_function_has_its_arguments(name):
    assert arguments(find(name)) == PROMISED[name]


def test_what_is_offered_from_the_top_is_listed():
    assert set(dir(sg)) >= {name for name in PROMISED if "." not in name} - PENDING
    assert [name for name in sg.__all__ if not hasattr(sg, name)] == []


def test_a_derivative_has_what_was_promised():
    def square(x):
        return np.sum(x * x)

    derivative = sg.grad(square)
    there = {name for name in PROMISED_OF_A_DERIVATIVE if hasattr(derivative, name)}
    assert there == PROMISED_OF_A_DERIVATIVE - PENDING_OF_A_DERIVATIVE


def test_every_error_of_srcgrad_is_one_of_its_family():
    from srcgrad import errors

    classes = [
        c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, Exception)
    ]
    own = [c for c in classes if c.__module__ == "srcgrad.errors"]
    assert [c for c in own if not issubclass(c, sg.SrcgradError | Warning)] == []


def test_no_two_errors_share_a_code():
    from srcgrad import errors

    codes = [c.code for _, c in inspect.getmembers(errors, inspect.isclass) if "code" in vars(c)]
    assert len(codes) == len(set(codes))
