"""Rules of what gradients call, by hand, with the arguments that gradients call it with.

They are for second derivatives. Where those go by source, the text of a rule is put in place, and
nothing calls the rule itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from srcgrad import runtime as rt
from srcgrad.rules.base import Context
from srcgrad.rules.library import rule_for
from srcgrad.rules.scipy.sparse_arrays import (
    entries_of,
    factor_solution,
    factored_solution,
    sparse_product,
    sparse_solution,
)
from srcgrad.rules.scipy.sparse_systems import adjoint_of, krylov_solution, krylov_solved
from srcgrad.runtime.scipy import krylov
from srcgrad.runtime.scipy.sparse import places_of
from tests.unit.rules.opspec import (
    Call,
    Loss,
    OpSpec,
    as_outputs,
    check_call,
    leaves,
    random_way,
    rebuild,
)
from tests.unit.rules.specs import SPECS

WITH_SPECS = {spec.fn for spec in SPECS}
AT_KNOTS = "mode=mirror,order=2"
"""Splines of order 2 have no second derivative where they are joined, and a spec is near there."""


@dataclass
class Called:
    """A call of a function that has a rule, with the parameters that carry derivatives.

    Attributes:
        spec: The function and its arguments as they are.
        active: The places or names of the arguments that carry derivatives.
    """

    spec: OpSpec
    active: list[Any]

    @classmethod
    def of(cls, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Called:
        outputs = as_outputs(function(*args, **named))
        used = tuple(i for i, out in enumerate(outputs) if _is_float(out))
        names = list(inspect.signature(_rule(function).forward).parameters)[1:]
        given = {place: names[min(place, len(names) - 1)] for place in range(len(args))}
        given |= {name: name for name in named}
        carries = _carriers(function)
        active: list[Any] = [
            place
            for place, name in given.items()
            if carries(name) and _is_float(named[name] if place == name else args[place])
        ]
        return cls(OpSpec(function, args, named, out_index=used), active)

    def run(self) -> Call:
        """Return the rule's own run of the call."""
        return Call.of(self.spec, list(self.spec.args), self.spec.kwargs, self.active)


def _rule(function: Any) -> Any:
    rule = rule_for(function)
    assert rule is not None
    return rule


def _carriers(function: Any) -> Any:
    """Return what says whether a parameter of the rule of a function carries a derivative."""
    rule = _rule(function)
    told = rule.linear or rule.multilinear
    if not told:
        signature = inspect.signature(rule.jvp) if hasattr(rule, "jvp") else None
        tangents = () if signature is None else list(signature.parameters)[1:]
        names = list(inspect.signature(rule.forward).parameters)[1:]
        told = [name for name, dot in zip(names, tangents, strict=False) if dot.endswith("_dot")]
    return lambda name: name in told and name not in rule.inert


def _is_float(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(_is_float, value))
    return not hasattr(value, "tocsr") and np.asarray(value).dtype.kind in "fc"


