"""Calls in a row with objects and containers whose parts are of another kind, or more of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg


class Part:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def through(self, x: Any) -> Any:
        for layer in self.layers:
            x = np.tanh(layer.w * x)
        return x


def scaled(part: Any) -> Any:
    return np.sum(part.w * part.k * part.k)


def all_items(part: Any) -> Any:
    return part.w + sum(np.sum(v * v) for v in part.items.values())


def all_entries(part: Any) -> Any:
    total = part.w
    for v in part.entries:
        total = total + np.sum(v * v)
    return total


def two_nets(nets: Any) -> Any:
    first, second = nets
    return first.through(1.5) * second.through(0.5)


def named_layers(net: Any) -> Any:
    x = 0.7
    for layer in net["layers"].values():
        x = np.tanh(layer.w * x) + x
    return x


def nested(value: Any) -> Any:
    def total(v: Any) -> Any:
        return sum(map(total, v)) if isinstance(v, list) else np.sum(v * v)

    return total(value)


def nested_by_length(value: Any) -> Any:
    def total(v: Any) -> Any:
        return v**2 if not hasattr(v, "__len__") else sum(total(w) for w in v)

    return total(value)


def nested_at_the_top(value: Any) -> Any:
    total = 0.0
    for v in value if isinstance(value, list) else ():
        total = total + nested_at_the_top(v)
    return total if isinstance(value, list) else value * value


def beside_an_object(parts: Any) -> Any:
    return parts["a"].w * parts["b"] ** 2


def net(*weights: float) -> Part:
    return Part(layers=[Part(w=w) for w in weights])


def named(**weights: float) -> dict[str, Any]:
    return {"layers": {name: Part(w=w) for name, w in weights.items()}}


CALLS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "an int, a float, an array": (
        scaled,
        [Part(w=1.5, k=2), Part(w=1.5, k=2.5), Part(w=2, k=1.5), Part(w=2.0, k=np.ones(2))],
    ),
    "a dict that was empty": (
        all_items,
        [Part(w=1.5, items={}), Part(w=1.5, items={"a": 2.0}), Part(w=1.5, items={})],
    ),
    "a list that was empty": (
        all_entries,
        [Part(w=1.5, entries=[]), Part(w=1.5, entries=[2.0, np.ones(2)])],
    ),
    "more layers of objects in a list": (
        two_nets,
        [[net(0.5, 2.0), net(1.0)], [net(0.5, 2.0, 3.0), net(1.0)], [net(0.5), net(1.0, 2.0)]],
    ),
    "more objects in a dict": (named_layers, [named(a=0.5), named(a=0.5, b=2.0), named(b=0.3)]),
    "an int beside an object": (
        beside_an_object,
        [{"a": Part(w=2.0), "b": 3}, {"a": Part(w=2.0), "b": 1.5}, {"a": Part(w=2.0), "b": 2}],
    ),
    "nested lists": (nested, [[1.0], [1.0, [2.0, 3.0]], [[[1.0], 2.0], np.ones(2)]]),
    "nested lists, asked for a length": (nested_by_length, [[1.0], [1.0, [2.0, 3.0]]]),
    "nested lists, by a function of the module": (nested_at_the_top, [[1.0], [1.0, [2.0, 3.0]]]),
}


def numbers(value: Any) -> list[float]:
    """Return all floats of a tree, by key."""
    if isinstance(value, (Part, dict)):
        items = vars(value) if isinstance(value, Part) else value
        return [n for _, item in sorted(items.items()) for n in numbers(item)]
    if isinstance(value, (list, tuple)):
        return [n for item in value for n in numbers(item)]
    return [] if value is None else [float(n) for n in np.ravel(value)]


def pulled(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        out, pull = sg.vjp(function, value)
        return out, pull(1.0)[0]

    return run


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("way", [sg.value_and_grad, pulled], ids=["grad", "vjp"])
@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_differentiated_for_its_own_arguments(name: str, way: Any) -> None:
    function, calls = CALLS[name]
    run = way(function)
    for value in calls:
        out, grad = run(value)
        expected = sg.grad(function, backend="tape")(value)
        assert out == pytest.approx(function(value), rel=1e-12)
        np.testing.assert_allclose(numbers(grad), numbers(expected), rtol=1e-9)
        assert any(numbers(expected))


def test_a_gradient_that_is_differentiated_follows_the_object_of_the_call() -> None:
    inner = sg.grad(lambda part, x: np.sum(part.through(x) ** 2), 1)
    x, step = np.array([0.3, 0.8]), 1e-5
    inner(net(0.5), x)
    for part in (net(0.5, 2.0), net(0.7), net(0.5, 2.0, 1.5)):
        found = sg.jvp(lambda x, part=part: inner(part, x), (x,), (np.ones(2),))[1]
        expected = (inner(part, x + step) - inner(part, x - step)) / (2.0 * step)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def weighted_fields(pair: Any) -> Any:
    return np.sum(pair.a * 2.0) + np.sum(pair.b * pair.b)


def weighted_entries(pair: Any) -> Any:
    return np.sum(pair["a"] * 2.0) + np.sum(pair["b"] * pair["b"])


@pytest.mark.parametrize(("weighted", "make"), [(weighted_entries, dict), (weighted_fields, Part)])
def test_tangents_may_have_their_keys_in_another_order(weighted: Any, make: Any) -> None:
    pair = make(a=np.ones(2), b=np.ones(3))
    ordered = sg.jvp(weighted, (pair,), (make(a=np.ones(2), b=np.arange(3.0)),))[1]
    turned = sg.jvp(weighted, (pair,), (make(b=np.arange(3.0), a=np.ones(2)),))[1]
    assert turned == ordered != 0.0
    with pytest.raises(sg.ArgumentError, match="structure"):
        sg.jvp(weighted, (pair,), (make(b=np.ones(2), a=np.ones(3)),))
