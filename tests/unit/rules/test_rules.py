"""Every rule, driven by hand, against differences of its function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.rules import adjoints, sharing, solving
from srcgrad.rules.library import RULES, canonical_name, rule_for
from srcgrad.rules.scipy import every_rule
from tests.unit.rules.opspec import (
    A,
    Call,
    Loss,
    OpSpec,
    S,
    as_outputs,
    check_rule,
    gradient_leaves,
    leaves,
    op,
)
from tests.unit.rules.specs import SPECS

SECOND_ORDER = ("linalg.frechet", "structured.block_diag_back")
LABEL = lambda spec: spec.label  # noqa: E731


def test_every_rule_has_a_spec_and_every_spec_a_rule() -> None:
    known = {canonical_name(fn) for fn in (*RULES, *every_rule())}
    described = {canonical_name(spec.fn) for spec in SPECS}
    edits = {"srcgrad.runtime.surgery.grad_of.edited"}  # its gradient is what a program makes of it
    # these stand for expressions, with which tests/programs/idioms.py tests them
    idioms = {f"numpy.{name} (vectorized)" for name in ("_logistic", "_falling_logistic")}
    # these are met in gradients that are differentiated again: test_called_rules.py has them
    # (those of solvers tests/unit/api/test_implicit_twice.py)
    internal = {canonical_name(fn) for fn in (*adjoints.RULES, *sharing.RULES, *solving.RULES)}
    internal |= {f"srcgrad.runtime.scipy.{name}" for name in SECOND_ORDER}
    assert described == known - edits - idioms - internal


@pytest.mark.parametrize("spec", SPECS, ids=LABEL)
def test_backward_matches_differences(spec: OpSpec) -> None:
    check_rule(spec)


SEVERAL = [spec for spec in SPECS if len(spec.active) > 1]


@pytest.mark.parametrize("spec", SEVERAL, ids=LABEL)
def test_backward_gives_one_gradient_alone_as_among_all(spec: OpSpec) -> None:
    every = Call.drawn(spec)
    grads = Loss(spec, every.output, np.random.default_rng(1)).grads(every.output)
    together = dict(zip(every.places(), every.backward(grads), strict=True))
    for place in every.active:
        alone = Call.of(spec, every.args, every.kwargs, [place])
        (part,) = alone.backward(grads)
        for mine, wanted in zip(leaves(part), leaves(together[place]), strict=True):
            np.testing.assert_allclose(mine, wanted, rtol=1e-12, atol=1e-14)


def strided(value: Any) -> Any:
    """The same numbers, spread out in memory and in the other order."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return value
    wide = np.repeat(value, 2, axis=-1)
    return np.asfortranarray(wide)[..., ::2]


LAYOUT_FREE = [spec for spec in SPECS if not spec.reads_memory]


@pytest.mark.parametrize("spec", LAYOUT_FREE, ids=LABEL)
def test_gradients_do_not_depend_on_the_layout_in_memory(spec: OpSpec) -> None:
    rng = np.random.default_rng(0)
    args, kwargs, active = spec.make_args(rng)
    plain = Call.of(spec, args, kwargs, active)
    spread = [_map(strided, arg) if i in active else arg for i, arg in enumerate(args)]
    other = Call.of(spec, spread, kwargs, active)
    grads = Loss(spec, plain.output, rng).grads(plain.output)
    for first, second in zip(plain.backward(grads), other.backward(grads), strict=True):
        for one, two in zip(leaves(first), leaves(second), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)


def _map(change: Any, arg: Any) -> Any:
    if isinstance(arg, (list, tuple)):
        return type(arg)(_map(change, item) for item in arg)
    return change(arg)


