"""A new closure of a known text has its derivative at once, and it is the right one."""

from __future__ import annotations

import importlib
import types
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import known_texts
from tests.differences import assert_same, numerical_gradient

W = np.linspace(0.5, 1.5, 3)
RATE = 2.0


@pytest.fixture(autouse=True)
def _nothing_is_known():
    known_texts.forget()


@pytest.fixture
def compilations(monkeypatch):
    """Count what is compiled."""
    found = []
    for place, name in (
        ("gradient", "compile_gradient"),
        ("halves", "compile_halves"),
        ("pushforward", "compile_tangents"),
    ):
        module = importlib.import_module(f"srcgrad.api.{place}")
        make = getattr(module, name)

        def counted(request, stages=None, make=make):
            found.append(request)
            return make(request, stages)

        monkeypatch.setattr(module, name, counted)
    return found


def helper(x):
    return x * RATE


def over_data(batch):
    return lambda w: np.sum(np.tanh(w * batch) ** 2)


def over_data_by_a_helper(batch):
    def inner(w, power=2):
        return np.sin(w * batch) ** power

    def loss(w):
        total = 0.0
        for _ in range(2):
            total = total + np.sum(inner(w) * w)
        return total

    return loss


def over_data_by_a_global(batch):
    return lambda w: np.sum(helper(w) * batch)


def with_a_default(batch):
    def loss(w, b=batch, *, c=batch):
        return np.sum(w * b * c)

    return loss


def with_a_loop(batch):
    def loss(w):
        total = 0.0
        for i in range(len(batch)):
            total = total + batch[i] * w[i] ** 2
        return total

    return loss


DATA = [W, 2.0 * W, np.ones(3), np.array([3.0, -1.0, 0.5])]
MAKERS = [over_data, over_data_by_a_helper, over_data_by_a_global, with_a_default, with_a_loop]


@pytest.mark.parametrize("make", MAKERS)
def test_closures_of_one_text_are_compiled_once(make, compilations):
    for data in DATA:
        loss = make(data)
        assert_same(sg.grad(loss, fallback="error")(W), numerical_gradient(loss, (W,), 0))
        if data is DATA[0]:
            first = len(compilations)
    assert len(compilations) == first


@pytest.mark.parametrize("make", MAKERS)
def test_so_are_pullbacks_and_tangents(make, compilations):
    for data in DATA:
        loss = make(data)
        expected = numerical_gradient(loss, (W,), 0)
        assert_same(sg.vjp(loss, W)[1](1.0)[0], expected)
        assert_same(sg.jvp(loss, (W,), (np.ones(3),))[1], np.sum(expected))
        if data is DATA[0]:
            first = len(compilations)
    assert len(compilations) == first


@pytest.mark.parametrize("make", MAKERS)
def test_the_first_derivatives_stay_right(make):
    gradients = [(make(data), sg.grad(make(data))) for data in DATA]
    for _ in range(2):
        for loss, gradient in gradients:
            assert_same(gradient(W), numerical_gradient(loss, (W,), 0))


@pytest.mark.parametrize("make", [over_data, with_a_default, over_data_by_a_helper])
def test_data_of_other_kinds_have_texts_of_their_own(make):
    kinds: list[Any] = [W, 2.0, 3, W[:, None], W[:1], W.astype(np.float32), True, np.float64(0.5)]
    for data in [*kinds, *reversed(kinds)]:
        loss = make(data)
        expected = numerical_gradient(loss, (W,), 0)
        assert_same(sg.grad(loss)(W), expected, 1e-3 if data is kinds[5] else 1e-6)


