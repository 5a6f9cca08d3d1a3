"""Gradients at arrays of Dask are those of NumPy, lazy and in the same chunks, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
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
        lambda x: sg.jvp(stencil, (x,), (x,)),
        lambda x: sg.vjp(stencil, x),
        sg.hessian(stencil),
        sg.grad(stencil, backend="tape"),
        lambda x: sg.grad(stencil)(x.astype(int)),
    ],
)
def test_other_derivatives_are_refused(take):
    with pytest.raises((sg.NotDifferentiableError, sg.ArgumentError)):
        take(array.ones((4, 3), chunks=2))


def test_dask_computes_on_in_other_threads_and_afterwards():
    lazy = array.ones((4, 3), chunks=2)
    sg.grad(stencil)(lazy)
    assert float(lazy.sum()) == 12.0