def narrow(value: Any) -> Any:
    """The same numbers in single precision."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return value.astype(np.complex64 if value.dtype.kind == "c" else np.float32)
    return value


def stays_single(spec: OpSpec) -> bool:
    """Whether the function itself keeps single precision."""
    args, kwargs, _ = spec.make_args(np.random.default_rng(0))
    output = spec.fn(
        *(_map(narrow, arg) for arg in args),
        **{key: _map(narrow, value) for key, value in kwargs.items()},
    )
    outputs = [np.asarray(out) for out in as_outputs(output)]
    return all(out.dtype.itemsize <= (8 if out.dtype.kind == "c" else 4) for out in outputs)


SINGLE = [spec for spec in SPECS if spec.single and stays_single(spec)]


@pytest.mark.parametrize("spec", SINGLE, ids=LABEL)
def test_single_precision_stays_single(spec: OpSpec) -> None:
    rng = np.random.default_rng(0)
    args, kwargs, active = spec.make_args(rng)
    call = Call.of(
        spec,
        [_map(narrow, arg) for arg in args],
        {key: _map(narrow, value) for key, value in kwargs.items()},
        active,
    )
    parts = call.backward(Loss(spec, call.output, rng).grads(call.output))
    for value, part in zip(call.inputs(), parts, strict=True):
        for leaf, grad in zip(leaves(value), gradient_leaves(part, value), strict=True):
            if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc":
                assert np.asarray(grad).dtype in (np.float32, np.complex64), canonical_name(spec.fn)


ARITY = {
    spec.fn: len(spec.args)
    for spec in SPECS
    if getattr(np, spec.fn.__name__, None) is spec.fn and isinstance(spec.fn, np.ufunc)
}
UNARY = sorted((f for f, n in ARITY.items() if n == 1 and f.nout == 1), key=lambda f: f.__name__)
BINARY = [
    *(np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.fmax),
    *(np.fmin, np.arctan2, np.hypot, np.logaddexp, np.logaddexp2, np.float_power),
]
NARROW = {np.arccosh: (1.2, 2.0)}


@pytest.mark.parametrize("fn", UNARY, ids=canonical_name)
def test_elementwise_rules_take_floats_0d_and_empty_arrays(fn: Any) -> None:
    low, high = NARROW.get(fn, (0.2, 0.9))
    check_rule(op(fn, S(low, high)))
    check_rule(op(fn, A(low=low, high=high)))
    check_rule(op(fn, A(0, 3, low=low, high=high)))


@pytest.mark.parametrize("fn", BINARY, ids=canonical_name)
@pytest.mark.parametrize(
    "shapes",
    [
        ((), ()),
        ((3,), ()),
        ((), (2, 3)),
        ((2, 1), (3,)),
        ((1,), (2, 1)),
        ((0, 3), (3,)),
        ((1, 1), (4, 1)),
    ],
    ids=str,
)
def test_broadcasting_is_summed_back(fn: Any, shapes: Any) -> None:
    check_rule(op(fn, A(*shapes[0], low=0.3, high=0.9), A(*shapes[1], low=1.1, high=1.9)))


@pytest.mark.parametrize("fn", BINARY, ids=canonical_name)
def test_rules_of_two_arguments_take_floats(fn: Any) -> None:
    check_rule(op(fn, S(0.3, 0.9), S(1.1, 1.9)))
    check_rule(op(fn, S(0.3, 0.9), A(3, low=1.1, high=1.9)))


REDUCTIONS = [np.sum, np.mean, np.max, np.min, np.prod, np.var, np.std, np.cumsum, np.cumprod]


@pytest.mark.parametrize("fn", REDUCTIONS, ids=canonical_name)
def test_reductions_take_0d_arrays(fn: Any) -> None:
    check_rule(op(fn, A()))


@pytest.mark.parametrize("fn", [np.sum, np.prod, np.cumsum, np.cumprod], ids=canonical_name)
def test_reductions_take_empty_arrays(fn: Any) -> None:
    check_rule(op(fn, A(0)))
    check_rule(op(fn, A(0, 3), axis=0))


@pytest.mark.parametrize("fn", [np.max, np.sum, np.mean, np.std], ids=canonical_name)
def test_an_empty_result_has_an_empty_gradient(fn: Any) -> None:
    check_rule(op(fn, A(3, 0), axis=0))


def test_the_last_coefficient_may_be_zero_and_moves_all_roots() -> None:
    def cubes(p: Any) -> Any:
        return np.sum(np.roots(p) ** 3).real

    p, h = np.array([1.0, 0.3, -3.0, 0.0]), 1e-5
    differences = [(cubes(p + step) - cubes(p - step)) / (2 * h) for step in h * np.eye(4)]
    np.testing.assert_allclose(sg.grad(cubes, fallback="error")(p), differences, rtol=1e-7)


def test_the_check_fails_on_a_rule_that_is_wrong_by_a_thousandth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule: Any = rule_for(np.tanh)
    right = rule.backward
    wrong = staticmethod(lambda ctx, grad: right(ctx, grad) * 1.001)
    spec = op(np.tanh, A(3))
    check_rule(spec)
    monkeypatch.setattr(rule, "backward", wrong)
    with pytest.raises(AssertionError):
        check_rule(spec)


def test_the_check_fails_on_a_gradient_of_the_wrong_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    rule: Any = rule_for(np.add)
    monkeypatch.setattr(rule, "backward", staticmethod(lambda ctx, grad: (grad, grad)))
    with pytest.raises(AssertionError):
        check_rule(op(np.add, A(3), A(2, 3)))
