"""Objects as arguments of every derivative, by source: their fields, objects in them, integers."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as sg


@dataclass
class Weights:
    w: np.ndarray
    b: float
    order: int = 2


class Layer:
    def __init__(self, scale, shift):
        self.scale = scale
        self.shift = shift

    def __call__(self, x):
        return np.tanh(x * self.scale) + self.shift


class Net:
    def __init__(self, layers):
        self.layers = layers


def loss(p):
    return np.sum(np.tanh(p.w)) * p.b**p.order


def net(n, x):
    for layer in n.layers:
        x = layer(x)
    return np.sum(x)


def pair(ps):
    return ps[0].b * ps[1].b + np.sum(ps[0].w * ps[1].w ** 2)


def mixed(d):
    return np.sum(d["p"].w * d["q"]) * d["p"].b


def looped(p):
    s = 0.0
    for i in range(3):
        s = s * p.b + p.w[i] ** 2
        if s > 0.5:
            s = s - p.w[0]
    return s


def written(p):
    p.w[0] = p.w[1] * p.b
    return np.sum(p.w**2)


X = np.array([0.3, 0.7, 0.9])


def one():
    return Weights(X.copy(), 2.0)


def other():
    return Weights(np.array([1.0, -1.0, 0.5]), 0.3)


def layers(*numbers):
    return Net([Layer(a, b) for a, b in numbers])


CASES = [
    (loss, (one(),), (other(),)),
    (net, (layers((0.5, 0.1), (0.7, 0.2)), 0.4), (layers((0.3, -0.2), (1.0, 0.5)), 1.0)),
    (pair, ([one(), other()],), ([other(), one()],)),
    (mixed, ({"p": one(), "q": X},), ({"p": other(), "q": -X},)),
    (looped, (one(),), (other(),)),
]


def parts(value, like):
    """Return what stands in a value where there is a float in another."""
    if isinstance(like, (list, tuple)):
        return [x for a, b in zip(value, like, strict=True) for x in parts(a, b)]
    if isinstance(like, dict):
        return [x for key in like for x in parts(value[key], like[key])]
    if isinstance(like, np.ndarray):
        return list(np.ravel(value))
    if isinstance(like, (int, float)):
        return [] if isinstance(like, int) else [value]
    return [x for name in vars(like) for x in parts(getattr(value, name), getattr(like, name))]


def moved(value, along, by):
    if isinstance(value, (list, tuple)):
        return type(value)(moved(a, b, by) for a, b in zip(value, along, strict=True))
    if isinstance(value, dict):
        return {key: moved(item, along[key], by) for key, item in value.items()}
    if isinstance(value, (np.ndarray, float)):
        return value + by * along
    if isinstance(value, int):
        return value
    new = copy.copy(value)
    for name, item in vars(value).items():
        setattr(new, name, moved(item, getattr(along, name), by))
    return new


def slope(f, primals, along, h=1e-6):
    ahead, behind = (f(*moved(primals, along, by)) for by in (h, -h))
    return (np.array(ahead) - np.array(behind)) / (2.0 * h)


@pytest.mark.parametrize("options", [{"fallback": "error"}, {"backend": "tape"}], ids=str)
@pytest.mark.parametrize(("f", "primals", "along"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_every_mode_agrees_with_differences(f, primals, along, options):
    want = slope(f, primals, along)
    _, tangent = sg.jvp(f, primals, along, **options)
    np.testing.assert_allclose(tangent, want, atol=1e-6)
    _, pull = sg.vjp(f, *primals, **options)
    adjoints = pull(1.0)
    total = np.dot(parts(adjoints, primals), parts(along, primals))
    np.testing.assert_allclose(total, want, atol=1e-6)
    every = tuple(range(len(primals)))
    g = sg.grad(f, argnums=every, **options)
    want = slope(lambda *given: parts(g(*given), primals), primals, along)
    found = sg.hvp(f, primals, along, **options)
    found = found if len(primals) > 1 else (found,)
    np.testing.assert_allclose(parts(found, primals), want, atol=1e-6)


@pytest.mark.parametrize("derivative", [sg.jacobian, sg.jacfwd, sg.jacrev])
def test_jacobians_by_field(derivative):
    found = derivative(lambda p: np.tanh(p.w) * p.b, fallback="error")(one())
    np.testing.assert_allclose(found.w, np.diag(2.0 / np.cosh(X) ** 2))
    np.testing.assert_allclose(found.b, np.tanh(X))


def test_hessians_by_field():
    found = sg.hessian(loss, fallback="error")(one())
    taped = sg.hessian(loss, backend="tape")(one())
    np.testing.assert_allclose(found.w.w, taped.w.w)
    np.testing.assert_allclose(found.w.b, taped.b.w)
    np.testing.assert_allclose(found.b.b, taped.b.b)


def test_what_the_function_writes_into_an_object_is_written_once():
    for options in ({"fallback": "error"}, {"backend": "tape"}):
        p, along = one(), other()
        before = copy.deepcopy(along)
        _, tangent = sg.jvp(written, (p,), (along,), **options)
        np.testing.assert_allclose(tangent, slope(written, (one(),), (other(),)), atol=1e-6)
        np.testing.assert_array_equal(p.w, [1.4, 0.7, 0.9])
        np.testing.assert_array_equal(along.w, before.w)


@pytest.mark.parametrize("options", [{"fallback": "tape"}, {"backend": "tape"}], ids=str)
def test_shared_memory_that_is_written_has_one_tangent(options):
    def f(p, q):
        p.w[0] = q.w[1] * 2.0
        return np.sum(p.w * q.w)

    p = one()
    with pytest.raises(sg.MutationError, match="shares"):
        sg.jvp(f, (p, Weights(p.w, 1.0)), (other(), one()), **options)
    a = X.copy()
    with pytest.raises(sg.MutationError, match="shares"):
        sg.jvp(lambda a, b: f(Weights(a, 0.0), Weights(b, 0.0)), (a, a), (X, X), **options)


def test_fields_that_change_before_the_pullback_runs():
    p = one()
    _, pull = sg.vjp(loss, p)
    p.w[:], p.b = 0.0, 100.0
    found, want = pull(1.0)[0], sg.grad(loss)(one())
    np.testing.assert_allclose(found.w, want.w)
    assert found.b == pytest.approx(want.b)


def test_another_class_and_another_integer_get_a_text_of_their_own():
    @dataclass
    class Other:
        w: np.ndarray
        b: float
        order: int

    for p in (Weights(X, 2.0, 3), Other(X, 2.0, 3), Weights(X, 2.0, 2), Weights(X[:2], 2.0, 4)):
        _, tangent = sg.jvp(loss, (p,), (p,), fallback="error")
        np.testing.assert_allclose(tangent, slope(loss, (p,), (p,)), atol=1e-5)
