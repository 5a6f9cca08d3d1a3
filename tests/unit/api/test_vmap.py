"""Tests `vmap`: its axes, its refusals, its texts, and derivatives on both sides of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg

RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(5, 3))


def dense(x, b):
    return np.tanh(WEIGHTS @ x + b)


def branching(x):
    if x.sum() > 0:
        x = x + 1
        y = x * 2
    else:
        y = -x
    return y.sum()


def until_small(x):
    while x > 1.0:
        x = x / 2
    return x


def test_a_matrix_product_becomes_one_of_all_examples():
    xs, b = RNG.normal(size=(4, 3)), RNG.normal(size=5)
    batched = sg.vmap(dense, in_axes=(0, None), fallback="error")
    np.testing.assert_allclose(batched(xs, b), [dense(x, b) for x in xs])
    assert "np.tanh(x @ WEIGHTS.T + b)" in batched.source


def test_examples_may_lie_along_any_axis():
    xs, b = RNG.normal(size=(3, 4)), RNG.normal(size=5)
    batched = sg.vmap(dense, in_axes=(1, None), out_axes=1, fallback="error")
    np.testing.assert_allclose(batched(xs, b), np.stack([dense(x, b) for x in xs.T], axis=1))


def test_axes_may_be_told_by_name_and_for_parts():
    def affine(p, x):
        return p["w"] * x + p["b"]

    p = {"w": RNG.normal(size=4), "b": 2.0}
    batched = sg.vmap(affine, in_axes={"p": {"w": 0, "b": None}, "x": None}, fallback="error")
    np.testing.assert_allclose(batched(p, x=3.0), p["w"] * 3.0 + 2.0)


def test_batches_may_be_nested():
    xs, bs = RNG.normal(size=(2, 4, 3)), RNG.normal(size=(2, 5))
    batched = sg.vmap(sg.vmap(dense, (0, None), fallback="error"), fallback="error")
    wanted = [[dense(x, b) for x in rows] for rows, b in zip(xs, bs, strict=True)]
    np.testing.assert_allclose(batched(xs, bs), wanted)


def test_a_branch_selects_for_each_example():
    xs = RNG.normal(size=(6, 3))
    batched = sg.vmap(branching, fallback="error")
    np.testing.assert_allclose(batched(xs), [branching(x) for x in xs])


def test_a_loop_of_another_length_for_each_is_refused_with_its_line():
    with pytest.raises(sg.NotBatchedError, match=r"`while` loop .*\n.*test_vmap.py"):
        sg.vmap(until_small, fallback="error")(np.array([1.0, 9.0]))


def test_what_is_refused_runs_as_a_loop_with_a_warning():
    with pytest.warns(sg.FallbackWarning, match="called for each example"):
        found = sg.vmap(until_small)(np.array([1.0, 9.0]))
    np.testing.assert_allclose(found, [1.0, 0.5625])


def test_gradients_of_each_example():
    def loss(w, x, y):
        return np.sum((np.tanh(w @ x) - y) ** 2)

    w, xs, ys = RNG.normal(size=(2, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(4, 2))
    g = sg.grad(loss)
    found = sg.vmap(g, in_axes=(None, 0, 0), fallback="error")(w, xs, ys)
    np.testing.assert_allclose(found, [g(w, x, y) for x, y in zip(xs, ys, strict=True)])


def test_a_derivative_of_a_batch():
    xs = RNG.normal(size=(4, 3))
    batched = sg.vmap(dense, in_axes=(0, None), fallback="error")

    def total(b):
        return batched(xs, b).sum()

    def by_loop(b):
        return sum(dense(x, b).sum() for x in xs)

    b = RNG.normal(size=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        np.testing.assert_allclose(sg.grad(total)(b), sg.grad(by_loop)(b))


def test_data_of_other_axes_get_another_text(monkeypatch):
    xs, b = RNG.normal(size=(4, 3)), RNG.normal(size=5)
    batched = sg.vmap(dense, in_axes=(0, None), fallback="error")
    batched(xs, b)
    monkeypatch.setitem(globals(), "WEIGHTS", RNG.normal(size=3))
    np.testing.assert_allclose(batched(xs, b), [dense(x, b) for x in xs])


def test_what_all_examples_share_is_not_written():
    def counted(x, counts):
        counts[0] += 1.0
        return x * 2

    with pytest.raises(sg.NotBatchedError, match="which all examples share"):
        sg.vmap(counted, in_axes=(0, None), fallback="error")(np.ones(3), np.zeros(2))


def test_axes_that_are_not_there_are_refused():
    with pytest.raises(sg.ArgumentError, match="no axis 0"):
        sg.vmap(dense)(np.ones((2, 3)), 1.0)
    with pytest.raises(sg.ArgumentError, match="has 2 examples and `b` has 3"):
        sg.vmap(dense)(np.ones((2, 3)), np.ones((3, 5)))


BY_NAME = {
    "transpose": lambda x: np.transpose(a=np.outer(a=x, b=x))[0],
    "dot": lambda x: np.dot(b=x, a=2.0 * x),
    "clip": lambda x: np.clip(a=x, a_min=0.0, a_max=1.5),
    "expand_dims": lambda x: np.expand_dims(a=x, axis=0),
    "roll": lambda x: np.roll(a=x, shift=1),
    "repeat": lambda x: np.repeat(a=x, repeats=2),
    "flip": lambda x: np.flip(m=x),
    "cumsum": lambda x: np.cumsum(a=x),
    "broadcast_to": lambda x: np.broadcast_to(array=x, shape=(2, 3)),
    "moveaxis": lambda x: np.moveaxis(a=np.outer(x, x), source=0, destination=1),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_operands_may_be_given_by_name(name):
    function, xs = BY_NAME[name], RNG.normal(size=(2, 3))
    batched = sg.vmap(function, fallback="error")(xs)
    np.testing.assert_allclose(batched, np.stack([function(x) for x in xs]), rtol=1e-12)


KINDS = {
    "zeros of integers": lambda x: np.zeros(3, int) + np.zeros(3, dtype=bool),
    "integers by position": lambda x: np.full(2, x[0], int),
    "integers by name": lambda x: np.full(2, x[0], dtype=int),
    "as the value": lambda x: np.full(2, x[0]),
    "an array of single floats": lambda x: np.asarray(x, np.float32),
    "like another": lambda x: np.zeros_like(x, int) + 1,
    "like itself": lambda x: np.ones_like(x) * 2,
    "a sum of truth values": lambda x: np.sum(x > 0, dtype=float) * x[0],
    "single floats": lambda x: x.astype(np.float32),
    "integers from floats": lambda x: x.astype(int) * 2,
}


@pytest.mark.parametrize("name", KINDS)
def test_elements_have_the_kind_that_they_have_alone(name):
    function, xs = KINDS[name], RNG.normal(size=(4, 3)) * 3
    batched = sg.vmap(function, fallback="error")(xs)
    wanted = np.stack([function(x) for x in xs])
    np.testing.assert_array_equal(batched, np.broadcast_to(wanted, np.shape(batched)))
    assert np.asarray(batched).dtype == wanted.dtype


JOINED = {
    "hstack of vectors": lambda x: np.hstack([x[0], 2 * x[1]]) + 1,
    "hstack of matrices": lambda x: np.hstack([x, -x]).sum(axis=1),
    "vstack of vectors": lambda x: np.vstack([x[0], x[1]]).T @ x,
    "vstack of matrices": lambda x: np.vstack([x, x + 1]).sum(axis=0),
    "column_stack of vectors": lambda x: np.column_stack([x[0], x[1]]) * x[0, 0],
    "column_stack of matrices": lambda x: np.column_stack([x, x]).T,
    "concatenate": lambda x: np.concatenate([x, x]).sum(axis=1),
    "concatenate along the last": lambda x: np.concatenate([x, x], -1).sum(axis=0),
    "ravel": lambda x: np.ravel(x) * 2,
    "ravel of a row": lambda x: x[0].ravel() @ x[1],
    "ravel of a number": lambda x: np.ravel(x[0, 0]) * x[1],
    "flatten of a number": lambda x: np.concatenate([x[0, 0].flatten(), x[1]]),
    "max of a list": lambda x: np.max([x[0, 0], x[1, 1]]),
    "T": lambda x: x.T @ x,
    "transpose": lambda x: np.transpose(x) * x[0, 0],
    "transpose by axes": lambda x: np.transpose(x, (1, 0)) @ x,
    "transpose by its method": lambda x: x.transpose(1, 0) @ x,
    "transpose that does nothing": lambda x: x.transpose((0, 1)) + x,
    "three axes": lambda x: np.transpose(x[:, None] * x[None], (2, 0, 1)).sum(axis=2),
    "of a dict": lambda x: {"a": x[0], "b": x[1]}.get("b") * x,
    "concatenate along the second": lambda x: np.concatenate((x, x), axis=1)[1],
}


@pytest.mark.parametrize("name", JOINED)
def test_what_is_joined_has_the_axes_that_it_has_alone(name):
    function, xs = JOINED[name], RNG.normal(size=(4, 2, 3))
    batched = sg.vmap(function, fallback="error")(xs)
    np.testing.assert_allclose(batched, np.stack([function(x) for x in xs]))
