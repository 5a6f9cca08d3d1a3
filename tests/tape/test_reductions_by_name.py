"""Reductions, orders and new tensors by the names of torch, over every axis, against NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

from srcgrad import tape
from srcgrad.tape import creation, functions, reductions
from tests.differences import numerical_gradient

X = np.random.default_rng(6).permutation(np.linspace(-1.5, 2.0, 24)).reshape(2, 3, 4)
AXES: tuple[Any, ...] = (None, 0, 1, -1, (0, 2))
Function = Callable[..., Any]


def lower_median(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.quantile(x, 0.5, axis=axis, keepdims=keepdims, method="lower")


def norm(order: Any) -> Function:
    def plain(x: Any, axis: Any, keepdims: bool) -> Any:
        return np.linalg.vector_norm(x, ord=order, axis=axis, keepdims=keepdims)

    return plain


REDUCTIONS: dict[str, tuple[Function, Function]] = {
    "sum": (reductions.sum, np.sum),
    "mean": (reductions.mean, np.mean),
    "amax": (reductions.amax, np.max),
    "amin": (reductions.amin, np.min),
    "var": (
        lambda x, dim, keep: reductions.var(x, dim, keepdim=keep),
        lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims, ddof=1),
    ),
    "var of all": (
        lambda x, dim, keep: reductions.var(x, dim, False, keep),
        lambda x, axis, keepdims: np.var(x, axis=axis, keepdims=keepdims),
    ),
    "std": (
        lambda x, dim, keep: reductions.std(x, dim, True, keep),
        lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims, ddof=1),
    ),
    "std with a correction": (
        lambda x, dim, keep: reductions.std(x, dim, keepdim=keep, correction=0),
        lambda x, axis, keepdims: np.std(x, axis=axis, keepdims=keepdims),
    ),
    "norm": (lambda x, dim, keep: reductions.norm(x, "fro", dim, keep), norm(2)),
    "norm of sizes": (lambda x, dim, keep: reductions.norm(x, 1, dim, keep), norm(1)),
    "norm of order 3": (lambda x, dim, keep: reductions.norm(x, 3, dim, keep), norm(3)),
}
ALONG: dict[str, tuple[Function, Function]] = {
    "prod": (reductions.prod, np.prod),
    "max": (reductions.max, np.max),
    "min": (reductions.min, np.min),
    "median": (reductions.median, lower_median),
}
ONE_AXIS: dict[str, tuple[Function, Function]] = {
    "logsumexp": (reductions.logsumexp, special.logsumexp),
    "logsumexp that is kept": (
        lambda x, dim: reductions.logsumexp(x, dim, keepdim=True),
        lambda x, axis: special.logsumexp(x, axis, keepdims=True),
    ),
    "softmax": (reductions.softmax, special.softmax),
    "log_softmax": (reductions.log_softmax, special.log_softmax),
    "cumsum": (reductions.cumsum, np.cumsum),
    "cumprod": (reductions.cumprod, np.cumprod),
    "sort": (lambda x, dim: reductions.sort(x, dim).values, np.sort),
    "sort downwards": (
        lambda x, dim: reductions.sort(x, dim, descending=True).values,
        lambda x, axis: np.flip(np.sort(x, axis), axis),
    ),
    "topk": (
        lambda x, dim: reductions.topk(x, 2, dim).values,
        lambda x, axis: np.flip(np.sort(x, axis), axis).take([0, 1], axis),
    ),
    "topk of the smallest": (
        lambda x, dim: reductions.topk(x, 1, dim, largest=False).values,
        lambda x, axis: np.min(x, axis, keepdims=True),
    ),
}
CASES = [
    *((name, *REDUCTIONS[name], (axis, keep)) for name in REDUCTIONS for axis in AXES
      for keep in (False, True)),
    *((name, *ALONG[name], (axis, keep)) for name in ALONG for axis in AXES[1:4]
      for keep in (False, True)),
    *((name, *ONE_AXIS[name], (axis,)) for name in ONE_AXIS for axis in AXES[1:4]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "plain", "options"),
    [pytest.param(*case, id=f"{name}-{case[-1]}") for name, *case in CASES],
)
def test_values_and_slopes_along_each_axis_are_those_of_numpy(
    function: Function, plain: Function, options: tuple[Any, ...]
) -> None:
    named = dict(zip(("axis", "keepdims"), options, strict=False))
    x = tape.tensor(X.copy(), requires_grad=True)
    found = function(x, *options)
    found = getattr(found, "values", found)
    wanted = np.asarray(plain(X, **named))
    np.testing.assert_allclose(found.detach().numpy(), wanted, rtol=1e-12)
    weights = np.random.default_rng(4).normal(size=wanted.shape)
    (found * weights).sum().backward()
    expected = numerical_gradient(lambda v: np.sum(plain(v, **named) * weights), (X,), 0)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_indices_are_of_the_values_that_are_chosen(dim: int) -> None:
    chosen = [
        reductions.max(X, dim, True),
        reductions.min(X, dim, True),
        reductions.median(X, dim, True),
        reductions.sort(X, dim, descending=True),
        reductions.topk(X, 2, dim, largest=False),
    ]
    for values, indices in chosen:
        taken = np.take_along_axis(X, indices.numpy(), dim)
        np.testing.assert_array_equal(taken, values.numpy())
    np.testing.assert_array_equal(reductions.argsort(X, dim).numpy(), np.argsort(X, dim))
    down = reductions.argsort(X, dim, descending=True).numpy()
    np.testing.assert_array_equal(down, np.argsort(-X, dim))
    for keep in (False, True):
        for name in ("argmax", "argmin"):
            found, plain = getattr(reductions, name)(X, dim, keep), getattr(np, name)
            np.testing.assert_array_equal(found.numpy(), plain(X, dim, keepdims=keep))
        for name in ("any", "all"):
            found, plain = getattr(reductions, name)(X > 0, dim, keep), getattr(np, name)
            np.testing.assert_array_equal(found.numpy(), plain(X > 0, dim, keepdims=keep))


@pytest.mark.parametrize("pair", [("max", np.max), ("min", np.min)])
def test_of_all_and_of_two_the_extreme_is_chosen(pair: Any) -> None:
    name, plain = pair
    extreme = getattr(reductions, name)
    assert extreme(X).item() == plain(X)
    other = np.flip(X, 0).copy()
    for found in (extreme(X, other), extreme(X, other=tape.tensor(other))):
        np.testing.assert_array_equal(found.numpy(), plain(np.stack([X, other]), 0))
    assert reductions.median(X).item() == np.sort(X, None)[11]
    values, index = extreme(tape.tensor(2.5), 0)
    assert (values.item(), index.item()) == (2.5, 0)


def test_sums_of_exponentials_do_not_overflow() -> None:
    x = np.array([[1e3, -1e3, 999.0], [-np.inf, -np.inf, -np.inf], [np.inf, 0.0, 1.0]])
    with np.errstate(divide="ignore"):
        found = reductions.logsumexp(x, 1).numpy()
    np.testing.assert_allclose(found, special.logsumexp(x, 1))


def test_new_tensors_are_those_of_numpy() -> None:
    like = np.ones((2, 3), dtype=np.float32)
    made = {
        "full": (creation.full((2, 3), 1.5), np.full((2, 3), 1.5)),
        "full of a tensor": (creation.full(2, tape.tensor(1.5)), np.full(2, 1.5)),
        "zeros like": (creation.zeros_like(like), np.zeros_like(like)),
        "ones like": (creation.ones_like(0 * like, dtype=float), np.ones((2, 3))),
        "full like": (creation.full_like(like, 2), 2 * like),
        "eye": (creation.eye(2), np.eye(2)),
        "wide eye": (creation.eye(2, 3, dtype=int), np.eye(2, 3, dtype=int)),
        "arange": (creation.arange(2, 8, 3), np.arange(2, 8, 3)),
        "linspace": (creation.linspace(1.0, 2.0, 5), np.linspace(1.0, 2.0, 5)),
    }
    for found, wanted in made.values():
        np.testing.assert_array_equal(found.numpy(), wanted)
        assert found.numpy().dtype == wanted.dtype
        assert not found.requires_grad
    assert creation.empty(2, dtype=np.float32).numpy().dtype == np.float32
    assert creation.empty(2).numpy().dtype == float
    assert creation.empty(2, 3).shape == creation.empty_like(like).shape == (2, 3)
    assert creation.zeros_like(like, requires_grad=True).requires_grad


def test_tensors_are_made_on_memory_that_fits() -> None:
    x = np.arange(3.0)
    made, also = creation.as_tensor(x), creation.as_tensor(x, dtype=float)
    x[0] = 5.0
    assert made[0].item() == also[0].item() == 5.0
    assert creation.as_tensor(made) is made
    assert creation.as_tensor(made, dtype=float) is made
    for other in (creation.as_tensor(made, np.float32), creation.as_tensor(x, np.float32)):
        assert other.numpy().dtype == np.float32
        other[1] = 7.0
    assert x[1] == 1.0


def test_random_tensors_begin_anew_with_their_seed() -> None:
    draws = []
    for _ in range(2):
        creation.manual_seed(3)
        draws.append((creation.rand(40).numpy(), creation.randn((2, 40)).numpy()))
    for one, other in zip(*draws, strict=True):
        np.testing.assert_array_equal(one, other)
    flat, bell = draws[0]
    assert 0 <= flat.min() < flat.max() < 1
    assert bell.shape == (2, 40)
    assert bell.min() < 0
    assert creation.rand(2, requires_grad=True).requires_grad
    assert not np.array_equal(creation.rand(40).numpy(), flat)
    assert functions.add(flat, 1).numpy().min() >= 1
