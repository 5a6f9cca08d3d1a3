"""Derivatives by containers: Python's own, and classes that users register."""

from __future__ import annotations

import dataclasses
from collections import deque, namedtuple
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api.structures import copied
from srcgrad.runtime.containers import REGISTERED

pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")


class Layer:
    """An object of which two fields are parts, the rest is not."""

    def __init__(self, w: Any, b: Any, scale: float, name: str) -> None:
        self.w, self.b, self.scale, self.name = w, b, scale, name


class Bag(dict[str, Any]):
    """A dict of another class."""


class Logarithms:
    """A container whose parts are not what it holds."""

    def __init__(self, values: Any) -> None:
        self.values = values


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A frozen object around a container."""

    inner: Layer
    rate: float


Pair = namedtuple("Pair", ["left", "right"])


@pytest.fixture(autouse=True)
def registered():
    before = dict(REGISTERED)
    sg.register_container(
        Layer,
        lambda layer: ((layer.w, layer.b), (layer.scale, layer.name)),
        lambda rest, parts: Layer(*parts, *rest),
    )
    sg.register_container(
        Bag,
        lambda bag: (list(bag.values()), tuple(bag)),
        lambda keys, parts: Bag(zip(keys, parts, strict=True)),
    )
    sg.register_container(deque, lambda d: (tuple(d), d.maxlen), lambda n, parts: deque(parts, n))
    sg.register_container(
        Logarithms,
        lambda logs: ((logs.values * 1.0,), None),
        lambda rest, parts: Logarithms(parts[0]),
    )
    sg.register_container(
        Frozen, lambda f: ((f.inner, f.rate), None), lambda rest, parts: Frozen(*parts)
    )
    yield
    REGISTERED.clear()
    REGISTERED.update(before)


W, B = np.array([0.5, -1.0, 2.0]), 0.3


def of_layer(p, x):
    return np.sum(np.tanh(p.w * x + p.b) * p.scale)


def of_bag(p, x):
    return np.sum(np.tanh(p["w"] * x + p["b"]) * 2.0)


def of_deque(p, x):
    return np.sum(np.tanh(p[0] * x + p[1]) * 2.0)


def of_logarithms(p, x):
    return np.sum(np.tanh(p.values * x))


def of_frozen(p, x):
    return of_layer(p.inner, x) * p.rate**2


def of_nested(p, x):
    first, rest = p["layers"]
    return of_layer(first, x) * rest.right + of_layer(rest.left, x)


def of_dict(p, x):
    return np.sum(np.tanh(p["w"] * x + p["b"])) * p["more"][0] ** 2


def of_pair(p, x):
    return np.sum(np.tanh(p.left * x)) * p.right**2


def layer(w=W, b=B):
    return Layer(w.copy(), b, 2.0, "first")


X = np.array([1.0, 0.4, -0.6])
CASES = {
    "fields": (of_layer, layer(), lambda g: (g.w, g.b)),
    "dict": (of_bag, Bag(w=W.copy(), b=B), lambda g: (g["w"], g["b"])),
    "deque": (of_deque, deque([W.copy(), B]), tuple),
    "computed": (of_logarithms, Logarithms(W.copy()), lambda g: (g.values,)),
    "frozen": (of_frozen, Frozen(layer(), 1.5), lambda g: (g.inner.w, g.inner.b, g.rate)),
    "nested": (
        of_nested,
        {"layers": (layer(), Pair(layer(0.5 * W, B), 1.5)), "none": None, "steps": 3},
        lambda g: (
            g["layers"][0].w,
            g["layers"][0].b,
            g["layers"][1].left.w,
            g["layers"][1].left.b,
            g["layers"][1].right,
        ),
    ),
    "python dict": (
        of_dict,
        {"w": W.copy(), "b": B, "more": [1.5, None], "label": "x", "n": 2},
        lambda g: (g["w"], g["b"], g["more"][0]),
    ),
    "named tuple": (of_pair, Pair(W.copy(), 1.5), tuple),
}


def numbers(parts):
    return np.concatenate([np.ravel(part) for part in parts])


def direction_of(p):
    """Return a tangent like `p`: the argument itself, its text and counts left out."""
    return sg.scipy_objective(lambda q: 0.0, p).unravel(
        np.linspace(-1.0, 1.5, sg.scipy_objective(lambda q: 0.0, p).x0.size)
    )


def moved(f, p, v, h):
    o = sg.scipy_objective(f, p, X)
    return o.fun(o.x0 + h * v)


def slope(g, h=1e-3):
    return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h)


@pytest.mark.parametrize("case", CASES)
def test_every_derivative_has_the_type_of_its_argument(case):
    f, p, parts = CASES[case]
    gradient = sg.grad(f)(p, X)
    assert type(gradient) is type(p)
    o = sg.scipy_objective(f, p, X)
    v = np.linspace(-1.0, 1.5, o.x0.size)
    expected = slope(lambda h: moved(f, p, v, h))
    np.testing.assert_allclose(numbers(parts(gradient)) @ v, expected, rtol=1e-7)
    value, same = sg.value_and_grad(f)(p, X)
    assert value == f(p, X)
    np.testing.assert_array_equal(numbers(parts(same)), numbers(parts(gradient)))
    tangent = direction_of(p)
    np.testing.assert_allclose(sg.jvp(f, (p, X), (tangent, None))[1], expected, rtol=1e-7)
    _, pull = sg.vjp(f, p, X)
    by_p, by_x = pull(1.0)
    assert type(by_p) is type(p)
    np.testing.assert_allclose(numbers(parts(by_p)), numbers(parts(gradient)), rtol=1e-12)
    np.testing.assert_allclose(by_x, sg.grad(f, argnums=1)(p, X), rtol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_jacobians_and_hessians_are_containers_of_containers(case):
    f, p, parts = CASES[case]
    gradient = sg.grad(f)(p, X)
    for jacobian in (sg.jacobian(f), sg.jacfwd(f), sg.jacrev(f)):
        found = jacobian(p, X)
        assert type(found) is type(p)
        np.testing.assert_allclose(numbers(parts(found)), numbers(parts(gradient)), rtol=1e-12)
    second = sg.hessian(f)(p, X)
    assert type(second) is type(p)
    rows = [numbers([np.atleast_1d(part)]) for row in parts(second) for part in parts(row)]
    product = sg.hvp(f, (p, X), (direction_of(p), None))
    assert type(product) is type(p)
    o = sg.scipy_objective(f, p, X)
    v = np.linspace(-1.0, 1.5, o.x0.size)
    expected = slope(lambda h: numbers(parts(sg.grad(f)(o.unravel(o.x0 + h * v), X))))
    np.testing.assert_allclose(numbers(parts(product)), expected, rtol=1e-6, atol=1e-9)
    assert sum(row.size for row in rows) == o.x0.size**2


def test_fields_of_a_plain_class_are_differentiated_by_source():
    gradient = sg.grad(of_layer, fallback="error")
    found = gradient(layer(), X)
    assert (found.scale, found.name) == (2.0, "first")
    assert "p.w" in gradient.source


def test_what_has_no_float_is_none():
    found = sg.grad(of_nested)(CASES["nested"][1], X)
    assert found["none"] is None
    assert sg.grad(of_dict)(CASES["python dict"][1], X)["label"] is None


def test_others_run_on_the_tape_and_say_so():
    with pytest.raises(sg.UnsupportedError, match="not read field by field"):
        sg.grad(of_deque, fallback="error")(deque([W, B]), X)
    with pytest.warns(sg.FallbackWarning, match="of_deque"):
        sg.grad(of_deque)(deque([W, B]), X)


def test_one_number_in_two_fields_is_two_parts():
    one = 1.5
    sg.register_container(Pair, lambda p: ((p.right, p.left), None), lambda _, p: Pair(p[1], p[0]))
    found = sg.grad(lambda p: p.left**2 * p.right**3, fallback="error")(Pair(one, one))
    np.testing.assert_allclose((found.left, found.right), (2 * one**4, 3 * one**4))


def test_only_classes_of_ones_own_are_registered():
    with pytest.raises(sg.ArgumentError, match="dict"):
        sg.register_container(dict, lambda d: (d, None), lambda _, d: d)


class Node:
    """A node of a tree, which knows its parent."""

    def __init__(self, length: float, parent: Node | None = None) -> None:
        self.length, self.parent, self.children = length, parent, []
        if parent is not None:
            parent.children.append(self)


def tree() -> Node:
    root = Node(1.0)
    Node(2.0, root)
    Node(3.0, Node(0.5, root))
    return root


@pytest.mark.parametrize("engine", ["error", "tape"])
def test_an_argument_may_hold_what_holds_it(engine: Any) -> None:
    def spread(x: Any, root: Node) -> Any:
        total = 0.0
        for child in root.children:
            total = total + child.length * x * child.parent.length
        return total * x

    assert sg.grad(spread, fallback=engine)(3.0, tree()) == pytest.approx(15.0)


def test_a_copy_of_a_tree_is_a_tree() -> None:
    mine = copied(tree())
    assert [child.parent is mine for child in mine.children] == [True, True]


def test_a_derivative_by_what_holds_itself_is_refused() -> None:
    with pytest.raises(sg.NotDifferentiableError, match="holds itself"):
        sg.grad(lambda root: root.length * 2.0)(tree())
