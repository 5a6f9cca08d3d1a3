"""Compares Hessians of programs of the corpus with those of JAX and PyTorch, which run the same."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.programs.corpus import Program, programs_by

pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning"),
]

WITH_TORCH = (
    *("basics.loop_over_rows", "basics.while_newton", "callables.mutual_recursion_inside"),
    *("checkpointed.until_it_is_small", "comprehensions.squares_in_a_list"),
    *("containers.stack_of_a_list", "control.while_of_several_variables", "dicts.list_of_dicts"),
    *("exits.while_true_until_converged", "jumps.line_search", "jumps.returns_from_two_loops"),
    *("lists.joined_and_sliced", "matching.match_on_classes"),
    *("several_results.sums_of_both_factors", "small_control.values_of_or_and_and"),
)
WITH_JAX = (
    *("basics.while_newton", "control.while_of_several_variables"),
    *("idioms.softmax_of_what_is_taken_off", "jumps.line_search"),
)


def using(function: Any, namespace: Any) -> Callable[..., Any]:
    """Return a function with another library in the place of NumPy."""
    scope = {**function.__globals__, "np": namespace}
    code, closure = function.__code__, function.__closure__
    return types.FunctionType(code, scope, code.co_name, function.__defaults__, closure)


def hessians(program: Program) -> list[Any]:
    """Return ours, by forward over reverse and by reverse over reverse."""
    function, place = program.function, program.argnums[0]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", sg.FallbackWarning)
        return [
            sg.hessian(function, place)(*program.arguments()),
            sg.jacrev(sg.grad(function, place), place)(*program.arguments()),
        ]


@pytest.mark.parametrize("name", WITH_JAX)
def test_hessians_agree_with_those_of_jax(name: str) -> None:
    jax = pytest.importorskip("jax")
    program = programs_by("source")[name]
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        function = using(program.function, jax.numpy)
        expected = np.asarray(jax.hessian(function, program.argnums[0])(*program.arguments()))
    finally:
        jax.config.update("jax_enable_x64", before)
    assert np.any(expected)
    for found in hessians(program):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", WITH_TORCH)
def test_hessians_agree_with_those_of_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch")
    program = programs_by("source")[name]
    args = [torch.tensor(item, dtype=torch.float64) for item in program.arguments()]
    function = using(program.function, torch)
    expected = torch.func.hessian(function, program.argnums[0])(*args).numpy()
    for found in hessians(program):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)
