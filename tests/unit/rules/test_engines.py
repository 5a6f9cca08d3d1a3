"""Every spec through both engines: the compiler and the tape, against differences."""

from __future__ import annotations

import inspect
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest
import scipy
from scipy.optimize import _minpack

import srcgrad as sg
from srcgrad.api.fallback import run_on_tape
from srcgrad.rules.library import canonical_name
from srcgrad.tape import strict_fallback
from tests.unit.rules.callers import SPELLED, Caller, callers, callers_of_specs
from tests.unit.rules.opspec import A, S, along_way, numeric_slope, op, random_way
from tests.unit.rules.test_rules import narrow, stays_single
from tests.unit.rules.variants import chosen

CALLERS = callers_of_specs()
MADE = "NumPy does not ask tensors among the arguments: it makes a plain array of them"
NUMBERS = "Python makes a plain number of its argument"
BY_HAND = {
    "math.[!p]*": NUMBERS,
    "math.pow(*": NUMBERS,
    "cmath.*": NUMBERS,
    "builtins.float(*": NUMBERS,
    "builtins.complex(*": NUMBERS,
    "*.item(*": "the method `item` detaches, as PyTorch's does",
    "numpy.mean([[]*": "NumPy does not look for tensors inside a list",
    "numpy.sum([[]*": "NumPy does not look for tensors inside a list",
    "numpy.full_like([[]*": "np.full_like fills a plain array, which keeps no derivative",
    "numpy.array(*": MADE,
    "numpy.as*array*": MADE,
    "numpy.require*": MADE,
    "numpy.arange*": MADE,
    "numpy.full(*": MADE,
    "numpy.float64*": MADE,
    "numpy.complex128*": MADE,
    "numpy.*.as_strided(*": MADE,
    "srcgrad.*.draw_*": MADE,
    "scipy.*": "only the ufuncs of SciPy ask tensors",
}
"""Calls that tensors made by hand refuse, by patterns of their labels, with the reason."""

GAPS = {
    "srcgrad.*.draw_*": "write loc + scale * rng.standard_normal(n), as tensors cannot be drawn",
    "numpy.*.as_strided(*": "a tensor does not show its memory; index it",
}
"""Those of them that the tape refuses also where it stands in for the compiler, with a way out."""


special = scipy.special
THROUGH = (
    *(special.softplus, special.jvp, special.yvp, special.ivp, special.kvp, special.h1vp),
    *(special.h2vp, scipy.fft.fftshift, scipy.fft.ifftshift, scipy.optimize.newton),
    *(scipy.fft.fftfreq, scipy.fft.rfftfreq),
)
"""Functions of SciPy that are made of what records."""


def gap(caller: Caller) -> str | None:
    """Return the pattern that says why the tape cannot record a call."""
    if hasattr(caller.spec.fn, "nin") or caller.spec.fn in THROUGH:
        return None
    return next((pattern for pattern in BY_HAND if fnmatchcase(caller.spec.label, pattern)), None)


def spec_label(caller: Caller) -> str:
    return caller.spec.label


RECORDED = [caller for caller in CALLERS if gap(caller) is None]
REFUSED = [caller for caller in CALLERS if gap(caller) is not None]
SINGLE = [c for c in CALLERS if c.spec.single and stays_single(c.spec)]
SINGLE_RECORDED = [c for c in SINGLE if gap(c) is None]

SEVERAL = [c for c in CALLERS if len(c.leaves) > 1]

every_call = pytest.mark.parametrize("caller", CALLERS, ids=spec_label)
every_recorded_call = pytest.mark.parametrize("caller", RECORDED, ids=spec_label)
every_single_call = pytest.mark.parametrize("caller", SINGLE, ids=spec_label)
every_single_recorded_call = pytest.mark.parametrize("caller", SINGLE_RECORDED, ids=spec_label)


def on_tape(caller: Caller, leaves: list[Any], weights: list[Any]) -> list[Any]:
    """Return the gradient that the tape gives, as arrays."""
    tensors = [sg.tensor(leaf, requires_grad=True) for leaf in leaves]
    output = caller.function(*tensors, *weights)
    if not isinstance(output, sg.Tensor) or not output.requires_grad:
        return [np.zeros_like(leaf) for leaf in leaves]
    grads = sg.autograd.grad(output, tensors, allow_unused=True)
    return [
        np.zeros_like(leaf) if grad is None else grad.detach().numpy()
        for leaf, grad in zip(leaves, grads, strict=True)
    ]


def assert_right(caller: Caller, grads: Any) -> None:
    """Compare gradients with differences, in shape, kind and value."""
    tolerance = caller.spec.tolerance
    for leaf, grad, expected in zip(caller.leaves, grads, caller.differences, strict=True):
        assert np.shape(grad) == np.shape(leaf)
        assert np.iscomplexobj(grad) == np.iscomplexobj(leaf)
        np.testing.assert_allclose(grad, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "caller", [c for c in CALLERS if "rt." not in c.text and "x0[" not in c.text], ids=spec_label
)
def test_the_text_calls_the_function_of_the_spec(caller: Caller) -> None:
    called = caller.text.split("= ", 1)[1].split("(")[0]
    assert canonical_name(eval(called, dict(SPELLED))) == canonical_name(caller.spec.fn)


