"""Functions by the names of torch that take options of their own."""

from __future__ import annotations

import ast
import json
from typing import Any

import numpy as np
import pytest

from srcgrad import tape
from srcgrad.tape import creation, functions, methods, stand_ins
from tests.differences import numerical_gradient

X, Y = np.array([0.5, -1.5, 2.0]), np.array([2.0, 0.3, -0.7])


@pytest.mark.parametrize("alpha", [1, 0, 2.5, -1])
def test_what_is_added_is_scaled(alpha: float) -> None:
    np.testing.assert_allclose(functions.add(X, Y, alpha=alpha).numpy(), X + alpha * Y)
    np.testing.assert_allclose(functions.sub(X, Y, alpha=alpha).numpy(), X - alpha * Y)
    y = tape.tensor(Y.copy(), requires_grad=True)
    (functions.add(X, y, alpha=alpha) - functions.sub(X, y, alpha=alpha)).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), np.full(3, 2.0 * alpha))


def test_quotients_are_rounded_as_is_asked_for() -> None:
    np.testing.assert_allclose(functions.div(X, Y).numpy(), X / Y)
    floor = functions.div(X, Y, rounding_mode="floor")
    np.testing.assert_allclose(floor.numpy(), X // Y)
    np.testing.assert_allclose(functions.div(X, Y, rounding_mode="trunc").numpy(), np.trunc(X / Y))


MADE = {
    "zeros": (creation.zeros, np.zeros((2, 3))),
    "ones": (creation.ones, np.ones((2, 3))),
}


@pytest.mark.parametrize("dtype", [None, np.float32, int])
@pytest.mark.parametrize("name", MADE)
def test_new_tensors_have_the_kind_that_is_asked_for(name: str, dtype: Any) -> None:
    make, wanted = MADE[name]
    for found in (make(2, 3, dtype=dtype), make((2, 3), dtype=dtype)):
        np.testing.assert_array_equal(found.numpy(), wanted)
        assert found.numpy().dtype == np.dtype(dtype or float)
    assert make(2).requires_grad is False
    assert make(2, requires_grad=True).requires_grad is True


Z = np.array([1.5, -0.4, 0.9])
SQUARE, TALL = np.array([[2.0, 0.3], [-0.5, 1.2]]), np.array([[0.4, -1.0, 0.2], [1.1, 0.7, -0.3]])
PLAIN: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "rsqrt": (functions.rsqrt, lambda x: 1 / np.sqrt(x), (np.abs(X),)),
    "sigmoid": (functions.sigmoid, lambda x: 1 / (1 + np.exp(-x)), (X,)),
    "relu": (functions.relu, lambda x: np.maximum(x, 0), (X,)),
    "softplus": (functions.softplus, lambda x: np.log(1 + np.exp(x)), (X,)),
    "logit": (functions.logit, lambda x: np.log(x) - np.log(1 - x), (np.abs(X) / 3,)),
    "frac": (functions.frac, lambda x: x - np.trunc(x), (1.3 * X,)),
    "clamp": (lambda x: functions.clamp(x, -0.7, 1.1), lambda x: np.clip(x, -0.7, 1.1), (X,)),
    "clamp from below": (lambda x: functions.clamp(x, min=0.7), lambda x: np.clip(x, 0.7, 9), (X,)),
    "lerp": (functions.lerp, lambda x, y, z: x * (1 - z) + y * z, (X, Y, Z)),
    "addcmul": (functions.addcmul, lambda x, y, z: x + y * z, (X, Y, Z)),
    "addcmul of more": (
        lambda x, y, z: functions.addcmul(x, y, z, value=2.5),
        lambda x, y, z: x + 2.5 * y * z,
        (X, Y, Z),
    ),
    "addcdiv": (functions.addcdiv, lambda x, y, z: x + y / z, (X, Y, Z)),
    "addcdiv of more": (
        lambda x, y, z: functions.addcdiv(x, y, z, value=-0.5),
        lambda x, y, z: x - y / (2 * z),
        (X, Y, Z),
    ),
    "addmm": (functions.addmm, lambda x, y, z: x + y @ z, (TALL, SQUARE, TALL)),
    "addmm of more": (
        lambda x, y, z: functions.addmm(x, y, z, beta=0.5, alpha=3.0),
        lambda x, y, z: x / 2 + (y @ z) * 3,
        (TALL, SQUARE, TALL),
    ),
    "addmm, twice": (
        lambda x, y, z: functions.addmm(x, y, z, alpha=2.0),
        lambda x, y, z: x + 2 * (y @ z),
        (TALL, SQUARE, TALL),
    ),
    "det": (functions.det, lambda x: x[0, 0] * x[1, 1] - x[0, 1] * x[1, 0], (SQUARE,)),
    "add_": (lambda x, y: x.clone().add_(y), lambda x, y: x + y, (X, Y)),
    "add_ of more": (lambda x, y: x.clone().add_(y, alpha=2.5), lambda x, y: x + 2.5 * y, (X, Y)),
    "sub_": (lambda x, y: x.clone().sub_(y), lambda x, y: x - y, (X, Y)),
    "sub_ of more": (lambda x, y: x.clone().sub_(y, alpha=2.5), lambda x, y: x - 2.5 * y, (X, Y)),
    "addcmul_": (
        lambda x, y, z: x.clone().addcmul_(y, z, value=1.5),
        lambda x, y, z: x + 1.5 * y * z,
        (X, Y, Z),
    ),
    "clamp_": (lambda x: x.clone().clamp_(-0.7, 1.1), lambda x: np.clip(x, -0.7, 1.1), (X,)),
}


