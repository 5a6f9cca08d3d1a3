"""Functions written out with others: both engines, both modes, both orders."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcgrad as sg
from srcgrad.rules.equivalents.registry import Equivalent
from srcgrad.rules.equivalents.table import EQUIVALENTS, equivalent
from srcgrad.rules.library import canonical_name, constant_reason, rule_for
from srcgrad.rules.scipy import every_written_function
from tests.unit.rules.callers import Caller, callers
from tests.unit.rules.equivalent_specs import equivalents
from tests.unit.rules.scipy_equivalent_specs import BY_PROGRAM, scipy_equivalents

ALL = {**EQUIVALENTS, **every_written_function()}
CALLERS = callers([*equivalents(), *scipy_equivalents()])
every_call = pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.spec.label)


def dispatches(caller: Caller) -> bool:
    """Whether NumPy hands the call on to tensors; its modules of polynomials convert to arrays."""
    if canonical_name(caller.spec.fn).startswith("scipy."):
        return False
    own = "numpy.polynomial" not in canonical_name(caller.spec.fn)
    return own and "end_values" not in caller.spec.kwargs


def at(caller: Caller, step: float, directions: list[Any]) -> list[Any]:
    return [leaf + step * d for leaf, d in zip(caller.leaves, directions, strict=True)]


def directions_of(caller: Caller) -> list[Any]:
    rng = np.random.default_rng(2)
    made = [rng.uniform(-1, 1, np.shape(leaf)) for leaf in caller.leaves]
    return [d if np.ndim(d) else float(d) for d in made]


@every_call
def test_reverse_mode_agrees_with_differences(caller: Caller) -> None:
    grads = caller.gradient(*caller.leaves, *caller.weights)
    for leaf, grad, expected in zip(caller.leaves, grads, caller.differences, strict=True):
        assert np.shape(grad) == np.shape(leaf)
        np.testing.assert_allclose(grad, expected, rtol=1e-6, atol=1e-6)


@every_call
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")  # of rules without a tangent
def test_forward_mode_agrees_with_reverse_mode(caller: Caller) -> None:
    directions = directions_of(caller)
    held = [None] * len(caller.weights)
    tangents = (*directions, *held)
    _, slope = sg.jvp(caller.function, (*caller.leaves, *caller.weights), tangents)
    pairs = zip(caller.differences, directions, strict=True)
    expected = sum(np.sum(np.real(np.conj(grad) * d)) for grad, d in pairs)
    np.testing.assert_allclose(np.real(slope), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "caller", [c for c in CALLERS if dispatches(c)], ids=lambda caller: caller.spec.label
)
def test_the_tape_agrees_with_differences(caller: Caller) -> None:
    tensors = [sg.tensor(leaf, requires_grad=True) for leaf in caller.leaves]
    output = caller.function(*tensors, *caller.weights)
    grads = sg.autograd.grad(output, tensors, allow_unused=True)
    for grad, expected in zip(grads, caller.differences, strict=True):
        found = np.zeros_like(expected) if grad is None else grad.detach().numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


TWICE = [
    caller
    for caller in CALLERS
    if canonical_name(caller.spec.fn).split(".")[-1]
    in ("polydiv", "interp", "apply_along_axis", "reduce", "accumulate", "reduceat")
]


@pytest.mark.parametrize("caller", TWICE, ids=lambda caller: caller.spec.label)
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_second_derivatives_agree_with_differences_of_the_first(caller: Caller) -> None:
    directions, held = directions_of(caller), [None] * len(caller.weights)
    primals = (*caller.leaves, *caller.weights)
    _, found = sg.jvp(caller.gradient, primals, (*directions, *held))
    step = 1e-5
    above = caller.gradient(*at(caller, step, directions), *caller.weights)
    below = caller.gradient(*at(caller, -step, directions), *caller.weights)
    for part, plus, minus in zip(found, above, below, strict=True):
        difference = (np.asarray(plus) - np.asarray(minus)) / (2 * step)
        np.testing.assert_allclose(part, difference, rtol=1e-4, atol=1e-4)


def test_every_equivalent_has_a_spec() -> None:
    called = {canonical_name(caller.spec.fn) for caller in CALLERS}
    listed = {canonical_name(fn) for fn in ALL if not isinstance(fn, type)}
    assert listed <= called | BY_PROGRAM


@pytest.mark.parametrize("fn", ALL, ids=canonical_name)
def test_a_function_with_an_equivalent_has_no_rule_but_for_other_options(fn: Any) -> None:
    assert constant_reason(fn) is None
    plain = any(entry.option is None for entry in ALL[fn])
    assert not (plain and rule_for(fn))


@pytest.mark.parametrize("fn", ALL, ids=canonical_name)
def test_the_parameters_of_an_equivalent_are_those_of_its_function(fn: Any) -> None:
    try:
        theirs = inspect.signature(fn).parameters
    except ValueError:
        return
    for entry in ALL[fn]:
        ours = own_parameters(entry)
        wild = any(p.kind is p.VAR_KEYWORD for p in theirs.values())
        named = [p for p in ours if p.kind is not p.VAR_POSITIONAL]
        if not isinstance(fn, type) and not wild and not is_shared(entry):
            assert {p.name for p in named} <= set(theirs)


def own_parameters(entry: Equivalent) -> list[inspect.Parameter]:
    return list(inspect.signature(entry.function).parameters.values())[len(entry.lead) :]


def is_shared(entry: Equivalent) -> bool:
    """Whether several functions with names of their own for parameters share an equivalent."""
    return sum(entry.function is e.function for es in ALL.values() for e in es) > 1


def test_an_equivalent_gives_what_the_function_gives() -> None:
    rng = np.random.default_rng(0)
    for spec in (*equivalents(), *scipy_equivalents()):
        args, kwargs, _ = spec.make_args(rng)
        call = equivalent(spec.fn, args, kwargs)
        assert call is not None, spec.label
        ours = call.function(*call.lead, *call.args, **call.keywords)
        theirs = spec.fn(*args, **kwargs)
        pairs = (
            [(ours, theirs)] if not isinstance(theirs, tuple) else zip(ours, theirs, strict=True)
        )
        for mine, other in pairs:
            np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-12, err_msg=spec.label)


@pytest.mark.parametrize("moment", [stats.norm.mean, stats.norm.std, stats.norm.entropy])
@pytest.mark.parametrize("scale", [-1.0, 0.0, 2.0])
def test_moments_of_no_law_are_not_numbers(moment: Any, scale: float) -> None:
    def f(x: float) -> Any:
        return moment(x, scale * x)

    with np.errstate(invalid="ignore", divide="ignore"):  # SciPy's own logarithm warns
        value, _ = sg.value_and_grad(f)(0.7)
        np.testing.assert_allclose(value, f(0.7))


def test_counts_without_a_law_have_no_mean() -> None:
    def f(mean: float, share: float) -> Any:
        return stats.poisson.mean(mean), stats.binom.mean(5, share), stats.binom.var(5, share)

    for mean, share in ((0.7, 0.3), (-0.7, 1.3)):
        values, _ = sg.vjp(f, mean, share)
        np.testing.assert_allclose(values, f(mean, share))
