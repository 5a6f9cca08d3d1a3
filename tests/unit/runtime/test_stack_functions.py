"""What functions of NumPy do to a stack: the same as to each of its rows alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from srcgrad.runtime import scatter, unbroadcast
from srcgrad.runtime.stacks import Stack
from srcgrad.runtime.stacks.core import CannotStackError

rng = np.random.default_rng(11)
VECTORS, MATRICES = rng.normal(size=(4, 3)), rng.normal(size=(4, 2, 3))
SQUARES, CUBES = rng.normal(size=(4, 3, 3)), rng.normal(size=(4, 2, 3, 2))
V, M, W = rng.normal(size=3), rng.normal(size=(3, 2)), rng.normal(size=(2, 3))
Function = Callable[[Any], Any]

OF_ANY: dict[str, Function] = {
    "sum": np.sum,
    "sum along the first": lambda a: np.sum(a, axis=0),
    "sum along the last": lambda a: a.sum(-1),
    "add.reduce": np.add.reduce,
    "add.reduce along the last": lambda a: np.add.reduce(a, -1, keepdims=True),
    "add.reduce of all": lambda a: np.add.reduce(a, axis=None),
    "sum that keeps": lambda a: np.sum(a, axis=-1, keepdims=True),
    "sum of all that keeps": lambda a: np.sum(a, keepdims=True),
    "mean": np.mean,
    "mean along the last": lambda a: a.mean(axis=-1),
    "cumsum": np.cumsum,
    "cumsum along the first": lambda a: np.cumsum(a, 0),
    "cumsum along the last": lambda a: a.cumsum(axis=-1),
    "flip": np.flip,
    "flip of the first": lambda a: np.flip(a, 0),
    "flip of the last": lambda a: np.flip(a, -1),
    "flipud": np.flipud,
    "roll": lambda a: np.roll(a, 2),
    "roll of the first": lambda a: np.roll(a, 1, 0),
    "roll of the last": lambda a: np.roll(a, -1, axis=-1),
    "repeat": lambda a: np.repeat(a, 2),
    "repeat of the first": lambda a: np.repeat(a, 3, axis=0),
    "repeat of the last": lambda a: a.repeat([1, 2, 0][: a.shape[-1]], axis=-1),
    "diff": np.diff,
    "diff of the first": lambda a: np.diff(a, axis=0),
    "take": lambda a: np.take(a, [1, 0]),
    "take of the last": lambda a: np.take(a, [0, 1, 1], axis=-1),
    "take of the first": lambda a: a.take(1, 0),
    "reshape": lambda a: np.reshape(a, (1, -1)),
    "reshape by its method": lambda a: a.reshape(-1, 1),
    "reshape by a tuple": lambda a: a.reshape((1, -1)),
    "ravel": np.ravel,
    "flatten": lambda a: a.flatten(),
    "transpose": np.transpose,
    "T": lambda a: a.T,
    "expand_dims": lambda a: np.expand_dims(a, 0),
    "expand_dims at the end": lambda a: np.expand_dims(a, -1),
    "expand_dims twice": lambda a: np.expand_dims(a, (0, -1)),
    "squeeze": lambda a: np.squeeze(np.expand_dims(a, (0, 1))),
    "squeeze of one": lambda a: np.squeeze(np.expand_dims(a, (0, -1)), 0),
    "broadcast_to": lambda a: np.broadcast_to(a, (2, *np.shape(a))),
    "broadcast_to a list": lambda a: np.broadcast_to(a, [2, *np.shape(a)]),
    "broadcast_to a number": lambda a: np.broadcast_to(a.sum(), 3),
    "squeeze of nothing": np.squeeze,
    "zeros_like of a shape": lambda a: (
        np.zeros_like(a, shape=3) + np.zeros_like(a, None, shape=(2, 3))
    ),
    "scatter": lambda a: scatter(a, (1, ...), (2, *np.shape(a))),
    "scatter that repeats places": lambda a: (
        scatter(a, ([1, 1], ...), (3, *np.shape(a)[1:])) if len(a) == 2 else np.sum(a)
    ),
    "scatter like an array": lambda a: scatter(a, 0, np.ones((2, *np.shape(a)))),
    "unbroadcast": lambda a: unbroadcast(a, np.shape(a)),
    "unbroadcast like an array": lambda a: unbroadcast(a, np.ones(np.shape(a)[-1:])),
    "scatter that repeats": lambda a: scatter(a, [1] * len(a), (3, *np.shape(a)[1:])),
    "copy": lambda a: np.copy(a) + a.copy(),
    "astype": lambda a: a.astype(np.float32),
    "ones_like": lambda a: np.ones_like(a) * a,
    "zeros_like": lambda a: np.zeros_like(a) + a,
    "where": lambda a: np.where(np.ones(np.shape(a)[-1]) > 0, a, 0.0),
    "where, the other way": lambda a: np.where(np.arange(np.shape(a)[-1]) > 0, 2.0, a),
    "where of two": lambda a: np.where(np.arange(np.shape(a)[-1]) > 0, -a, a),
    "real and imag": lambda a: np.real(a * 1j) + np.imag(a * 2j),
    "conj": lambda a: (a * 1j).conj() * 1j,
    "stack": lambda a: np.stack([a, 2 * a]),
    "stack at the end": lambda a: np.stack([a, a + 1], -1),
    "concatenate": lambda a: np.concatenate([a, a]),
    "concatenate along the last": lambda a: np.concatenate((a, -a), axis=-1),
    "concatenate all": lambda a: np.concatenate([a, a], axis=None),
    "hstack": lambda a: np.hstack([a, a]),
    "vstack": lambda a: np.vstack([a, a]),
    "column_stack": lambda a: np.column_stack([a, a]),
    "atleast_1d": lambda a: np.atleast_1d(np.sum(a)),
    "atleast_2d": np.atleast_2d,
    "hstack with a number": lambda a: np.hstack([a.ravel(), 2.0]),
    "vstack with a vector": lambda a: np.vstack([a, V[: np.shape(a)[-1]]]),
    "column_stack with a vector": lambda a: np.column_stack([a, np.arange(float(len(a)))]),
    "split": lambda a: np.split(a, [1])[0],
    "split along the last": lambda a: np.split(a, [1], axis=-1)[1],
    "array_split": lambda a: np.array_split(a, 2)[1],
    "outer": lambda a: np.outer(a, V),
    "outer, the other way": lambda a: np.outer(V, a),
    "fill": lambda a: _written(a, lambda b: b.fill(2.0)),
    "copyto": lambda a: _written(a, lambda b: np.copyto(b, 1.5)),
    "add.at": lambda a: _written(a, lambda b: np.add.at(b, [0, 1, 0], 2.0)),
    "an index": lambda a: a[0] + a[-1],
    "a slice": lambda a: a[::-1],
    "the last axis": lambda a: a[..., 1:],
    "a new axis": lambda a: a[None],
    "a list": lambda a: a[[1, 0, 1]],
    "a store": lambda a: _written(a, lambda b: b.__setitem__(0, 7.0)),
    "signs": lambda a: +a - abs(a) + np.abs(-a),
    "len": lambda a: a * len(a),
    "a loop": lambda a: sum(row * k for k, row in enumerate(a)),
    "add.at with an ellipsis": lambda a: _written(a, lambda b: np.add.at(b, (..., [0, 1, 0]), 2.0)),
    "a list and an ellipsis": lambda a: (
        a[..., [1, 0]] if np.ndim(a) == 1 else a[[0, 1], ..., [1, 0]]
    ),
    "a truth as an index": lambda a: a[True],
    "a result that is given": lambda a: _written(a, lambda b: np.multiply(a, 2.0, out=b)),
    "a masked result": lambda a: _written(
        a, lambda b: np.exp(a, out=b, where=np.arange(a.shape[-1]) > 0)
    ),
    "a wider masked result": lambda a: _written(
        a, lambda b: np.add(a[0], 1.0, out=b, where=np.arange(a.shape[-1]) > 0)
    ),
    "in place": lambda a: _written(a, lambda b: b.__imul__(3.0).__iadd__(a[0])),
    "beside a list": lambda a: a[..., :2] * [2.0, 3.0],
    "a number divided": lambda a: 1.0 / a - 2.0**a,
    "powers": lambda a: (a * a) ** 2 - a / 2 + 1,
}
OF_MATRICES: dict[str, Function] = {
    "fliplr": np.fliplr,
    "trace": np.trace,
    "trace above": lambda a: a.trace(1),
    "diagonal": np.diagonal,
    "diagonal below": lambda a: np.diagonal(a, -1),
    "tril": np.tril,
    "tril above": lambda a: np.tril(a, 1),
    "triu": np.triu,
    "triu below": lambda a: np.triu(a, -1),
    "swapaxes": lambda a: np.swapaxes(a, 0, -1),
    "moveaxis": lambda a: np.moveaxis(a, 0, 1),
    "transpose of a number": lambda a: np.transpose(a.sum()),
    "transpose without axes": lambda a: a.transpose(),
    "transpose by its tuple": lambda a: a.transpose((1, 0)),
    "by a list from the left": lambda a: [[1.0, 2.0], [0.5, 3.0]] @ a[:2],
    "einsum with an ellipsis": lambda a: np.einsum("...j,jk", a, M),
    "transpose by axes": lambda a: a.transpose(1, 0),
    "transpose by a tuple": lambda a: np.transpose(a, (1, 0)),
    "by a matrix": lambda a: a @ M,
    "by a matrix from the left": lambda a: M @ a[:2],
    "by a vector": lambda a: a @ V,
    "by a vector from the left": lambda a: V[:2] @ a[:2],
    "dot": lambda a: np.dot(a, M),
    "dot by its method": lambda a: a.dot(V),
    "dot from the left": lambda a: np.dot(M, a[:2]),
    "dot with a number": lambda a: np.dot(a, 2.0),
    "a number with dot": lambda a: np.dot(3.0, a),
    "inner with a number": lambda a: np.inner(a, 2.0) + np.inner(3.0, a),
    "inner": lambda a: np.inner(a, W),
    "inner with a vector": lambda a: np.inner(a, V),
    "inner from the left": lambda a: np.inner(W, a),
    "tensordot": lambda a: np.tensordot(a, M, 1),
    "tensordot of all": lambda a: np.tensordot(a[:2], W),
    "tensordot by axes": lambda a: np.tensordot(M, a, ([0], [1])),
    "einsum": lambda a: np.einsum("ij,jk->ik", a, M),
    "einsum without a result": lambda a: np.einsum("ij,jk", a, M),
    "einsum of all": lambda a: np.einsum("ij,ij->", a[:2], W),
    "einsum from the left": lambda a: np.einsum("ki,ji->kj", W, a),
    "a place": lambda a: a[1, 0] * a[0],
    "a column": lambda a: a[:, 1],
    "a truth and a place": lambda a: a[True, :, 0],
    "a list of places": lambda a: a[[0, 1], [1, 0]],
    "sum of both axes": lambda a: a.sum(axis=(0, 1)),
}
OF_VECTORS: dict[str, Function] = {
    "by a matrix": lambda a: a @ M,
    "by a matrix from the left": lambda a: W @ a,
    "by a vector": lambda a: a @ V,
    "by a vector from the left": lambda a: np.dot(V, a),
    "inner": lambda a: np.inner(V, a),
    "tensordot": lambda a: np.tensordot(a, M, 1),
    "einsum": lambda a: np.einsum("i,i,i->i", a, V, V),
    "a number": lambda a: a[1],
}
ROWS = {"vectors": VECTORS, "matrices": MATRICES, "squares": SQUARES, "cubes": CUBES}
CASES = [
    *((f, kind) for f in OF_ANY.values() for kind in ROWS),
    *((f, kind) for f in OF_MATRICES.values() for kind in ("matrices", "squares")),
    *((f, "vectors") for f in OF_VECTORS.values()),
]
NAMES = [
    *(f"{name}-{kind}" for name in OF_ANY for kind in ROWS),
    *(f"{name}-{kind}" for name in OF_MATRICES for kind in ("matrices", "squares")),
    *OF_VECTORS,
]


def _written(a: Any, write: Callable[[Any], Any]) -> Any:
    b = a.copy()
    write(b)
    return b


@pytest.mark.parametrize(("function", "kind"), CASES, ids=NAMES)
def test_a_stack_is_taken_row_by_row(function: Function, kind: str) -> None:
    rows = ROWS[kind]
    try:
        wanted = np.stack([function(row) for row in rows])
    except (ValueError, IndexError, TypeError):
        pytest.skip("not of such rows")
    before = rows.copy()
    found = function(Stack(rows))
    np.testing.assert_allclose(found.rows, wanted, rtol=1e-13, atol=1e-14)
    assert found.rows.dtype == wanted.dtype
    np.testing.assert_array_equal(rows, before)


@pytest.mark.parametrize("kind", ROWS)
def test_a_stack_has_the_shape_of_a_row(kind: str) -> None:
    stack, row = Stack(ROWS[kind]), ROWS[kind][0]
    assert np.shape(stack) == stack.shape == row.shape
    assert np.ndim(stack) == stack.ndim == row.ndim
    assert np.size(stack) == row.size
    assert np.result_type(stack, np.float32) == np.float64
    assert np.iscomplexobj(stack * 1j)
    assert not np.iscomplexobj(stack)


REFUSED: dict[str, Function] = {
    "reshape by columns": lambda a: np.reshape(a, -1, order="F"),
    "ravel by columns": lambda a: a.ravel("F"),
    "a part that is written": lambda a: np.copyto(a, 3.0, where=np.ones(1) > 0),
    "a triangle of a vector": lambda a: np.tril(a[0]),
    "the other triangle": lambda a: np.triu(a[0]),
    "a condition of its own": lambda a: np.where(a, a, 0.0),
    "a truth": bool,
    "a float": float,
    "a comparison": lambda a: a > 0,
    "an equation": lambda a: a == 1.0,
    "an inequation": lambda a: a != 1.0,
    "a number in it": lambda a: 1.0 in a,
    "an array of it": np.asarray,
    "the length of a number": lambda a: len(a.sum()),
    "a loop over a number": lambda a: list(a.sum()),
    "too many axes for a place": lambda a: a.__setitem__(0, np.ones((1, 3))),
    "an index of its own": lambda a: a[a],
    "two results": np.modf,
    "a method of a ufunc": lambda a: np.add.outer(a, 1.0),
    "another reduction": np.multiply.reduce,
    "a reduction with a start": lambda a: np.add.reduce(a, initial=1.0),
    "a reduction into an array": lambda a: np.add.reduce(a, out=np.zeros(3)),
    "a sum of a part": lambda a: np.sum(a, where=W > 0),
    "a sum that keeps by a number": lambda a: np.sum(a, keepdims=1),
    "a product with options": lambda a: np.matmul(a, M, dtype=float),
    "a product of a number": lambda a: np.matmul(a, 2.0),
    "a ufunc of vectors": lambda a: np.vecdot(a, V),
    "an option of a ufunc": lambda a: np.exp(a, order="F"),
    "a part of a new result": lambda a: np.exp(a, where=W > 0),
    "a part by a list": lambda a: np.exp(a, out=a, where=[True, False, True]),
    "a result in another array": lambda a: np.exp(a, out=np.ones((4, 2, 3))),
    "a result of fewer axes": lambda a: np.add(a, 1.0, out=a[0]),
    "a text beside it": lambda a: a * "2",
    "containers beside it": lambda a: a * [a, a],
    "an axis that is not there": lambda a: a.sum(axis=2),
    "whole numbers": lambda a: a.astype(int),
    "zeros of whole numbers": lambda a: np.zeros_like(a, dtype=int),
    "a place of its own": lambda a: np.add.at(np.ones(3), 0, a),
    "places of its own": lambda a: np.add.at(a, a, 1.0),
    "a product of two": lambda a: np.tensordot(a, a, 2),
    "einsum without letters": lambda a: np.einsum(a, [0, 1]),
    "einsum with options": lambda a: np.einsum("ij->i", a, dtype=float),
    "einsum of too few": lambda a: np.einsum("ij,jk->ik", a),
    "a join of lists": lambda a: np.stack([[a, a]]),
    "a join with a list": lambda a: np.concatenate([a, [a[0]]]),
    "as many parts as it says": lambda a: np.split(np.ones(3), a),
    "an attribute that nobody knows": lambda a: a.argmin(),
    "a function that nobody knows": np.sort,
    "an array that is given": lambda a: np.max(a, out=a),
}


@pytest.mark.parametrize("function", REFUSED.values(), ids=REFUSED)
def test_what_a_stack_cannot_do_is_refused(function: Function) -> None:
    with pytest.raises(CannotStackError):
        function(Stack(MATRICES.copy()))


SHAPES = ((3,), (2, 3), (3, 2), (3, 3), (2, 2, 3), (2, 3, 2))
PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "matmul": lambda a, b: a @ b,
    "dot": np.dot,
    "inner": np.inner,
    "outer": np.outer,
    "tensordot of one": lambda a, b: np.tensordot(a, b, 1),
    "tensordot of two": np.tensordot,
    "tensordot of the last and the first": lambda a, b: np.tensordot(a, b, (-1, 0)),
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_with_arrays_of_any_axes_are_those_of_each_row(name: str, turned: bool) -> None:
    product, compared = PRODUCTS[name], 0
    for shape in SHAPES:
        rows = rng.normal(size=(4, *shape))
        for other in (rng.normal(size=wanted) for wanted in SHAPES):

            def of(a: Any, other: Any = other) -> Any:
                return product(other, a) if turned else product(a, other)

            try:
                wanted = np.stack([of(row) for row in rows])
            except (ValueError, IndexError):
                continue
            try:
                found = of(Stack(rows))
            except CannotStackError:
                continue
            np.testing.assert_allclose(found.rows, wanted, rtol=1e-12)
            compared += 1
    assert compared >= 6


UNITS = {
    "all": np.eye(9),
    "few": np.eye(5),
    "others": np.eye(9)[::-1].copy(),
    "more": np.eye(9) + 3.0 * np.eye(9, k=2),
    "some moved": np.roll(np.eye(9), 1, axis=1),
    "not of one": np.diag([1.0, *[2.0] * 8]),
    "one missing": np.diag([1.0, 0.0, *[1.0] * 7]) + np.eye(9, k=1) * (np.arange(9) == 1),
    "in a wide one": np.eye(9, 12),
}


@pytest.mark.parametrize("name", UNITS)
def test_products_of_unit_vectors_are_those_of_each_row(name: str) -> None:
    rows = UNITS[name]
    matrix = rng.normal(size=(rows.shape[1], 2))
    for function in (lambda a: a @ matrix, lambda a: matrix.T @ a, lambda a: a @ matrix[:, 0]):
        found = function(Stack(rows)).rows
        np.testing.assert_allclose(found, np.stack([function(row) for row in rows]))
        assert not np.shares_memory(found, matrix)
