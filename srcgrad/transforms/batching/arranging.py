"""Writes what gives arrays other axes, or puts their elements elsewhere, for a batch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, constant
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.making import dtype_told, shape_rank, with_examples
from srcgrad.transforms.batching.reductions import flattened, shifted
from srcgrad.transforms.batching.terms import Term, indexed, literal, none, whole_slice

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer


def _view(writer: Writer, made: Called, node: Any, rank: int | None) -> Term:
    """Return a term that lies in the memory of the first argument; of a number, in its own."""
    fact = made.args[0].fact
    kind = "number" if rank == 0 and fact.kind == "number" else "array"
    found = replace(fact, kind="number" if kind == "number" else "array", rank=rank, constant=())
    if kind == "array" and fact.kind == "number" and fact.batched:
        return writer.new_of_number(writer.made(node, found, made.node), made.args[0])
    return Term(at(node, made.node), found)


@writes(np.reshape, arrays=1)
def reshaped(writer: Writer, made: Called) -> Term:
    """Write ``x.reshape(2, -1)`` as ``x.reshape(batch, 2, -1)``."""
    term, *rest = made.args
    rest += [made.named[key] for key in ("shape",) if key in made.named]
    if made.named.keys() - {"shape"} or any(t.batched for t in rest) or not rest:
        writer.refuse(made.node, "a reshape with such options", "leave them out")
    if not made.is_method and len(rest) != 1:
        writer.refuse(made.node, "a reshape with an order", "transpose before")
    if len(rest) == 1:
        rank = shape_rank(rest[0])
        if not term.batched:
            return _view(writer, made, made.text(), rank)
        if rank is None:
            writer.refuse(
                made.node, "a reshape to a shape of unknown length", "write the lengths out"
            )
        new = with_examples(writer, rest[0])
        if made.is_method and isinstance(new, gast.Tuple) and rest[0].fact.kind == "number":
            return _view(writer, made, made.text([term.node, *new.elts]), rank)
        args = [term.node, new]
        return _view(writer, made, _without(made.text(args), "shape"), rank)
    if not term.batched:
        return _view(writer, made, made.text(), len(rest))
    nodes = [term.node, writer.batch(), *[t.node for t in rest]]
    return _view(writer, made, made.text(nodes), len(rest))


def _without(node: Any, name: str) -> Any:
    node.keywords = [item for item in node.keywords if item.arg != name]
    return node


@writes(np.ravel, "flatten", "srcgrad.runtime.creating.flatten", arrays=1)
def raveled(writer: Writer, made: Called) -> Term:
    """Write ``x.ravel()`` of each example."""
    term = made.args[0]
    if len(made.args) > 1 or made.named:
        writer.refuse(made.node, f"`{made.name}` with an order", "transpose before")
    if not term.batched:
        return _view(writer, made, made.text(), 1)
    rank = writer.rank_of(term, made.node)
    if rank == 0:
        return _view(writer, made, indexed(term.node, [whole_slice(), none()]), 1)
    new = flattened(writer, term)
    fresh = made.is_method and made.node.func.attr == "flatten"
    if fresh or (not made.is_method and made.function is not np.ravel):
        written = {id(made.node), *term.fact.sites, *term.fact.read_from} & writer.known.written
        if rank == 1 or written:
            new = gast.Call(gast.Attribute(new, "copy", gast.Load()), [], [])
        return writer.made(new, Fact("array", True, 1, term.fact.dtype), made.node)
    return _view(writer, made, new, 1)


@writes(np.transpose, arrays=1)
def transposed(writer: Writer, made: Called) -> Term:
    """Write ``np.transpose(x, axes)`` with the axis of the examples kept first."""
    term, *rest = made.args
    rest += list(made.named.values())
    rank = term.rank
    if not term.batched:
        return _view(writer, made, made.text(), rank)
    rank = writer.rank_of(term, made.node)
    axes: Any = tuple(range(rank))[::-1]
    if rest:
        told = [literal(item.node) for item in rest]
        if not all(told):
            writer.refuse(
                made.node, "a transposition that the text does not tell", "write the axes"
            )
        axes = told[0][0] if len(told) == 1 and isinstance(told[0][0], tuple) else None
        axes = tuple(item[0] for item in told) if axes is None else axes
    if rank < 2:
        return term
    if not rest and rank == 2:
        return _view(writer, made, gast.Attribute(term.node, "mT", gast.Load()), rank)
    numbers = [constant(0), *[constant(a % rank + 1) for a in axes]]
    method = gast.Attribute(term.node, "transpose", gast.Load())
    return _view(writer, made, gast.Call(method, numbers, []), rank)


@writes(np.swapaxes, np.moveaxis, arrays=1)
def axes_moved(writer: Writer, made: Called) -> Term:
    """Write ``np.swapaxes(x, 0, 1)`` with axes counted with that of the examples."""
    term, *rest = made.args
    if not term.batched:
        return _view(writer, made, made.text(), term.rank)
    told = [literal(item.node) for item in rest]
    if len(told) != 2 or not all(told):
        writer.refuse(made.node, f"`{made.name}` by axes that the text does not tell", "write them")
    rank = writer.rank_of(term, made.node)
    return _view(writer, made, made.text([term.node, *[shifted(item[0]) for item in told]]), rank)


@writes(np.expand_dims, arrays=1)
def expanded(writer: Writer, made: Called) -> Term:
    """Write ``np.expand_dims(x, axis)``."""
    term, axis = made.args[0], made.argument("axis", 1)
    told = () if axis is None else literal(axis.node)
    if not told:
        writer.refuse(made.node, "np.expand_dims along such an axis", "write it as a number")
    more = len(told[0]) if isinstance(told[0], tuple) else 1
    rank = None if term.rank is None else term.rank + more
    if not term.batched:
        return _view(writer, made, made.text(), rank)
    if len(made.args) > 1:
        return _view(writer, made, made.text([term.node, shifted(told[0])]), rank)
    return _view(writer, made, made.text([term.node], axis=shifted(told[0])), rank)


@writes(np.squeeze, arrays=1)
def squeezed(writer: Writer, made: Called) -> Term:
    """Write ``np.squeeze(x, axis)``; without an axis only the lengths tell what becomes of it."""
    term, axis = made.args[0], made.argument("axis", 1)
    told = () if axis is None else literal(axis.node)
    if not told or told[0] is None:
        writer.refuse(made.node, "np.squeeze without an axis", "name the axis")
    less = len(told[0]) if isinstance(told[0], tuple) else 1
    rank = None if term.rank is None else term.rank - less
    if not term.batched:
        return _view(writer, made, made.text(), rank)
    if len(made.args) > 1:
        return _view(writer, made, made.text([term.node, shifted(told[0])]), rank)
    return _view(writer, made, made.text([term.node], axis=shifted(told[0])), rank)


@writes(np.broadcast_to, arrays=1)
def broadcast(writer: Writer, made: Called) -> Term:
    """Write ``np.broadcast_to(x, shape)``."""
    term, shape = made.args[0], made.argument("shape", 1)
    rank = None if shape is None else shape_rank(shape)
    if not term.batched or shape is None:
        return _view(writer, made, made.text(), rank)
    if rank is None or made.named or writer.rank_of(term, made.node) > rank:
        writer.refuse(made.node, "np.broadcast_to such a shape", "write the shape down")
    missing = [none() for _ in range(rank - term.known_rank())]
    node = indexed(term.node, [whole_slice(), *missing]) if missing else term.node
    return _view(writer, made, made.text([node, with_examples(writer, shape)]), rank)


@writes(np.copy, "copy", "srcgrad.runtime.copies.copied")
def copied(writer: Writer, made: Called) -> Term:
    """Write ``x.copy()``."""
    term = made.args[0]
    if not term.fact.is_numeric:
        writer.refuse(made.node, f"`{made.name}` of a container", "copy the arrays in it")
    kind = term.fact.kind if made.is_method else "array"
    return writer.made(made.text(), replace(term.fact, kind=kind, constant=()), made.node)


@writes("astype", "srcgrad.runtime.creating.astype")
def cast(writer: Writer, made: Called) -> Term:
    """Write ``x.astype(dtype)``."""
    term = made.args[0]
    dtype = dtype_told(writer, made, 1, "")
    if any(item.batched for item in made.args[1:]):
        writer.refuse(made.node, "a dtype of each example", "write one dtype for all")
    return writer.made(made.text(), replace(term.fact, dtype=dtype, constant=()), made.node)


@writes(np.atleast_1d)
def at_least_vector(writer: Writer, made: Called) -> Term:
    """Write ``np.atleast_1d(x)``."""
    term, *others = made.args
    if others:
        writer.refuse(made.node, "np.atleast_1d of several arrays", "call it for each of them")
    rank = writer.rank_of(term, made.node)
    if rank:
        return term
    if not term.batched:
        return _view(writer, made, made.text(), 1)
    return _view(writer, made, indexed(term.node, [whole_slice(), none()]), 1)


@writes(np.diag)
def diagonal(writer: Writer, made: Called) -> Term:
    """Write ``np.diag(x)`` of a matrix; of a vector ``x[:, :, None] * np.eye(n)``."""
    term, *rest = made.args
    rank = writer.rank_of(term, made.node)
    fact = Fact("array", term.batched, 1 if rank == 2 else 2, term.fact.dtype)
    if not term.batched:
        return writer.made(made.text(), fact, made.node)
    if rest or made.named or rank != 2:
        writer.refuse(
            made.node, "np.diag of a vector or with an offset", "use x[:, None] * np.eye(n)"
        )
    method = gast.Attribute(term.node, "diagonal", gast.Load())
    return writer.made(
        gast.Call(method, [constant(0), constant(1), constant(2)], []), fact, made.node
    )


@writes(np.repeat, np.tile)
def repeated(writer: Writer, made: Called) -> Term:
    """Write ``np.repeat(x, count, axis)``."""
    term, times = made.args[0], made.args[1] if len(made.args) > 1 else None
    axis = made.argument("axis", 2) if made.function is np.repeat else None
    told = None if axis is None or axis.fact.kind == "none" else literal(axis.node)
    rank = writer.rank_of(term, made.node)
    if times is None or times.batched or told == ():
        writer.refuse(made.node, f"`{made.name}` with such arguments", "write them down")
    if made.function is np.tile and (times.fact.kind != "number" or rank != 1):
        writer.refuse(made.node, "np.tile of such an array", "use np.repeat or np.broadcast_to")
    left = 1 if told is None else rank
    fact = Fact("array", term.batched, left, term.fact.dtype)
    if not term.batched:
        return writer.made(made.text(), fact, made.node)
    if made.function is np.tile:
        pair = gast.Tuple([constant(1), times.node], gast.Load())
        return writer.made(made.text([term.node, pair]), fact, made.node)
    if rank == 0:
        writer.refuse(made.node, "np.repeat of a number", "use np.full")
    node = term.node if told is not None else flattened(writer, term)
    place = shifted(told[0]) if told is not None else constant(1)
    if len(made.args) > 2:
        return writer.made(made.text([node, times.node, place]), fact, made.node)
    return writer.made(made.text([node, times.node], axis=place), fact, made.node)


@writes(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit)
def split(writer: Writer, made: Called) -> Term:
    """Write ``np.split(x, parts, axis)`` with the axis counted with that of the examples."""
    term, parts = made.args[:2]
    rank = writer.rank_of(term, made.node)
    axis = made.argument("axis", 2) if made.function in (np.split, np.array_split) else None
    told = (0,) if axis is None else literal(axis.node)
    place = {np.hsplit: int(rank > 1), np.vsplit: 0, np.dsplit: 2}.get(made.function)
    place = told[0] if place is None and told else place
    known = parts.fact.constant or literal(parts.node)
    if parts.batched or not isinstance(place, int) or not known:
        writer.refuse(made.node, f"`{made.name}` with such arguments", "write them down")
    count = known[0] if isinstance(known[0], int) else len(known[0]) + 1
    read = term.fact.sites | term.fact.read_from
    part = replace(term.fact, kind="array", constant=(), read_from=read)
    whole = writer.container("list", dict.fromkeys(range(count), part), made.node)
    if not term.batched:
        return Term(made.text(), whole)
    name = "array_split" if made.function is np.array_split else "split"
    new = call(writer.numpy(name), term.node, parts.node, axis=shifted(place))
    return Term(at(new, made.node), whole)
