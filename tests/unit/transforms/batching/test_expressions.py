"""Expressions with options that few programs have, over a batch."""

# ruff: noqa: C408, PLW0108, SIM210, SIM211, UP032 - as programs are written

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.batching.examples import check, check_raises, check_refused


def helper(r):
    return np.ravel(r) * 2


WRITTEN: dict[str, Any] = {
    "end of a text": lambda x, text: x * len(text[1:].replace("u", "oo", 1)),
    "reshape list": lambda x: np.reshape([x[0], x[1]], (2, 1)),
    "transpose method": lambda x: x.transpose() * 2,
    "t of three": lambda t: t.T * 2,
    "t of vector": lambda x: x.T * 2,
    "mt": lambda t: t.mT * 2,
    "expand tuple": lambda x: np.expand_dims(x, axis=(0, 2)) * 2,
    "squeeze tuple": lambda m: np.squeeze(m[:1, :1], axis=(0, 1)) * 2,
    "repeat axis": lambda m: np.repeat(m, 2, 1),
    "list: ravel": lambda x: np.ravel([x[0], x[1]]) * 2,
    "list: transpose": lambda x: np.transpose([x, x * 2]),
    "list: transpose rev": lambda x: np.transpose([[x[0], x[1]], [x[2], x[3]]]),
    "list: expand": lambda x: np.expand_dims([x[0], x[1]], 0),
    "list: squeeze": lambda x: np.squeeze([[x[0], x[1]]], 0),
    "list: broadcast": lambda x: np.broadcast_to([x[0], x[1]], (3, 2)),
    "list: swapaxes": lambda x: np.swapaxes([x, 2 * x], 0, 1),
    "list: moveaxis": lambda x: np.moveaxis([x, 2 * x], 0, 1),
    "list: dot": lambda x, w: np.dot([x[0], x[1]], w[:2]),
    "list: op": lambda x, v: v @ [x[0], x[1], x[2], x[3]],
    "tuple ravel": lambda x: np.ravel((x[0], x[1])),
    "named ravel": lambda x: np.ravel(a=[x[0], x[1]]),
    "named matmul": lambda x: np.dot(a=[x[0], x[1]], b=x[:2]),
    "at lists": lambda x, w: [x[0], x[1]] @ np.outer(w[:2], x[:2]),
    "at both": lambda x: np.array([1.0, 2.0]) @ [x[:3], x[1:]],
    "mixed items": lambda x: np.ravel([x[0], 1.0]),
    "mixed rows": lambda x: np.transpose([[x[0], 1.0], [2.0, 3.0]]),
    "in helper": lambda x: helper([x[0], x[1]]),
    "in helper2": lambda x: helper([x, x]) + 1,
    "generator": lambda x: np.ravel([a * 2 for a in x]),
    "gen matmul": lambda x, v: v @ [a * 2 for a in x],
    "tuples": lambda x: np.transpose((x, x * 2)),
    "method of text2": lambda x, text: x * len(text.replace("u", "oo", 1)),
    "and three": lambda x, c, j: x * (x[0] > 0 and c > 0 and (j > 1)),
    "settled type": lambda x: x * 2 if isinstance(x, np.ndarray) and x.ndim == 1 else x,
    "round int": lambda k: np.round(k) * 1.0,
    "math trunc": lambda s: math.trunc(s * 3),
    "attr size of number": lambda x: x[0] * x[0].size + x.size,
    "picked op": lambda x: np.sum(x[x > 0] / 2 + x[x > 0] * x[0]),
    "picked invert": lambda b: np.sum(~b[b]),
    "list times": lambda x: ([x[0]] * 3)[2],
    "not picked": lambda x: np.sum(np.logical_not(x[x > 0])),
    "truth chosen": lambda x: x * ((True if x[0] > 0 else False) + 1),
    "truth chosen other": lambda x: x * ((False if x[0] > 0 else True) + 1),
    "length of shared": lambda x, v: x * v.shape[1],
    "list slice shared": lambda x, items: items[:1][0] * x,
    "text slice": lambda x, text: x * len(text[1:]),
    "shared mask list": lambda x: x[[True, False, True, False]],
    "where index": lambda x: x[np.where(np.array([True, False, True, False]))],
    "full value named2": lambda x: np.full(shape=(2, 4), fill_value=x[0]),
    "array mixed row": lambda x: np.array([[x[0], x[1]], [2.0, 3.0]]),
    "concat named": lambda x: np.hstack(tup=[x, x]),
    "tuple none": lambda x: x * (len(tuple()) + 1),
    "picked len": lambda x: len(x[x > 0]) * x,
    "picked sum method": lambda x: x[x > -9].sum() + x[x > -9].mean(),
    "dot shared vec": lambda x, w: np.dot(w, w) * x,
    "inner number": lambda x: np.inner(x[0], x[1]),
    "outer out": lambda x: np.outer(x, x, np.zeros((4, 4))),
    "prod bool": lambda b: np.prod(b) * 0.5,
    "flip axis": lambda m: np.flip(m, 0),
    "vecdot axis neg": lambda m: np.vecdot(m, m, axis=-1),
    "sum array two": lambda m: sum(m),
    "sum shared": lambda x, w: sum(w) * x,
    "vdot complex": lambda z: np.vdot(z, z).real,
    "vdot complex2": lambda z, w: np.vdot(z, w) + np.vdot(w, z) * 2,
    "inner complex": lambda z: np.inner(z, z),
    "sum number": lambda x: (
        np.sum(x[0]) + np.mean(x[0]) + np.prod(x[0]) + np.max(x[0]) + np.min(x[0])
    ),
    "sum method": lambda x: x[0].sum() + x[1].mean(),
    "all number": lambda b: np.all(b[0]) * 1.0,
    "frexp": lambda x: np.frexp(x)[0],
    "isinstance mixed": lambda s: s * 2 if isinstance(s, (int, np.integer)) else s,
}


