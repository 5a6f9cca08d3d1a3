"""Gradients at arrays of Dask are those of NumPy, lazy and in the same chunks, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime.blocks import names
from tests.programs.corpus import programs_by, sample

array = pytest.importorskip("dask.array", reason="needs Dask")

from tests.targets.blocks import computed, in_blocks, outcome  # noqa: E402 - it needs Dask

CHOSEN = sample(
    [item for name, item in programs_by("source").items() if not name.startswith("scipy")], 130
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", CHOSEN, ids=lambda item: item.name)
def test_a_program_gives_what_numpy_gives_or_says_why_not(program):
    kind, why = outcome(program)
    assert kind in ("right", "refused", "none"), why


def stencil(x):
    d = x[1:] - 2.0 * np.tanh(x[:-1])
    return np.mean(np.where(d > 0, d * d, -d))


def layer(params, x):
    h = np.maximum(x @ params["w"] + params["b"], 0.0)
    s = np.stack([h, 2.0 * h], axis=1)
    return np.mean(s**2) + params["rate"] * np.sum(params["w"] ** 2)


def test_a_gradient_is_lazy_and_has_the_chunks_of_its_argument():
    x = np.random.default_rng(0).normal(size=(9, 3))
    lazy = array.from_array(x, chunks=(4, 2))
    value, gradient = sg.value_and_grad(stencil)(lazy)
    assert gradient.chunks == lazy.chunks
    expected = sg.value_and_grad(stencil)(x)
    assert np.isclose(value.compute(), expected[0])
    assert np.allclose(gradient.compute(), expected[1])


def test_parameters_of_numpy_stand_beside_data_of_dask():
    rng = np.random.default_rng(1)
    params = {"w": rng.normal(size=(3, 2)), "b": np.zeros(2), "rate": 0.5}
    x = rng.normal(size=(8, 3))
    found = computed(sg.grad(layer)(params, in_blocks(x)))
    expected = sg.grad(layer)(params, x)
    for name, item in expected.items():
        assert np.allclose(found[name], item)


def slopes(x, w):
    d = x[1:] - 2.0 * np.tanh(x[:-1]) * w
    return np.where(d > 0, d * d, -d)


def test_a_pullback_is_lazy_and_may_be_called_again():
    rng = np.random.default_rng(2)
    x, w, adjoint = rng.normal(size=(9, 3)), rng.normal(size=3), rng.normal(size=(8, 3))
    lazy = array.from_array(x, chunks=(4, 2))
    value, pull = sg.vjp(slopes, lazy, w)
    expected, pull_by_numpy = sg.vjp(slopes, x, w)
    assert np.allclose(value.compute(), expected)
    for given in (array.from_array(adjoint, chunks=3), adjoint):
        found = pull(given)
        assert found[0].chunks == lazy.chunks
        for one, other in zip(found, pull_by_numpy(adjoint), strict=True):
            assert np.allclose(one.compute(), other)
    with pytest.raises(sg.ArgumentError, match="structure and shapes"):
        pull(array.ones((3, 3)))


def test_what_is_written_later_does_not_reach_a_pullback():
    x = np.random.default_rng(3).normal(size=4)
    lazy = array.from_array(x, chunks=2)
    _, pull = sg.vjp(lambda x: np.sin(x) * x, lazy)
    lazy[0] = 100.0
    expected = sg.vjp(lambda x: np.sin(x) * x, x)[1](np.ones(4))[0]
    assert np.allclose(pull(np.ones(4))[0].compute(), expected)


def test_a_tangent_has_the_chunks_of_the_value():
    rng = np.random.default_rng(4)
    x, w, x_dot = rng.normal(size=(9, 3)), rng.normal(size=3), rng.normal(size=(9, 3))
    lazy = array.from_array(x, chunks=(4, 2))
    value, tangent = sg.jvp(slopes, (lazy, w), (array.from_array(x_dot, chunks=5), None))
    expected = sg.jvp(slopes, (x, w), (x_dot, None))
    assert tangent.chunks == value.chunks
    assert np.allclose(value.compute(), expected[0])
    assert np.allclose(tangent.compute(), expected[1])


def weighed(x, w):
    return np.sum(np.tanh(x @ w) ** 2) + np.full_like(w, 2.0, None)[0] * np.sum(x**3)


SECOND = {
    "hvp": lambda f, x, w, along: sg.hvp(f, (x, w), (along, None)),
    "object": lambda f, x, w, along: sg.hessian_product(f)(x, w, x_dot=along),
    "forward over reverse": lambda f, x, w, along: sg.jvp(sg.grad(f), (x, w), (along, None))[1],
    "reverse over reverse": lambda f, x, w, along: sg.vjp(sg.grad(f), x, w)[1](along)[0],
    "by both": lambda f, x, w, along: sg.hvp(f, (x, w), (along, np.ones_like(w)))[0],
}


@pytest.mark.parametrize("take", SECOND.values(), ids=SECOND)
def test_second_derivatives_are_lazy_and_have_the_chunks_of_their_argument(take):
    rng = np.random.default_rng(6)
    x, w, along = rng.normal(size=(8, 3)), rng.normal(size=3), rng.normal(size=(8, 3))
    lazy = array.from_array(x, chunks=(3, 2))
    found = take(weighed, lazy, w, array.from_array(along, chunks=4))
    assert found.chunks == lazy.chunks
    np.testing.assert_allclose(found.compute(), take(weighed, x, w, along))


def test_options_that_have_another_place_there_are_given_by_their_names():
    x = array.from_array(np.arange(6.0).reshape(2, 3), chunks=2)
    pairs = zip(
        options_by_position(names(array), x), options_by_position(np, x.compute()), strict=True
    )
    for found, wanted in pairs:
        np.testing.assert_array_equal(computed(found), wanted)
    with pytest.raises(TypeError, match="no option `order`"):
        names(array).reshape(x, (3, 2), "F")


def options_by_position(xp, x):
    return [
        xp.full_like(x, 2, int),
        xp.mean(x, 0, None, None, True),
        xp.sum(x, 1, None, None, True),
        xp.max(x, 0, None, True),
        xp.reshape(x, (1, 2, 3), "C"),
    ]


def element_kept(x):
    y = x * 0.0
    y[0] = x[0] * x[1]
    y[0] = y[0] * x[2]
    y[1] = y[0] * x[3]
    return np.sum(y * y)


def part_read_before_its_array_is_written(x):
    y = x * 1.0
    tail = np.sum(y[1:] ** 2)
    y[1] = tail
    return np.sum(y * y)


def parts_of_each_trip(x):
    y = x * 1.0
    for i in range(3):
        before = y[i : i + 1]
        y[i + 1] = np.sum(before) * y[i + 1]
    return np.sum(y * y)


@pytest.mark.parametrize(
    "function", [element_kept, part_read_before_its_array_is_written, parts_of_each_trip]
)
def test_writes_that_no_other_name_shows_run(function):
    x = np.random.default_rng(5).normal(size=4)
    found = sg.grad(function)(array.from_array(x, chunks=2))
    assert np.allclose(found.compute(), sg.grad(function)(x))


def test_a_row_is_a_view_where_an_element_is_none():
    x = np.random.default_rng(5).normal(size=(4, 3))
    with pytest.raises(sg.LibraryGapError, match=r"view of it would show|written in place"):
        sg.grad(element_kept)(array.from_array(x, chunks=2))


def refusal_caught(x):
    try:
        y = x[1] if x[0] > 0 else x[2]
    except TypeError:
        y = x[3]
    return y * x[0]


def test_a_program_does_not_go_on_after_a_refusal():
    with pytest.raises(sg.LibraryGapError, match="not computed yet"):
        sg.grad(refusal_caught)(array.ones(4, chunks=2))


def view_written(x):
    y = x.copy()
    v = y[1:]
    v *= 2.0
    return np.sum(y * y)


def decided(x):
    return np.sum(x * x) if np.sum(x) > 0 else np.sum(x)


def asked(x):
    return np.sum(x * x) if isinstance(x, np.ndarray) else np.sum(x)


def percentile(x):
    return np.sum(np.percentile(x, 30.0, axis=0))


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (view_written, "`v` is written in place"),
        (decided, "a number that is not computed yet"),
        (asked, "a number or an array of NumPy"),
        (percentile, "Dask does not run this"),
    ],
)
def test_what_dask_does_not_do_is_refused_by_name(function, match):
    with pytest.raises(sg.LibraryGapError, match=match) as caught:
        sg.grad(function)(array.ones((4, 3), chunks=2))
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "take",
    [
        lambda x: sg.vjp(stencil, x, verify=True),
        sg.grad(stencil, verify=True),
        sg.grad(stencil, debug_nans=True),
        sg.vmap(stencil),
        lambda x: sg.vjp(view_written, x),
        sg.hessian(stencil),
        sg.grad(stencil, backend="tape"),
        lambda x: sg.grad(stencil)(x.astype(int)),
    ],
)
def test_other_derivatives_are_refused(take):
    with pytest.raises((sg.NotDifferentiableError, sg.ArgumentError, sg.LibraryGapError)):
        take(array.ones((4, 3), chunks=2))


def test_dask_computes_on_in_other_threads_and_afterwards():
    lazy = array.ones((4, 3), chunks=2)
    sg.grad(stencil)(lazy)
    assert float(lazy.sum()) == 12.0
