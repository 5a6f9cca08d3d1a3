"""Masks hold the elements that are used, and no others, as changes of single elements show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcgrad import runtime
from srcgrad.analyses.passing import led_back, passes, shaped_like
from srcgrad.analyses.selectors import EVERYWHERE, SELECTORS, STEEP, Mask, largest
from srcgrad.compiler.doctesting import reader_of, text
from srcgrad.compiler.vocabulary import VOCABULARY
from srcgrad.ir import gast

X = np.array([[0.3, -1.2, 0.9, 2.5], [1.4, 0.1, -0.7, 0.6], [-0.2, 1.9, 1.1, -1.6]])
Y = np.array([[0.5, -1.9, 1.0, 2.0], [0.4, 0.2, -0.1, 0.7], [-0.9, 2.9, 0.1, -1.1]])
NAMES = {
    "x": X,
    "y": Y,
    "v": X[0],
    "c": X > 0.5,
    "d": Y > 0.0,
    "r": np.array([True, False, True]),
    "p": np.array([2, 0, 0]),
    "o": np.argsort(X, 1),
    "n": 1,
    "w": np.array([[0.3, np.nan, 0.2, 2.5], [np.nan, 0.1, -0.7, 0.6]]),
    "u": np.array([[0.3, np.nan, np.inf, 2.5], [-np.inf, 0.1, -0.7, 0.6]]),
    **{name: getattr(runtime, name) for name in ("getitem", "compress", "picked", "came_from")},
    **{name: getattr(runtime, name) for name in ("places", "taken", "within", "any_selected")},
    "np": np,
    "bool": bool,
}


def _value(node: Any) -> Any:
    return eval(text([gast.Expr(node)]), dict(NAMES))


def _operation(source: str) -> Any:
    reader = reader_of(**NAMES)
    node = gast.parse(source, mode="eval").body
    return reader.read(node)


def _used(source: str, name: str, chosen: Any = True) -> Any:
    """Return which elements of a name change what is chosen of a value, if they are changed."""
    base, before = NAMES[name], eval(source, dict(NAMES))
    found = np.zeros(np.shape(base), bool)
    for place in np.ndindex(found.shape):
        moved = np.array(base)
        moved[place] += 1e-6 if np.isfinite(moved[place]) else 1.0
        after = eval(source, {**NAMES, name: moved})
        same = (after == before) | (np.isnan(after) & np.isnan(before))
        found[place] = bool(np.any(~same & chosen))
    return found


MOVES = {
    **dict.fromkeys(["np.reshape(x, (4, 3))", "np.ravel(x)", "np.expand_dims(x, 1)"], True),
    **dict.fromkeys(
        ["np.squeeze(v)", "np.transpose(x)", "np.roll(x, 1)", "np.roll(x, 2, 0)"], True
    ),
    **dict.fromkeys(["np.roll(x, 3, 1)", "np.roll(v, 1)", "np.diff(x)", "np.diff(v)"], True),
    **dict.fromkeys(["np.flip(x)", "np.flip(x, 0)", "np.flip(x, axis=1)", "np.fliplr(x)"], True),
    **dict.fromkeys(
        ["np.flipud(x)", "np.swapaxes(x, 0, 1)", "np.swapaxes(x, axis1=0, axis2=1)"], True
    ),
    **dict.fromkeys(["np.sort(x)", "np.sort(x, 0)", "np.sort(x, axis=0)", "np.sort(v)"], True),
    **dict.fromkeys(["np.delete(x, 1)", "np.delete(x, 1, 0)", "np.delete(x, 1, axis=1)"], True),
    **dict.fromkeys(["np.take_along_axis(x, o, 1)", "np.take_along_axis(x, o, axis=1)"], True),
    **dict.fromkeys(
        ["x[1:]", "x[:, ::2]", "x[...]", "x[:, :]", "x[0]", "x[..., 1]", "v[::-1]"], True
    ),
    **dict.fromkeys(["x[1, 2]", "x[:, 0]", "x[2:, None]", "x[:2, 1:]"], True),
    **dict.fromkeys(["np.transpose(x, (1, 0))", "np.roll(x, n)", "np.roll(x, shift=1)"], False),
    **dict.fromkeys(["np.roll(x, 1, axis=0)", "np.diff(x, 2)", "np.diff(x, axis=0)"], False),
    **dict.fromkeys(["np.sort(x, 0, None)", "np.repeat(x, 2)", "np.rot90(x)"], False),
}
"""What only moves elements of `x` or `v`, and whether a mask can be led through it."""


@pytest.mark.parametrize("source", MOVES)
def test_masks_are_led_back_to_where_elements_have_come_from(source: str) -> None:
    operation = _operation(source)
    assert passes(operation)
    result = np.asarray(eval(source, dict(NAMES)))
    name = "v" if "v" in [getattr(arg, "id", "") for arg in operation.args] else "x"
    rng = np.random.default_rng(len(source))
    for _ in range(4):
        NAMES["q"] = rng.random(result.shape) < 0.5
        mask = Mask(gast.Name("q", gast.Load(), None, None), bool(rng.random() < 0.5), STEEP)
        found = led_back(operation, mask, fits=True)
        if not MOVES[source]:
            assert found is EVERYWHERE
            return
        assert found is not EVERYWHERE
        wanted = _used(source, name, NAMES["q"] == mask.holds)
        np.testing.assert_array_equal(np.broadcast_to(_value(found.truth()), wanted.shape), wanted)
        assert found.least == STEEP
        assert np.shape(_value(shaped_like(found.condition))) == wanted.shape


@pytest.mark.parametrize("source", MOVES)
def test_of_masks_that_may_not_fit_only_what_is_read_is_known(source: str) -> None:
    operation = _operation(source)
    name = "v" if "v" in [getattr(arg, "id", "") for arg in operation.args] else "x"
    mask = Mask(gast.Name("c", gast.Load(), None, None))
    for found in (
        led_back(operation, mask, fits=False),
        led_back(operation, EVERYWHERE, fits=True),
    ):
        if found is not EVERYWHERE:
            np.testing.assert_array_equal(_value(found.truth()), _used(source, name))


SELECTED = [
    *("np.where(c, x, y)", "np.maximum(x, y)", "np.minimum(x, y)", "np.maximum(x, 0.25)"),
    *("np.maximum(-1, x)", "np.minimum(x, -1.5)", "np.clip(x, -1, 1.5)", "np.clip(x, -0.5, 2.0)"),
    *("np.select([c, d], [x, y])", "np.select([c, d], [x, 1.0], y)", "np.select([c], [1.0], x)"),
    *("np.select((c, d), (x, x), default=y)", "np.triu(x)", "np.tril(x)", "np.triu(x, 1)"),
    *(
        "np.tril(x, k=-1)",
        "np.tril(x, 1)",
        "np.triu(x, k=n)",
        "np.clip(x, 0, None)",
        "x[p]",
        "x[c]",
        "x[r, 1]",
    ),
    *("np.sum(x, where=c)", "np.mean(x, where=c)", "np.prod(x, where=d)", "np.std(x, where=c)"),
    *("np.sum(x, axis=0, where=c)", "np.max(x)", "np.min(x)", "np.max(x, 0)", "np.min(x, axis=1)"),
    *("np.amax(x, axis=-1)", "np.amin(x, -1)", "np.max(x, axis=0, keepdims=True)", "np.nanmax(x)"),
    *("np.min(x, axis=1, keepdims=False)", "np.max(x, keepdims=True)", "np.nanmin(x, axis=0)"),
    *("np.fmax(x, y)", "np.fmin(x, y)", "np.nansum(w)", "np.nanstd(w)", "np.nanprod(w)"),
    *("np.nan_to_num(u)", "np.take(x, p)", "np.take(x, p, 0)", "np.take(x, p, axis=0)"),
    *("np.take(x, 2, axis=1)", "np.compress(r, x, 0)", "np.compress(r, x, axis=0)"),
    *("np.compress(r, x)", "np.extract(c, x)", "compress(x, r, 0)", "compress(x, r)"),
    *("compress(x, r, axis=0)", "np.choose(n, [x, y])", "np.choose(0, (x, y))"),
]
"""What uses some elements of its arrays."""


@pytest.mark.parametrize("source", SELECTED)
def test_a_mask_holds_the_elements_that_are_used(source: str) -> None:
    operation = _operation(source)
    name = VOCABULARY.canonical_name(operation.primal)
    NAMES["out"] = eval(source, dict(NAMES))
    found = SELECTORS[name](operation) if name in SELECTORS else []
    found = found or largest(operation, "out")
    if source != "np.nanstd(w)":
        assert {item for item, _ in found} == _operands(operation).intersection("xyuw")
    for operand in {item for item, _ in found}:
        masks = [mask for item, mask in found if item == operand]
        truths = [True if mask is EVERYWHERE else _value(mask.truth()) for mask in masks]
        held = np.any([np.broadcast_to(t, NAMES[operand].shape) for t in truths], axis=0)
        np.testing.assert_array_equal(held, _used(source, operand))


def _operands(operation: Any) -> set[str]:
    """Return the arrays of which a call gives elements."""
    parts = [*operation.args, *(v for k, v in operation.keywords.items() if k == "default")]
    listed = [item for part in parts for item in getattr(part, "elts", [part])]
    return {item.id for item in listed if isinstance(item, gast.Name)}


UNKNOWN = [
    *("np.where(x > 0, x, y)", "np.where(c)", "np.clip(x, 0.1, y * 2)"),
    *(
        "np.maximum(x + 1, y)",
        "np.select([x > 0, d], [x, y])",
        "np.max(x, axis=(0, 1))",
        "np.sum(x)",
    ),
    *("np.max(x, 0, None)", "np.max(x, axis=n)", "np.max(x, initial=0.0)", "np.clip(x, y + 1, 2)"),
    *("np.choose(n, x)", "np.choose(n, [x, y], mode='wrap')", "np.compress(r, x, 0, None)"),
    *("np.sum(x, where=x > 0)", "np.clip(x, a_min=0, a_max=1)", "np.select(c, x)"),
]
"""What is not looked into: all elements may be used."""


@pytest.mark.parametrize("source", UNKNOWN)
def test_of_other_calls_no_masks_are_known(source: str) -> None:
    operation = _operation(source)
    name = VOCABULARY.canonical_name(operation.primal)
    found = SELECTORS[name](operation) if name in SELECTORS else []
    assert all(mask is EVERYWHERE for _, mask in found or largest(operation, "out"))