@every_call
def test_the_compiler_agrees_with_differences(caller: Caller) -> None:
    before = [np.copy(leaf) for leaf in caller.leaves]
    grads = caller.gradient(*caller.leaves, *caller.weights)
    assert_right(caller, grads)
    for leaf, grad in zip(caller.leaves, grads, strict=True):
        assert isinstance(grad, type(leaf))
    for leaf, kept in zip(caller.leaves, before, strict=True):
        np.testing.assert_array_equal(leaf, kept)


@every_recorded_call
def test_the_tape_agrees_with_differences(caller: Caller) -> None:
    before = [np.copy(leaf) for leaf in caller.leaves]
    assert_right(caller, on_tape(caller, caller.leaves, caller.weights))
    for leaf, kept in zip(caller.leaves, before, strict=True):
        np.testing.assert_array_equal(leaf, kept)


@every_single_call
def test_the_compiler_keeps_single_precision(caller: Caller) -> None:
    leaves = [narrow(leaf) for leaf in caller.leaves]
    grads = caller.gradient(*leaves, *map(narrow, caller.weights))
    assert_narrow(leaves, grads)


@every_single_recorded_call
def test_the_tape_keeps_single_precision(caller: Caller) -> None:
    leaves = [narrow(leaf) for leaf in caller.leaves]
    assert_narrow(leaves, on_tape(caller, leaves, [narrow(weight) for weight in caller.weights]))


def assert_narrow(leaves: list[Any], grads: Any) -> None:
    for leaf, grad in zip(leaves, grads, strict=True):
        assert np.asarray(grad).dtype == np.asarray(leaf).dtype


KINDS = {id(spec) for spec in chosen([caller.spec for caller in SEVERAL])}


@pytest.mark.parametrize("caller", [c for c in SEVERAL if id(c.spec) in KINDS], ids=spec_label)
def test_each_argument_alone_has_the_same_gradient(caller: Caller) -> None:
    for place, (leaf, expected) in enumerate(zip(caller.leaves, caller.differences, strict=True)):
        alone = sg.grad(caller.function, place, fallback="error")
        grad = alone(*caller.leaves, *caller.weights)
        tolerance = caller.spec.tolerance
        assert np.shape(grad) == np.shape(leaf)
        np.testing.assert_allclose(grad, expected, rtol=tolerance, atol=tolerance)


OPTIONS = {
    *("numpy.sum", "numpy.prod", "numpy.nansum", "numpy.nanprod", "numpy.nanvar", "numpy.pad"),
    *("numpy.add.reduce", "numpy.multiply.reduce", "numpy.interp", "numpy.select"),
    "numpy.full_like",
}
"""Functions that NumPy does not hand on for the sake of a tensor among the options alone."""


@pytest.mark.parametrize("caller", [c for c in SEVERAL if gap(c) is None], ids=spec_label)
def test_each_tensor_alone_has_the_same_gradient_or_is_refused(caller: Caller) -> None:
    for place, expected in enumerate(caller.differences):
        leaves = list(caller.leaves)
        leaves[place] = sg.tensor(leaves[place], requires_grad=True)
        grad = np.zeros_like(expected)
        try:
            with strict_fallback():
                output = caller.function(*leaves, *caller.weights)
        except (sg.SrcgradError, TypeError, ValueError):
            assert canonical_name(caller.spec.fn) in OPTIONS
            assert place > 0
            continue
        if isinstance(output, sg.Tensor):  # min and max return a plain number if that is it
            grad = sg.autograd.grad(output, leaves[place])[0].detach().numpy()
        tolerance = caller.spec.tolerance
        np.testing.assert_allclose(grad, expected, rtol=tolerance, atol=tolerance)


ORDER = "the second derivative in the order has no rule"
SECOND_GAPS = {
    "*.special.??(2x1,2)": ORDER,
    "*.special.??e(2x1,2)": ORDER,
    "*.special.hankel?(2x1,2)": ORDER,
    "*.special.gamma(c*": "SciPy has no trigamma function of complex numbers",
    "*.special.loggamma(c*": "SciPy has no trigamma function of complex numbers",
}
"""Recorded calls that cannot be differentiated twice, by patterns of their labels."""


def twice(caller: Caller, leaves: list[Any], *, record: bool) -> tuple[Any, list[Any]]:
    """Return a random combination of the gradient of a squared call, and the tensors it is of."""
    tensors = [sg.tensor(leaf, requires_grad=True) for leaf in leaves]
    output = caller.function(*tensors, *caller.weights)
    if not isinstance(output, sg.Tensor) or not output.requires_grad:
        return 0.0, tensors
    grads = sg.autograd.grad(output**2, tensors, create_graph=record, allow_unused=True)
    rng, total = np.random.default_rng(3), 0.0
    for leaf, grad in zip(leaves, grads, strict=True):
        turn = np.exp(1j * rng.uniform(0.5, 1.5, np.shape(leaf)))
        turn = turn if np.iscomplexobj(leaf) else np.real(turn)
        if grad is not None:
            total = total + np.sum(np.real(grad * np.conj(turn)))
    return total, tensors