def test_a_list_where_an_array_was_is_a_list():
    def make(data):
        return lambda w: np.sum(w[0] * np.array(data * 2))

    for data in ([1.0, 2.0], np.array([1.0, 2.0]), [3.0], np.array([3.0])):
        loss = make(data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warnings.warn", lambda *args, **kwargs: None)
            assert_same(sg.grad(loss)(W), numerical_gradient(loss, (W,), 0))


def test_functions_that_are_captured_are_told_apart():
    def make(h):
        return lambda w: np.sum(h(w))

    def squares(x):
        return x * x

    def cubes(x):
        return x * x * x

    for h in (np.sin, squares, np.exp, cubes, np.sin, squares):
        assert_same(sg.grad(make(h))(W), numerical_gradient(make(h), (W,), 0))


def test_closures_inside_closures_are_followed():
    def scaled(factor):
        return lambda x: x * factor

    def make(factor):
        inner = scaled(factor)
        return lambda w: np.sum(inner(inner(w)))

    for factor in (2.0, 3.0, W, 4.0, 2.0 * W):
        assert_same(sg.grad(make(factor))(W), numerical_gradient(make(factor), (W,), 0))


def test_a_captured_object_is_seen_as_it_is():
    def make(settings):
        return lambda w: np.sum(w * settings.gain)

    for gain in (2.0, 3.0, W):
        loss = make(types.SimpleNamespace(gain=gain))
        assert_same(sg.grad(loss)(W), numerical_gradient(loss, (W,), 0))


def test_a_flag_that_is_captured_chooses_its_branch():
    def make(flag):
        def loss(w):
            if flag:
                return np.sum(w * w)
            return np.sum(w)

        return loss

    for flag in (True, False, None, 1, 0, True):
        assert_same(sg.grad(make(flag))(W), numerical_gradient(make(flag), (W,), 0))


def test_a_global_that_changes_between_closures_is_seen(monkeypatch):
    losses = [over_data_by_a_global(data) for data in DATA]
    changes: list[Any] = [2.0, 3.0, W, lambda x: x]
    for loss, value in zip(losses, changes, strict=True):
        if callable(value):
            monkeypatch.setitem(globals(), "helper", value)
        else:
            monkeypatch.setitem(globals(), "RATE", value)
        assert_same(sg.grad(loss)(W), numerical_gradient(loss, (W,), 0))


def test_a_helper_whose_defaults_change_between_closures_is_compiled_anew():
    def make(data, power):
        def inner(w, n=power):
            return w**n

        return lambda w: np.sum(inner(w) * data)

    for power in (2, 3, 2.0, W, 1):
        loss = make(W, power)
        assert_same(sg.grad(loss)(W), numerical_gradient(loss, (W,), 0))


def test_a_helper_that_is_gone_is_not_taken_for_none(monkeypatch):
    def make(data):
        return lambda w: np.sum(w if helper is None else helper(w) * data)

    monkeypatch.setitem(globals(), "helper", lambda x: x * x)
    sg.grad(make(W))(W)
    monkeypatch.setitem(globals(), "helper", None)
    loss = make(W)
    assert_same(sg.grad(loss, fallback="tape")(W), numerical_gradient(loss, (W,), 0))


def test_complex_data_after_real_data_gives_complex_text():
    def make(b):
        return lambda w: np.sum(np.abs(w * b) ** 2)

    for data in (W, W * (1.0 + 2.0j), W):
        loss = make(data)
        assert_same(sg.grad(loss)(W), numerical_gradient(loss, (W,), 0))


def test_a_cell_that_is_bound_later_is_seen():
    def make():
        loss = lambda w: np.sum(w * factor)  # noqa: E731
        gradient = sg.grad(loss)
        factor = 2.0
        return gradient, loss

    for _ in range(2):
        gradient, loss = make()
        assert_same(gradient(W), numerical_gradient(loss, (W,), 0))


def test_texts_are_forgotten_when_there_are_many(monkeypatch):
    monkeypatch.setattr(known_texts, "_MOST_TEXTS", 4)
    for number in range(10):
        space: dict[str, Any] = {"np": np}
        exec(f"def loss(w):\n    return np.sum(w * {number})\n", space)
        sg.grad(over_data(W))(W)
        sg.vjp(over_data(W), W)
    assert len(known_texts._KNOWN) <= 4


@pytest.mark.parametrize("use", [sg.grad, sg.value_and_grad, sg.jacrev, sg.jacfwd])
def test_none_that_is_captured_is_no_global_of_the_module(use):
    def make(bias, weights=None):
        def inner(w):
            return w * w if bias is None else w + bias

        def loss(w):
            return np.sum(inner(w) if weights is None else inner(w) * weights)

        return loss

    for loss in (make(None), make(W), make(None, W), make(W, W)):
        found = use(loss)(W)
        found = found[1] if use is sg.value_and_grad else found
        assert_same(found, numerical_gradient(loss, (W,), 0))
