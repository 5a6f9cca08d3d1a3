"""What a closure or a default captures is freed with its derivative."""

from __future__ import annotations

import gc
import sys
import warnings
import weakref

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import known_texts
from srcgrad.codegen import tracebacks
from tests.differences import assert_same, numerical_gradient

pytestmark = pytest.mark.slow  # before the heap, which is collected here often, has grown

W = np.linspace(0.5, 1.5, 4)


@pytest.fixture(autouse=True)
def _only_what_is_new_is_looked_through():
    """Let garbage be looked for among new objects alone: a worker has many others."""
    gc.freeze()


def captured(batch):
    return lambda w: np.sum((w * batch) ** 2)


def captured_by_a_helper(batch):
    def helper(w):
        return np.sin(w * batch)

    def loss(w):
        total = 0.0
        for _ in range(3):
            total = total + np.sum(helper(w) * w)
        return total

    return loss


def captured_by_recursion(batch):
    def power(w, n):
        return batch if n == 0 else w * power(w, n - 1)

    return lambda w: np.sum(power(w, 3))


def default(batch):
    def loss(w, b=batch):
        return np.sum(w * b)

    return loss


def keyword_default(batch):
    def loss(w, *, b=batch):
        return np.sum(w * b)

    return loss


def in_a_list(batch):
    parts = [batch, batch]
    return lambda w: np.sum(w * parts[0] * parts[1])


MAKERS = [
    captured,
    captured_by_a_helper,
    captured_by_recursion,
    default,
    keyword_default,
    in_a_list,
]


def compiled_on_tensors(f):
    x = sg.tensor(W, requires_grad=True)
    sg.compile(f)(x).backward()


def read(f):
    gradient = sg.grad(f)
    gradient(W)
    return gradient.source, gradient.explain()


def checked(f):
    with sg.debug_nans():
        sg.grad(f)(W)


def failed(f):
    with pytest.raises(ValueError, match="broadcast"):
        sg.grad(f)(np.ones(7))


USES = {
    "grad": lambda f: sg.grad(f)(W),
    "value_and_grad": lambda f: sg.value_and_grad(f)(W),
    "vjp": lambda f: sg.vjp(f, W)[1](1.0),
    "jvp": lambda f: sg.jvp(f, (W,), (W,)),
    "hvp": lambda f: sg.hvp(f, (W,), (W,)),
    "hessian": lambda f: sg.hessian(f)(W),
    "jacobian": lambda f: sg.jacobian(lambda w: w * f(w))(W),
    "compile": compiled_on_tensors,
    "tape": lambda f: sg.grad(f, fallback="tape")(W),
    "twice": lambda f: sg.grad(lambda w: np.sum(sg.grad(f)(w) ** 2))(W),
    "read": read,
    "checked": checked,
    "failed": failed,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("make", MAKERS)
def test_nothing_of_a_dropped_derivative_is_left(make, use):
    if use is failed and make is captured_by_recursion:
        pytest.skip("which gives an error of its own")
    gc.collect()
    before = {name for name in sys.modules if name.startswith("srcgrad._generated.")}
    alive = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        for scale in (1.0, 2.0):
            batch = scale * W
            alive.append(weakref.ref(batch))
            use(make(batch))
            del batch
    gc.collect()
    assert [ref() for ref in alive] == [None, None]
    assert {name for name in sys.modules if name.startswith("srcgrad._generated.")} <= before


def test_line_maps_go_with_their_modules_and_texts():
    known_texts.forget()
    gc.collect()
    before = len(tracebacks._MAPS)
    gradients = [sg.grad(captured(W)), sg.grad(default(W))]
    for gradient in gradients:
        gradient(W)
    assert len(tracebacks._MAPS) > before
    del gradient, gradients
    known_texts.forget()
    gc.collect()
    assert len(tracebacks._MAPS) == before


def test_data_that_was_replaced_is_freed():
    space = {"np": np, "__name__": "__main__", "batch": 2.0 * W}
    loss = captured(W).__class__(global_loss.__code__, space, "loss")
    gradient = sg.grad(loss)
    old = weakref.ref(space["batch"])
    gradient(W)
    space["batch"] = 3.0 * W
    assert_same(gradient(W), numerical_gradient(loss, (W,), 0))
    gc.collect()
    assert old() is None


def global_loss(w):
    return np.sum(w * batch**2)  # noqa: F821 - a global of another namespace


def test_a_function_that_is_kept_works_on_without_its_derivative():
    gradient = sg.grad(captured_by_a_helper(W))
    expected = gradient(W)
    function = gradient.generated
    del gradient
    gc.collect()
    np.testing.assert_array_equal(function(W), expected)


def test_a_pullback_is_kept_by_itself():
    pullbacks = [sg.vjp(captured_by_a_helper(scale * W), W)[1] for scale in (1.0, 2.0)]
    gc.collect()
    for scale, pullback in zip((1.0, 2.0), pullbacks, strict=True):
        loss = captured_by_a_helper(scale * W)
        assert_same(pullback(1.0)[0], numerical_gradient(loss, (W,), 0))


def test_closures_of_a_known_text_are_freed_without_the_garbage_collector():
    sg.grad(captured(W))(W)
    gc.collect()
    gc.disable()
    try:
        alive = []
        for scale in (2.0, 3.0, 4.0):
            for make in (captured, captured):
                batch = scale * W
                alive.append(weakref.ref(batch))
                sg.value_and_grad(make(batch))(W)
                del batch
        left = [ref() is not None for ref in alive]
    finally:
        gc.enable()
    assert left[2:] == [False] * 4