REFUSED: dict[str, Any] = {
    "mask beside a number of each": (
        "a mask beside indices of each example",
        lambda m, k: m[k % 3, np.array([True, False, True, False])],
    ),
    "reshape pos order": ("a reshape with an order", lambda x: np.reshape(x, (2, 2), "F")),
    "reshape unknown": (
        "a reshape to a shape of unknown length",
        lambda x, items: np.reshape(x, [len(items), 2]),
    ),
    "expand dynamic": ("np.expand_dims along such an axis", lambda x, j: np.expand_dims(x, j - 2)),
    "broadcast unknown": (
        "np.broadcast_to such a shape",
        lambda x, items: np.broadcast_to(x, [len(items), 4]),
    ),
    "repeat number": ("np.repeat of a number", lambda s: np.repeat(s, 3)),
    "repeat dynamic": ("`repeat` with such arguments", lambda m, j: np.repeat(m, 2, j - 1)),
    "split dynamic": ("`split` with such arguments", lambda m, j: np.split(m, 2, j - 1)[0]),
    "list: full": ("`full` of a list", lambda x: np.full(2, [x[0], x[1]])),
    "list: full like": ("`full_like` of a list", lambda x, w: np.full_like(w[:2], [x[0], x[1]])),
    "zeros k": ("`zeros` of a list", lambda x, k: np.zeros((k, 2))),
    "items differ": ("`array` of items with different axes", lambda x: np.ravel([x, x[0]])),
    "format batch": ("the method `format`", lambda x: "{}".format(x)),
    "in list of batch": (
        "a look into a list of values of examples",
        lambda x: x * (1 if 1.0 in [x[0], x[1]] else 2),
    ),
    "math of array2": ("`math.sqrt` of an array", lambda x: math.sqrt(x)),
    "picked matmul": (
        "an index by a mask of each example, which leaves another number of elements,",
        lambda x: x[x > 0] @ x[x > 0],
    ),
    "list by batch": (
        "a list that is indexed by a number of each example",
        lambda x, k: [x, 2 * x, x, x][k],
    ),
    "list by batch slice": (
        "a slice with bounds of each example",
        lambda x, k: [x, 2 * x, x, x][:k],
    ),
    "tuple slice var": (
        "a result of which only the run tells what it is",
        lambda x, j: (x, 2 * x, 3 * x)[j:][0],
    ),
    "batched slice": ("a slice with a bound of each example", lambda x, k: np.sum(x[:k])),
    "shared dots": ("`...` before an index of each example", lambda v, k: v[..., k]),
    "own cols": ("a slice before an array of indices of each example", lambda q, ks: q[:, ks]),
    "shared sides": (
        "arrays of indices on both sides of a slice",
        lambda t: t[np.array([0, 1]), :, np.array([0, 1])],
    ),
    "zeros by each": ("an array whose shape is another for each example", lambda x, k: np.zeros(k)),
    "full like wide": ("np.full_like with such a value", lambda x: np.full_like(x, x[None])),
    "array empty": (
        "an operation between a batch and a value whose number of axes is not known",
        lambda x: np.array([]) * x[:0],
    ),
    "array ragged": ("`array` of items with different axes", lambda x: np.array([x, x[0]])),
    "concat axis var": (
        "np.concatenate along such an axis",
        lambda m, j: np.concatenate([m, m], axis=j - 1),
    ),
    "hstack three": ("`hstack` of such arrays", lambda t: np.hstack([t, t])),
    "broadcast arrays named": (
        "np.broadcast_arrays with options",
        lambda x: np.broadcast_arrays(x, 1.0, subok=True)[1] * x,
    ),
    "view int": ("the method `view` with a type", lambda x: x.view(np.int64) * 0 + x),
    "tuple of array": ("a tuple of values of each example", lambda x: tuple(x)[1] * 2),
    "picked dtype": (
        "an index by a mask of each example, which leaves another number of elements,",
        lambda x: np.sum(x[x > 0], dtype=float),
    ),
    "picked two masks": (
        "an index by a mask of each example, which leaves another number of elements,",
        lambda x: np.sum(x[x > 0] * x[x > 0.1]),
    ),
    "picked clip": (
        "an index by a mask of each example, which leaves another number of elements,",
        lambda x: np.sum(np.clip(x[x > 0], 0, 0.5)),
    ),
    "matmul number": ("a product of matrices with a number", lambda x: x @ x[0]),
    "einsum out": ("np.einsum with options", lambda x: np.einsum("i,i->i", x, x, dtype=float)),
    "einsum wrong": (
        "np.einsum with other axes than its subscripts",
        lambda x: np.einsum("ij,j", x, x),
    ),
    "sum keep var": (
        "`sum` with keepdims that the text does not tell",
        lambda m, j: np.sum(m, axis=0, keepdims=j > 1),
    ),
    "argmin mat keep": ("`argmin` with keepdims", lambda m: np.argmin(m, keepdims=True) * 1.0),
    "roll each": ("`roll` by numbers of each example", lambda x, k: np.roll(x, k)),
    "solve many": (
        "np.linalg.solve of many matrices",
        lambda x, q: np.linalg.solve(np.stack([q, q]), x),
    ),
    "max arrays2": ("`max` of arrays", lambda x: max(x[:1], x[1:2])),
    "max rows": ("`max` of such items", lambda m: max(m)),
    "sum array start": ("`sum` with a start", lambda x: sum(x, 2.0)),
    "sum named start": ("`sum` with a named start", lambda x: sum(x, start=2.0)),
    "norm number": ("`norm` of one number", lambda x: np.linalg.norm(x[0])),
    "var number": ("`var` of one number", lambda x: np.var(x[0])),
    "nansum number": ("`nansum` of one number", lambda x: np.nansum(np.sqrt(x[0]))),
    "count number": ("`count_nonzero` of one number", lambda x: np.count_nonzero(x[0]) * 1.0),
    "gamma array": ("`gamma` of an array", lambda x: math.gamma(x)),
}


RAISES: dict[str, Any] = {
    "negative bool": (TypeError, lambda b: np.negative(b)),
    "length beyond": (IndexError, lambda x: x * x.shape[3]),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_an_expression_over_a_batch_is_that_of_each_example(name: str) -> None:
    check(WRITTEN[name])


@pytest.mark.parametrize("name", REFUSED)
def test_an_expression_that_is_not_written_for_a_batch_is_named(name: str) -> None:
    sentence, program = REFUSED[name]
    check_refused(program, sentence)


@pytest.mark.parametrize("name", RAISES)
def test_an_expression_that_fails_fails_over_a_batch_too(name: str) -> None:
    error, program = RAISES[name]
    check_raises(program, error)