@pytest.mark.parametrize("name", PLAIN)
def test_values_and_slopes_are_those_of_plain_programs(name: str) -> None:
    function, plain, args = PLAIN[name]
    leaves = [tape.tensor(arg.copy(), requires_grad=True) for arg in args]
    found = function(*leaves)
    wanted = np.asarray(plain(*args))
    np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-12)
    weights = np.random.default_rng(4).normal(size=wanted.shape)
    (found * weights).sum().backward()
    for number, leaf in enumerate(leaves):
        expected = numerical_gradient(lambda *a: np.sum(plain(*a) * weights), args, number)
        np.testing.assert_allclose(leaf.grad.numpy(), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", functions.ELEMENTWISE)
def test_a_function_of_elements_is_made_with_its_rule_if_it_has_one(name: str) -> None:
    made = functions._unary(name, functions.ELEMENTWISE[name])
    x = tape.tensor(np.abs(X) / 3.0, requires_grad=True)
    with np.errstate(invalid="ignore"):  # of some that begin at 1
        found, known = made(x), getattr(functions, name)(x)
    assert made.__name__ == made.__qualname__ == name
    np.testing.assert_array_equal(found.detach().numpy(), known.detach().numpy())
    assert found.requires_grad is known.requires_grad
    if found.requires_grad:
        assert found.grad_fn.name() == known.grad_fn.name()


def test_methods_that_are_there_already_stay() -> None:
    before = dict(vars(methods.Methods))
    methods._install()
    changed = {name for name, value in vars(methods.Methods).items() if before.get(name) != value}
    for name in changed:  # so that other tests have what they had
        setattr(methods.Methods, name, before[name])
    assert {name for name in changed if not is_composed(name)} == set()
    assert not any(hasattr(tape.Tensor, f"{name}_") for name in methods.NOT_INPLACE)


def is_composed(name: str) -> bool:
    return name.removesuffix("_") in methods.COMPOSED


def test_a_method_of_numpy_takes_the_key_words_of_torch() -> None:
    x = tape.tensor(TALL)
    largest = methods._numpy_method("max", np.max)(x, dim=0)
    np.testing.assert_array_equal(largest.values.numpy(), TALL.max(0))
    np.testing.assert_array_equal(largest.indices.numpy(), TALL.argmax(0))
    np.testing.assert_array_equal(methods._numpy_method("max", np.max)(x, 0).numpy(), TALL.max(0))
    turned = methods._numpy_method("transpose", np.transpose)
    np.testing.assert_array_equal(turned(x, 1, 0).numpy(), TALL.T)
    with pytest.raises(TypeError, match="dim"):
        methods._numpy_method("nonzero", np.nonzero)(x, dim=0)
    out = np.zeros(3)
    assert methods._numpy_method("sum", np.sum)(x, 0, out=out) is out
    np.testing.assert_allclose(out, TALL.sum(0))


def test_what_stands_in_for_types_and_readers_is_found_by_what_they_are() -> None:
    kinds = [np.float64, np.ndarray, [], np.sin, float]
    assert [stand_ins._is_kind(kind) for kind in kinds] == [True, False, False, False, False]
    assert set(stand_ins._by_name(json)) == {"load", "loads"}
    assert set(stand_ins._by_name(ast)) == {"literal_eval"}


def test_another_name_is_no_function() -> None:
    with pytest.raises(AttributeError, match="has no function 'nothing'"):
        _ = functions.nothing