def helpers_of(function: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the names that the rule of a function sees, and the helpers with rules it calls."""
    rule = _rule(function)
    formula = getattr(rule, "partials", None) or getattr(rule, "slope", None) or rule.backward
    names = formula.__globals__
    found = {
        name: names[name]
        for name in formula.__code__.co_names
        if str(getattr(names.get(name), "__module__", "")).startswith("srcgrad.runtime")
        and names[name] not in WITH_SPECS
        and rule_for(names[name]) is not None
    }
    return names, found


def calls_of(call: Call, spec: OpSpec, patch: pytest.MonkeyPatch) -> Iterator[Called]:
    """Yield the calls of helpers that have rules but no specs, in the gradient of a call."""
    names, helpers = helpers_of(spec.fn)
    seen: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def watched(helper: Any) -> Any:
        def run(*args: Any, **named: Any) -> Any:
            seen.append((helper, args, named))
            return helper(*args, **named)

        return run

    with patch.context() as patched:
        for name, helper in helpers.items():
            patched.setitem(names, name, watched(helper))
        call.backward(Loss(spec, call.output, np.random.default_rng(3)).grads(call.output))
    for helper, args, named in seen:
        found = Called.of(helper, args, named)
        if found.active and found.spec.out_index:
            yield found


def check_gradient(called: Called) -> None:
    """Compare the gradient that a rule gives with differences of its function."""
    check_call(called.spec, called.run(), np.random.default_rng(1))


def check_tangent(called: Called) -> None:
    """Compare the tangent that a rule gives, or declares, with differences of its function."""
    rng, spec, rule = np.random.default_rng(2), called.spec, _rule(called.spec.fn)
    dots: dict[Any, Any] = {}
    for place in called.active:
        value = spec.kwargs[place] if isinstance(place, str) else spec.args[place]
        dots[place] = rebuild(value, (random_way(leaf, rng) for leaf in leaves(value)))
    if rule.linear:
        found = moved(spec, dots, lambda value, dot: dot)
    elif rule.multilinear:
        parts = [moved(spec, {place: dot}, lambda value, dot: dot) for place, dot in dots.items()]
        found = [sum(items) for items in zip(*parts, strict=True)]
    else:
        count = len(inspect.signature(rule.forward).parameters) - 1
        tangents = [dots.get(place) for place in range(count)]
        found = flat(rule.jvp(called.run().context, *tangents), spec)
    step = 2e-4
    ends = [moved(spec, dots, lambda x, t, s=s: x + s * step * t) for s in (1, -1, 2, -2)]
    for mine, a, b, c, d in zip(found, *ends, strict=True):
        np.testing.assert_allclose(mine, (8 * (a - b) - (c - d)) / (12 * step), 1e-6, 1e-6)


def moved(spec: OpSpec, dots: dict[Any, Any], change: Any) -> list[Any]:
    """Call a function with some arguments changed by ``change(value, dot)``."""
    args, named = list(spec.args), dict(spec.kwargs)
    for place, dot in dots.items():
        holder: Any = named if isinstance(place, str) else args
        pairs = zip(leaves(holder[place]), leaves(dot), strict=True)
        holder[place] = rebuild(holder[place], iter([change(x, t) for x, t in pairs]))
    return flat(spec.fn(*args, **named), spec)


def flat(output: Any, spec: OpSpec) -> list[Any]:
    """Return the arrays and numbers of the results that carry derivatives."""
    outputs = as_outputs(output)
    return [np.asarray(leaf) for i in spec.out_index or () for leaf in leaves(outputs[i])]


CALLING = [
    spec
    for spec in SPECS
    if helpers_of(spec.fn)[1] and AT_KNOTS not in spec.label and "logm" not in spec.label
]


@pytest.mark.parametrize("spec", CALLING, ids=lambda spec: spec.label)
def test_what_a_gradient_calls_has_a_right_rule(
    spec: OpSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, named, active = spec.make_args(np.random.default_rng(0))
    for called in calls_of(Call.of(spec, args, named, active), spec, monkeypatch):
        check_gradient(called)
        check_tangent(called)
        for deeper in calls_of(called.run(), called.spec, monkeypatch):
            check_gradient(deeper)
            check_tangent(deeper)


WHOLE = np.arange(1.0, 7.0)
COMPLEX = scipy.sparse.linalg.splu(
    scipy.sparse.csc_array(np.array([[2.0, 1.0j, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0 - 1.0j, 4.0]]))
)
RIGHT = np.array([0.3 + 0.1j, -0.7, 0.4j])
SYSTEM = np.array([[4.0, 1.0, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 5.0]])
ENTRIES, PLACES = scipy.sparse.coo_array(SYSTEM).data, places_of(scipy.sparse.coo_array(SYSTEM))
VECTOR, EXACT = np.array([0.3, -0.7, 0.4]), krylov.Method("gmres", {"rtol": 1e-13})
DIRECT = {
    "regathered": (
        rt.regathered,
        [WHOLE[:3], WHOLE[3:]],
        np.ones((2, 3)),
        [WHOLE[:3], WHOLE[3:]],
    ),
    "placed": (rt.placed, np.array([1.0, 2.0]), np.array([3, 1]), (4,)),
    "shadow of a view": (rt.shadow_of_view, np.array([0.5, 0.7]), WHOLE[1:3], WHOLE),
    "shadow of a copy": (rt.shadow_of_view, np.array([0.5, 0.7]), WHOLE[1:3].copy(), WHOLE),
    "undone differences": (rt.undo_diff, SYSTEM, 1),
    "adjoint": (adjoint_of, np.array([[1.0, 2.0j], [3.0, 4.0 - 1.0j]])),
    **{way: (factored_solution, COMPLEX, RIGHT, way) for way in ("N", "T", "H")},
    "sparse product": (sparse_product, ENTRIES, PLACES, VECTOR),
    "sparse product of columns": (sparse_product, ENTRIES, PLACES, SYSTEM),
    "sparse solution": (sparse_solution, ENTRIES, PLACES, VECTOR),
    "sparse solution of a column": (sparse_solution, ENTRIES, PLACES, VECTOR[:, None]),
    "solution with factors": (factor_solution, ENTRIES, PLACES, VECTOR),
    "solution by iteration": (krylov_solution, ENTRIES, PLACES, VECTOR, EXACT),
    "solution of an array by iteration": (krylov_solved, SYSTEM, VECTOR, EXACT),
    "full": (np.full_like, SYSTEM, 2.0),
}
"""Calls that texts make, not rules."""


@pytest.mark.parametrize("name", DIRECT)
def test_what_a_text_calls_has_a_right_rule(name: str) -> None:
    function, *args = DIRECT[name]
    called = Called.of(function, tuple(args), {})
    for active in (called.active, *([place] for place in called.active)):
        part = Called(called.spec, active)
        check_gradient(part)
        check_tangent(part)


def test_of_what_varies_no_more_there_is_no_derivative() -> None:
    rule = rule_for(entries_of)
    assert rule is not None
    context = Context((True,))
    matrix = scipy.sparse.csr_array([[0.0, 2.0], [3.0, 0.0]])
    np.testing.assert_array_equal(rule.forward(context, matrix), [2.0, 3.0])
    assert rule.backward(context, np.ones(2)) is None
