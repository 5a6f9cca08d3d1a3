"""Checks what rules say of their tangents: linear, multilinear, elementwise, reducing."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.rules.library import canonical_name, rule_for
from tests.unit.rules.opspec import (
    Call,
    Loss,
    OpSpec,
    along_way,
    as_outputs,
    gradient_leaves,
    leaves,
    random_way,
    rebuild,
)
from tests.unit.rules.specs import SPECS
from tests.unit.rules.test_variants import gap
from tests.unit.rules.variants import chosen, is_call, variants


def label(spec: OpSpec) -> str:
    return spec.label


def declaring(what: str) -> list[OpSpec]:
    return [spec for spec in SPECS if getattr(rule_for(spec.fn), what)]


def parameter(spec: OpSpec, place: Any) -> str:
    """Return the parameter of the rule that an argument is bound to."""
    if isinstance(place, str):
        return place
    rule = rule_for(spec.fn)
    assert rule is not None
    kinds = list(inspect.signature(rule.forward).parameters.values())[1:]
    for position, item in enumerate(kinds):
        if item.kind is inspect.Parameter.VAR_POSITIONAL or position == place:
            return item.name
    raise AssertionError(place)


def mapped(function: Any, *values: Any) -> Any:
    """Apply a function to numbers and arrays in equal structures."""
    if isinstance(values[0], (list, tuple)):
        return type(values[0])(mapped(function, *items) for items in zip(*values, strict=True))
    return function(*values)


class Moved:
    """A spec with drawn arguments and a tangent for some of them."""

    def __init__(self, spec: OpSpec, places: list[Any]) -> None:
        self.spec = spec
        self.args, self.kwargs, self.active = spec.make_args(np.random.default_rng(0))
        tangents, named, _ = spec.make_args(np.random.default_rng(1))
        self.tangents = {
            place: named[place] if isinstance(place, str) else tangents[place] for place in places
        }

    def call(self, change: Any) -> list[Any]:
        """Call the function with some arguments changed by ``change(value, tangent)``."""
        args, kwargs = list(self.args), dict(self.kwargs)
        for place, tangent in self.tangents.items():
            holder: Any = kwargs if isinstance(place, str) else args
            holder[place] = mapped(change, holder[place], tangent)
        return [np.asarray(out) for out in as_outputs(self.spec.fn(*args, **kwargs))]

    def differences(self, step: float = 1e-3) -> list[Any]:
        """Return the derivatives of the outputs along the tangents."""
        ends = [self.call(lambda x, t, s=s: x + s * step * t) for s in (1, -1, 2, -2)]
        return [(8 * (a - b) - (c - d)) / (12 * step) for a, b, c, d in zip(*ends, strict=True)]


def assert_close(ours: list[Any], expected: list[Any]) -> None:
    for mine, other in zip(ours, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("spec", declaring("linear"), ids=label)
def test_a_linear_rule_maps_tangents_as_values(spec: OpSpec) -> None:
    rule = rule_for(spec.fn)
    assert rule is not None
    places = [p for p in Moved(spec, []).active if parameter(spec, p) in rule.linear]
    if not places:
        pytest.skip("no active argument is one of those that the rule is linear in")
    moved = Moved(spec, places)
    assert_close(moved.call(lambda x, t: t), moved.differences())


@pytest.mark.parametrize("spec", declaring("multilinear"), ids=label)
def test_a_multilinear_rule_maps_each_tangent_as_a_value(spec: OpSpec) -> None:
    rule = rule_for(spec.fn)
    assert rule is not None
    for place in Moved(spec, []).active:
        assert parameter(spec, place) in rule.multilinear
        moved = Moved(spec, [place])
        assert_close(moved.call(lambda x, t: t), moved.differences())


def _ran(moved: Moved) -> tuple[Call, Any]:
    call = Call.of(moved.spec, moved.args, moved.kwargs, moved.active)
    return call, call.output


@pytest.mark.parametrize("spec", declaring("elementwise"), ids=label)
def test_an_elementwise_rule_multiplies_by_slopes(spec: OpSpec) -> None:
    for number, place in enumerate(Moved(spec, []).active):
        moved = Moved(spec, [place])
        call, output = _ran(moved)
        (tangent,) = moved.tangents.values()
        if np.iscomplexobj(output) or np.iscomplexobj(tangent):
            continue  # backward holds conjugates then, which tangents do without
        if np.shape(output) != np.shape(tangent):
            continue  # the slope is summed already
        slope = call.backward((np.ones_like(output),))[number]
        assert_close([tangent * slope], moved.differences())


@pytest.mark.parametrize("spec", declaring("reduces"), ids=label)
def test_a_reducing_rule_sums_slopes_over_its_axes(spec: OpSpec) -> None:
    moved = Moved(spec, Moved(spec, []).active[:1])
    (tangent,) = moved.tangents.values()
    if np.iscomplexobj(tangent):
        pytest.skip("the slope of a complex number is no slope")
    call, output = _ran(moved)
    slope = call.backward((np.ones_like(output),))[0]
    bound = inspect.signature(call.rule.forward).bind(None, *moved.args, **moved.kwargs)
    bound.apply_defaults()
    axis, keepdims = bound.arguments["axis"], bound.arguments.get("keepdims", False)
    if np.ndim(bound.arguments.get("q", 0)):
        pytest.skip("several quantiles are no one reduction")
    total = np.sum(tangent * slope, axis=axis, keepdims=keepdims)
    assert_close([total], moved.differences())


PUSHED = [spec for spec in SPECS if hasattr(rule_for(spec.fn), "jvp")]
OTHERS = [spec for spec in PUSHED if not canonical_name(spec.fn).startswith("srcgrad.")]
FIRST = {id(spec) for spec in chosen(OTHERS)}


def assert_transposed(spec: OpSpec) -> None:
    """A tangent meets the gradients of outputs as they meet it once they are pulled back."""
    rng = np.random.default_rng(3)
    args, kwargs, active = spec.make_args(rng)
    call = Call.of(spec, args, kwargs, active)
    ways = [_ways(value, rng) for value in call.inputs()]
    flags, waiting = call.context.needs_input_grad, iter(ways)
    tangents = [next(waiting) if flag else None for flag in flags]
    pushed = as_outputs(call.rule.jvp(call.context, *tangents))
    grads = Loss(spec, call.output, rng).grads(call.output)
    pairs = [(g, t) for g, t in zip(grads, pushed, strict=True) if g is not None and t is not None]
    pulled = call.backward(grads)
    total = sum(_met(grad, way) for grad, way in zip(pulled, ways, strict=True))
    np.testing.assert_allclose(sum(along_way(g, t) for g, t in pairs), total, rtol=1e-8, atol=1e-9)


def _ways(value: Any, rng: np.random.Generator) -> Any:
    """Return a direction for each number and array in nested lists."""
    return rebuild(value, (random_way(leaf, rng) for leaf in leaves(value)))


def _met(grad: Any, way: Any) -> float:
    pairs = zip(gradient_leaves(grad, way), leaves(way), strict=True)
    return sum(along_way(part, item) for part, item in pairs)


@pytest.mark.parametrize("spec", PUSHED, ids=label)
def test_a_tangent_is_pushed_as_gradients_are_pulled(spec: OpSpec) -> None:
    assert_transposed(spec)


@pytest.mark.parametrize("spec", OTHERS, ids=label)
def test_tangents_of_other_shapes_and_kinds_are_pushed_as_gradients_are_pulled(
    spec: OpSpec,
) -> None:
    for word, other in variants(spec, elementwise=False):
        wanted = id(spec) in FIRST or word.endswith("stack")
        if wanted and gap(word, other) is None and is_call(other):
            try:
                assert_transposed(other)
            except (sg.MissingRuleError, sg.NotDifferentiableError):
                continue  # refused by name
            except Exception as error:
                error.add_note(f"{word}: {other.label}")
                raise