@pytest.mark.parametrize("caller", RECORDED, ids=spec_label)
def test_the_tape_differentiates_twice(caller: Caller) -> None:
    pattern = next((p for p in SECOND_GAPS if fnmatchcase(caller.spec.label, p)), None)
    if pattern is not None:
        with pytest.raises((sg.SrcgradError, RuntimeError, TypeError)):
            sg.autograd.grad(*twice(caller, caller.leaves, record=True))
        return
    total, tensors = twice(caller, caller.leaves, record=True)
    grads: Any = [None] * len(tensors)
    if isinstance(total, sg.Tensor) and total.requires_grad:
        grads = sg.autograd.grad(total, tensors, allow_unused=True)
    for place, (leaf, grad) in enumerate(zip(caller.leaves, grads, strict=True)):

        def at(moved: Any, place: int = place) -> float:
            leaves = [*caller.leaves[:place], moved, *caller.leaves[place + 1 :]]
            value, _ = twice(caller, leaves, record=False)
            return float(value.detach().numpy() if isinstance(value, sg.Tensor) else value)

        found = np.zeros_like(leaf) if grad is None else grad.detach().numpy()
        assert np.shape(found) == np.shape(leaf)
        way = random_way(leaf, np.random.default_rng(place))
        expected = numeric_slope(at, leaf, way)
        np.testing.assert_allclose(along_way(found, way), expected, rtol=1e-5, atol=1e-5)


def test_every_gap_of_second_derivatives_is_one_of_a_spec() -> None:
    labels = [caller.spec.label for caller in RECORDED]
    for pattern in SECOND_GAPS:
        assert any(fnmatchcase(label, pattern) for label in labels), pattern


# --- the known gaps -------------------------------------------------------------------------------


OF_EACH = {id(spec) for spec in chosen([caller.spec for caller in REFUSED])}
BY_CODE = [c for c in REFUSED if id(c.spec) in OF_EACH]


@pytest.mark.parametrize("caller", BY_CODE, ids=spec_label)
def test_what_tensors_refuse_is_right_where_the_tape_stands_in(caller: Caller) -> None:
    signature = inspect.signature(caller.function)
    wanted = list(signature.parameters)[: len(caller.leaves)]
    given = (*caller.leaves, *caller.weights)

    def grads() -> Any:
        found = run_on_tape(caller.function, signature, wanted, given, {}, aux=False)[1]
        pairs = zip(found, caller.leaves, strict=True)
        return [np.zeros_like(leaf) if grad is None else grad for grad, leaf in pairs]

    if any(fnmatchcase(caller.spec.label, pattern) for pattern in GAPS):
        with pytest.raises(sg.SrcgradError):
            grads()
    else:
        assert_right(caller, grads())


NOT_STRICT = [c for c in REFUSED if id(c.spec) in OF_EACH and gap(c) != "*.item(*"]


@pytest.mark.parametrize("caller", NOT_STRICT, ids=spec_label)
@pytest.mark.filterwarnings("error")
def test_tensors_made_by_hand_are_refused_and_not_cut_off(caller: Caller) -> None:
    tensors = [sg.tensor(leaf, requires_grad=True) for leaf in caller.leaves]
    refusals = (sg.SrcgradError, TypeError, ValueError, _minpack.error)
    with strict_fallback(), pytest.raises(refusals):
        caller.function(*tensors, *caller.weights)


def test_every_known_gap_is_one_of_a_spec() -> None:
    assert {gap(caller) for caller in REFUSED} == set(BY_HAND)
    for pattern in GAPS:
        assert any(fnmatchcase(caller.spec.label, pattern) for caller in REFUSED), pattern


# --- the checks themselves ------------------------------------------------------------------------


class SlightlyWrong(sg.autograd.Function):
    """A hyperbolic tangent with a derivative that is wrong by a thousandth."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = np.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return 1.001 * grad * (1 - y * y)


def calls_a_wrong_rule(x0: Any, w0: Any) -> Any:
    return np.sum(w0 * SlightlyWrong.apply(x0))


def calls_a_right_rule(x0: Any, w0: Any) -> Any:
    return np.sum(w0 * np.tanh(x0))


@pytest.mark.parametrize("right", [True, False])
def test_the_checks_fail_on_a_rule_that_is_wrong_by_a_thousandth(right: bool) -> None:
    function = calls_a_right_rule if right else calls_a_wrong_rule
    x, w = np.array([0.3, 0.5, 0.8]), np.array([0.7, 1.2, 0.9])
    caller = Caller(op(np.tanh, A(3)), "", [x], [w], function=function)
    for grads in (caller.gradient(x, w), on_tape(caller, [x], [w])):
        if right:
            assert_right(caller, grads)
            continue
        with pytest.raises(AssertionError):
            assert_right(caller, grads)


def test_floats_come_back_as_floats() -> None:
    (caller,) = callers([op(np.multiply, S(), S())])
    assert all(type(g) is float for g in caller.gradient(*caller.leaves, *caller.weights))
