"""Writes products of vectors and matrices for a batch."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, constant
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import Fact, promoted
from srcgrad.transforms.batching.terms import Term, indexed, none, whole_slice

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer


def matrix_product(writer: Writer, node: Any, left: Term, right: Term) -> Term:
    """Write ``a @ b``, where one or both are of the batch."""
    fact = _product_fact(left, right)
    if not fact.batched:
        return writer.made(gast.BinOp(left.node, gast.MatMult(), right.node), fact, node)
    one, other = writer.rank_of(left, node), writer.rank_of(right, node)
    if one == 0 or other == 0:
        writer.refuse(node, "a product of matrices with a number", "write it with *")
    fact = replace(fact, rank=_product_rank(one, other))
    return writer.made(_product(writer, left, right), fact, node)


def _product_rank(one: int, other: int) -> int:
    if one == 1 or other == 1:
        return one + other - 2
    return max(one, other)


def _product_fact(left: Term, right: Term) -> Fact:
    known = left.rank is not None and right.rank is not None and left.rank and right.rank
    rank = _product_rank(left.known_rank(), right.known_rank()) if known else None
    kind = "number" if rank == 0 else "array"
    return Fact(
        "number" if kind == "number" else "array",
        left.batched or right.batched,
        rank,
        promoted([left.fact, right.fact]),
    )


def _times(one: Any, other: Any) -> Any:
    return gast.BinOp(one, gast.MatMult(), other)


def _product(writer: Writer, left: Term, right: Term) -> Any:
    """Return the product of two terms of known ranks, of which one or both are of the batch."""
    one, other = left.known_rank(), right.known_rank()
    if not left.batched and one == 2 and other == 1:
        return _times(right.node, gast.Attribute(left.node, "T", gast.Load()))
    if not left.batched and one == 1 and other == 1:
        return _times(right.node, left.node)
    if not right.batched and one == 1 and other <= 2:
        return _times(left.node, right.node)
    if one == other == 1:
        product = gast.BinOp(left.node, gast.Mult(), right.node)
        total = "any" if promoted([left.fact, right.fact]) == "b" else "sum"
        return call(writer.numpy(total), product, axis=constant(1))
    return _as_matrices(left, right)


def _as_matrices(left: Term, right: Term) -> Any:
    """Return the product with axes for vectors to be matrices, which are taken off again."""
    one, other = left.known_rank(), right.known_rank()
    loops = max(one, other) - 2
    parts = []
    for term, rank, place in ((left, one, -2), (right, other, -1)):
        node = term.node
        if rank == 1 and term.batched:
            node = _with_axis(node, place, batched=term.batched)
        whole = max(rank, 2)
        if term.batched and whole - 2 < loops:
            missing = [none() for _ in range(loops - (whole - 2))]
            node = indexed(node, [whole_slice(), *missing])
        parts.append(node)
    product = _times(*parts)
    if one == 1 and left.batched:
        return indexed(product, [gast.Constant(Ellipsis, None), constant(0), whole_slice()])
    if other == 1 and right.batched:
        return indexed(product, [gast.Constant(Ellipsis, None), constant(0)])
    return product


def _with_axis(node: Any, place: int, *, batched: bool) -> Any:
    """Return a vector (of each example) as a row or a column."""
    lead = [whole_slice()] if batched else []
    inner = [none(), whole_slice()] if place == -2 else [whole_slice(), none()]
    return indexed(node, [*lead, *inner])


@writes(np.matmul, np.dot, arrays=2)
def product_call(writer: Writer, made: Called) -> Term:
    """Write ``np.dot(a, b)``."""
    left, right, *rest = [*made.args, *made.named.values()]
    if rest or made.named:
        writer.refuse(made.node, f"`{made.name}` with options", "leave them out")
    if not made.batched:
        return writer.made(made.text(), _shared_dot(writer, made), made.node)
    one, other = writer.rank_of(left, made.node), writer.rank_of(right, made.node)
    if made.function is np.dot and 0 in (one, other):
        (a, b), fact = writer.elementwise([left, right], made.node)
        return writer.made(gast.BinOp(a, gast.Mult(), b), fact, made.node)
    if (made.function is np.dot and other > 2) or (
        one > 2 and other > 1 and made.function is np.dot
    ):
        writer.refuse(made.node, "np.dot of arrays with more than two axes", "write it with @")
    return matrix_product(writer, made.node, left, right)


def _shared_dot(writer: Writer, made: Called) -> Fact:
    """Return what ``np.dot(a, b)`` is, which all examples share."""
    left, right = made.args
    if made.function is np.dot and 0 in (left.rank, right.rank):
        return writer.elementwise([left, right], made.node)[1]
    if made.function is np.dot and (right.rank or 3) > 2:  # then it is no product of matrices
        return writer.calls.result_of_shared(made)
    return _product_fact(left, right)


@writes(np.inner, np.vdot)
def inner_call(writer: Writer, made: Called) -> Term:
    """Write ``np.inner(a, b)`` of vectors, and ``np.vdot(a, b)``, which takes conjugates of one."""
    left, right = made.args
    if made.function is np.vdot and left.fact.dtype in ("c", ""):
        left = replace(left, node=call(writer.numpy("conj"), left.node))
    if left.rank == right.rank == 1:
        return matrix_product(writer, made.node, left, right)
    if left.rank == right.rank == 0:
        (a, b), fact = writer.elementwise([left, right], made.node)
        return writer.made(gast.BinOp(a, gast.Mult(), b), fact, made.node)
    return writer.refuse(
        made.node, f"`{made.name}` of arrays that are no vectors", "write it with @"
    )


@writes(np.outer)
def outer_call(writer: Writer, made: Called) -> Term:
    """Write ``np.outer(a, b)`` as ``a[:, :, None] * b[:, None]``."""
    left, right, *rest = made.args
    if rest or made.named:
        writer.refuse(made.node, "np.outer with options", "leave them out")
    fact = Fact("array", made.batched, 2, promoted([left.fact, right.fact]))
    if not made.batched:
        return writer.made(made.text(), fact, made.node)
    for term in (left, right):
        if writer.rank_of(term, made.node) != 1:
            writer.refuse(made.node, "np.outer of what are no vectors", "make them vectors")
    one = _with_axis(left.node, -1, batched=left.batched)
    row = [whole_slice(), none()]
    other = indexed(right.node, row) if right.batched else right.node
    return writer.made(gast.BinOp(one, gast.Mult(), other), fact, made.node)


@writes(np.einsum)
def einsum_call(writer: Writer, made: Called) -> Term:
    """Write ``np.einsum`` with one letter more, for the examples."""
    spec = made.args[0].fact.constant if made.args else ()
    if not spec or not isinstance(spec[0], str) or "." in spec[0]:
        writer.refuse(
            made.node, "np.einsum of which the subscripts are not written down", "write them"
        )
    if made.named.keys() - {"optimize"}:
        writer.refuse(made.node, "np.einsum with options", "leave them out")
    text = spec[0].replace(" ", "")
    inputs, arrow, output = text.partition("->")
    if not arrow:
        letters = [c for c in sorted(set(inputs) - {","}) if inputs.count(c) == 1]
        output = "".join(letters)
    operands = made.args[1:]
    parts = inputs.split(",")
    fact = Fact(
        "array" if output else "number",
        made.batched,
        len(output),
        promoted([t.fact for t in operands]),
    )
    if not made.batched:
        return writer.made(made.text(), fact, made.node)
    for part, term in zip(parts, operands, strict=True):
        if writer.rank_of(term, made.node) != len(part):
            writer.refuse(made.node, "np.einsum with other axes than its subscripts", "check them")
    letter = next(c for c in "bnz" + string.ascii_letters if c not in text)
    new = ",".join(
        letter + part if term.batched else part for part, term in zip(parts, operands, strict=True)
    )
    nodes = [gast.Constant(f"{new}->{letter}{output}", None), *[t.node for t in operands]]
    return writer.made(made.text(nodes), fact, made.node)


@writes(np.trace)
def trace_call(writer: Writer, made: Called) -> Term:
    """Write ``np.trace(a)`` of a matrix."""
    (term, *rest) = made.args
    fact = Fact("number", made.batched, 0, term.fact.dtype)
    if rest or made.named or writer.rank_of(term, made.node) != 2:
        writer.refuse(made.node, "np.trace with options", "use np.einsum")
    if not made.batched:
        return writer.made(made.text(), fact, made.node)
    new = call(writer.numpy("trace"), term.node, axis1=constant(1), axis2=constant(2))
    return writer.made(at(new, made.node), fact, made.node)
