"""Says how products and joins of arrays act on stacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.runtime.stacks.core import (
    Stack,
    Units,
    aligned,
    handles,
    holds_stack,
    operand_ndim,
    refuse,
    rows_of,
)
from srcgrad.runtime.stacks.factors import puts_off
from srcgrad.runtime.stacks.functions import shifted


@handles(np.matmul)
def _matmul(a: Any, b: Any) -> Any:
    ranks = operand_ndim(a), operand_ndim(b)
    if isinstance(a, Stack) and not isinstance(b, Stack):
        if ranks == (1, 2) and _is_identity(a):
            return Stack(_kept(b, a))
        if ranks in ((1, 1), (1, 2), (2, 1)):
            return Stack(a.rows @ b)
        if ranks == (2, 2):
            count, *_ = a.rows.shape
            flat = a.rows.reshape(-1, a.shape[1]) @ b
            return Stack(flat.reshape(count, a.shape[0], -1) if count else refuse("no rows"))
    elif not isinstance(a, Stack):
        if ranks == (2, 1) and _is_identity(b):
            return Stack(_kept(np.transpose(a), b))
        if ranks in ((1, 1), (2, 1)):
            return Stack(b.rows @ np.asarray(a).T)
        if ranks in ((1, 2), (2, 2)):
            return Stack(a @ b.rows)
    if 0 in ranks:
        refuse("a product of a number")
    return _any_matmul(a, b, ranks)


def _kept(matrix: Any, identity: Stack) -> Any:
    """Return a matrix as the rows of a product with the identity: a copy if it may be written."""
    wide = np.result_type(matrix, identity.rows)
    return np.asarray(matrix, wide) if puts_off.on else np.array(matrix, wide, order="C")


def _is_identity(stack: Stack) -> bool:
    """Say whether the rows are all unit vectors in order, as at the start of a Jacobian.

    Where they may have been written into, it is looked at: that takes less than a product.
    """
    if puts_off.on:
        return type(stack) is Units
    rows = stack.rows
    count = len(rows)
    if rows.shape != (count, count) or count < 8 or rows[0, 0] != 1 or rows[-1, 0] != 0:
        return False
    return bool(np.count_nonzero(rows) == count and (rows.diagonal() == 1).all())


def _any_matmul(a: Any, b: Any, ranks: tuple[int, int]) -> Any:
    """Multiply operands of any rank: vectors become matrices first, and then lose that axis."""
    left = _with_axis(a, -2) if ranks[0] == 1 else a
    right = _with_axis(b, -1) if ranks[1] == 1 else b
    ndim = max(2, *ranks)
    rows = np.matmul(aligned(left, ndim), aligned(right, ndim))
    if ranks[1] == 1:
        rows = rows[..., 0]
    if ranks[0] == 1:
        rows = rows[..., 0] if ranks[1] == 1 else rows[..., 0, :]
    return Stack(rows)


def _with_axis(value: Any, axis: int) -> Any:
    if isinstance(value, Stack):
        return Stack(np.expand_dims(value.rows, axis))
    return np.expand_dims(value, axis)


@handles(np.dot, ".dot")
def _dot(a: Any, b: Any) -> Any:
    ranks = operand_ndim(a), operand_ndim(b)
    if 0 in ranks:
        return a * b
    if max(ranks) <= 2:
        return _matmul(a, b)
    return _tensordot(a, b, ((ranks[0] - 1,), (max(ranks[1] - 2, 0),)))


@handles(np.inner)
def _inner(a: Any, b: Any) -> Any:
    ranks = operand_ndim(a), operand_ndim(b)
    if 0 in ranks:
        return a * b
    return _tensordot(a, b, ((ranks[0] - 1,), (ranks[1] - 1,)))


@handles(np.outer)
def _outer(a: Any, b: Any) -> Any:
    left = rows_of(a).reshape(len(a.rows), -1) if isinstance(a, Stack) else np.ravel(a)
    right = rows_of(b).reshape(len(b.rows), -1) if isinstance(b, Stack) else np.ravel(b)
    return Stack(left[..., :, None] * right[..., None, :])


@handles(np.tensordot)
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if isinstance(a, Stack) and isinstance(b, Stack):
        refuse("a product of two stacks")
    ranks = operand_ndim(a), operand_ndim(b)
    ours, theirs = _pairs(axes, *ranks)
    if isinstance(a, Stack):
        return Stack(np.tensordot(a.rows, b, (shifted(ours, ranks[0]), theirs)))
    rows = np.tensordot(a, b.rows, (ours, shifted(theirs, ranks[1])))
    return Stack(np.moveaxis(rows, ranks[0] - len(ours), 0))


def _pairs(axes: Any, left: int, right: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes that are summed over, none of them negative."""
    try:
        ours, theirs = axes
    except TypeError:
        ours, theirs = range(left - axes, left), range(axes)
    ours, theirs = ([side] if isinstance(side, int) else list(side) for side in (ours, theirs))
    return tuple(i % left for i in ours), tuple(i % right for i in theirs)


