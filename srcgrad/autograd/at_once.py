"""Computes Jacobians with many vectors in one pass: what ``vectorize=True`` asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from srcgrad.errors import SrcgradError
from srcgrad.tape import functions
from srcgrad.tape.backward import grad
from srcgrad.tape.core import Core, make
from srcgrad.tape.modes import enable_grad

_NUMBERS_AT_ONCE: Final = 2**24
_LEAST: Final = 8  # vectors of one pass, however long they are

Tensors = tuple[Any, ...]


def rows_at_once(out: Any, ins: Tensors, create_graph: bool) -> Tensors:
    """Return the Jacobian of one output, of as many rows in a pass as there is room for."""
    blocks: list[list[Any]] = [[] for _ in ins]
    for units in _units(out, ins):
        parts = grad(
            (out,),
            ins,
            (make(units),),
            allow_unused=True,
            retain_graph=True,
            create_graph=create_graph,
            is_grads_batched=True,
        )
        for block, part, item in zip(blocks, parts, ins, strict=True):
            zeros = (len(units), *item.shape)
            block.append(make(np.zeros(zeros, item.dtype)) if part is None else part)
    return tuple(
        functions.reshape(functions.concatenate(block), (*out.shape, *item.shape))
        if block
        else make(np.zeros((*out.shape, *item.shape), item.dtype))
        for block, item in zip(blocks, ins, strict=True)
    )


def columns_at_once(func: Callable[..., Any], ins: Tensors) -> tuple[Any, bool] | None:
    """Return the Jacobian of each output by each input, and whether `func` returns several.

    The gradient is linear in the vector that it starts from: its own gradient by that vector is
    the product of the Jacobian with a column. None where that is not to be had, or not finite.
    """
    with enable_grad():
        result = func(*ins)
        outs = result if isinstance(result, tuple) else (result,)
        plain = all(isinstance(out, Core) and out.dtype.kind == "f" for out in (*outs, *ins))
        if not plain or not all(out.requires_grad for out in outs):
            return None
        vectors = tuple(make(np.zeros_like(out._array), flag=True) for out in outs)
        try:
            pulled = grad(outs, ins, vectors, create_graph=True, allow_unused=True)
            columns = [
                _columns(part, item, vectors) for part, item in zip(pulled, ins, strict=True)
            ]
        except (SrcgradError, RuntimeError, NotImplementedError):
            return None  # a second derivative that nobody knows; forward mode needs none
    if not all(np.isfinite(part).all() for column in columns for part in column):
        return None
    rows = tuple(
        tuple(
            make(column[k].reshape(*out.shape, *item.shape))
            for column, item in zip(columns, ins, strict=True)
        )
        for k, out in enumerate(outs)
    )
    return rows, isinstance(result, tuple)


def _columns(pulled: Any, item: Any, vectors: Tensors) -> list[Any]:
    """Return, for each output, the derivatives by one input, which are counted by the last axis."""
    blocks: list[list[Any]] = [[] for _ in vectors]
    if pulled is not None and pulled.requires_grad:
        for units in _units(pulled, vectors):
            parts = grad(
                (pulled,),
                vectors,
                (make(units),),
                allow_unused=True,
                retain_graph=True,
                is_grads_batched=True,
            )
            for block, part, vector in zip(blocks, parts, vectors, strict=True):
                zeros = (len(units), *vector.shape)
                block.append(np.zeros(zeros, vector.dtype) if part is None else part._array)
    return [
        np.moveaxis(np.concatenate(block), 0, -1)
        if block
        else np.zeros((*vector.shape, item.numel()), vector.dtype)
        for block, vector in zip(blocks, vectors, strict=True)
    ]


def _units(out: Any, others: Tensors) -> Iterator[Any]:
    """Yield the unit vectors of the shape of a tensor, in blocks."""
    count = out.numel()
    step = max(_LEAST, _NUMBERS_AT_ONCE // max(count, *(item.numel() for item in others), 1))
    for first in range(0, count, step):
        last = min(first + step, count)
        yield np.eye(last - first, count, first, dtype=out.dtype).reshape(-1, *out.shape)