@handles(np.einsum)
def _einsum(subscripts: Any, *operands: Any, **options: Any) -> Any:
    if not isinstance(subscripts, str) or not options.keys() <= {"optimize"}:
        refuse("einsum without subscripts")
    text = subscripts.replace(" ", "")
    given, arrow, result = text.partition("->")
    if not arrow:
        result = _implied(given)
    free = next((c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in text), "")
    terms = given.split(",")
    if not free or len(terms) != len(operands):
        refuse("einsum of so many axes")
    pairs = list(zip(terms, operands, strict=True))
    ours = [free + term if isinstance(item, Stack) else term for term, item in pairs]
    rows = [item.rows if isinstance(item, Stack) else item for item in operands]
    return Stack(np.einsum(f"{','.join(ours)}->{free}{result}", *rows, optimize=True))


def _implied(given: str) -> str:
    """Return the axes of a result that is not said: those that are there once, in order."""
    letters = given.replace("...", "").replace(",", "")
    once = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return ("..." if "..." in given else "") + once


# -- joining


def _full(items: Sequence[Any]) -> list[Any]:
    """Return the rows of all items, those of what is no stack repeated."""
    count = next(len(item.rows) for item in items if isinstance(item, Stack))
    done = []
    for item in items:
        operand_ndim(item)
        plain = None if isinstance(item, Stack) else np.asarray(item)
        done.append(item.rows if plain is None else np.broadcast_to(plain, (count, *plain.shape)))
    return done


@handles(np.stack)
def _stack(arrays: Any, axis: int = 0) -> Any:
    items = _items(arrays)
    ndim = operand_ndim(items[0]) + 1
    return Stack(np.stack(_full(items), shifted(axis, ndim)))


@handles(np.concatenate)
def _concatenate(arrays: Any, axis: Any = 0) -> Any:
    items = _items(arrays)
    rows = _full(items)
    if axis is None:
        return Stack(np.concatenate([part.reshape(len(part), -1) for part in rows], axis=1))
    return Stack(np.concatenate(rows, shifted(axis, operand_ndim(items[0]))))


@handles(np.hstack)
def _hstack(tup: Any) -> Any:
    items = [_at_least(item, 1) for item in _items(tup)]
    return _concatenate(items, 0 if operand_ndim(items[0]) == 1 else 1)


@handles(np.vstack)
def _vstack(tup: Any) -> Any:
    return _concatenate([_at_least(item, 2) for item in _items(tup)], 0)


@handles(np.column_stack)
def _column_stack(tup: Any) -> Any:
    items = [_at_least(item, 1) for item in _items(tup)]
    return _concatenate([_column(item) if operand_ndim(item) == 1 else item for item in items], 1)


def _column(value: Any) -> Any:
    return Stack(value.rows[..., None]) if isinstance(value, Stack) else np.asarray(value)[:, None]


@handles(np.split, np.array_split)
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    rows = rows_of(ary)
    place = shifted(axis, ary.ndim)
    return [Stack(part) for part in np.array_split(rows, indices_or_sections, place)]


def _items(arrays: Any) -> list[Any]:
    """Return the items to join: those of a sequence, or the first axis of a stack."""
    items = list(arrays)
    if any(isinstance(item, (list, tuple)) and holds_stack(item) for item in items):
        refuse("a join of containers")
    return items


def _at_least(value: Any, ndim: int) -> Any:
    if not isinstance(value, Stack):
        return np.atleast_1d(value) if ndim == 1 else np.atleast_2d(value)
    if value.ndim >= ndim:
        return value
    return Stack(aligned(value, ndim))


handles(np.atleast_1d)(lambda value: _at_least(value, 1))
handles(np.atleast_2d)(lambda value: _at_least(value, 2))
