"""Writes what the texts of derivatives call, so that a gradient is written for a batch, too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, load
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.elementwise import elementwise_call
from srcgrad.transforms.batching.facts import WHOLE, Fact
from srcgrad.transforms.batching.making import shape_rank, with_examples
from srcgrad.transforms.batching.reductions import shifted
from srcgrad.transforms.batching.terms import Term, axes_of, literal, parts_site, widened

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_SLOPES = (
    "greater_part chosen_part power_slope power_log_slope within is_below is_above "
    "divide_or_zero sign_flip sinc_slope kept_if kept_unless exp_difference exp2_difference"
)

for _name in _SLOPES.split():
    writes(f"srcgrad.runtime.slopes.{_name}")(elementwise_call)
for _name in ("order_of", "part_if_greater", "part_if_less"):
    writes(f"srcgrad.runtime.orders.{_name}")(elementwise_call)
writes("srcgrad.runtime.numbers.sign")(elementwise_call)
writes("srcgrad.runtime.indexing.accumulate")(elementwise_call)


@writes(np.shape, np.size, np.ndim)
def sizes(writer: Writer, made: Called) -> Term:
    """Write ``np.shape(x)`` of one example as ``x.shape[1:]``."""
    term, *rest = made.args
    if made.function is np.shape and term.fact.kind == "list" and not rest and not made.named:
        return _shape_of_list(writer, made, term)
    if rest or made.named or not term.fact.is_numeric:
        writer.refuse(made.node, f"`{made.name}` of this", "use the shape of an array")
    rank = term.rank if made.function is np.shape else None
    fact = Fact("tuple", items=(WHOLE,) * rank) if rank is not None else WHOLE
    if made.function is np.shape and rank is None:
        fact = Fact("tuple")
    if not term.batched:
        return Term(made.text(), fact)
    name = made.name
    rank = writer.rank_of(term, made.node)
    if rank == 0 and made.function is np.shape:
        return Term(at(gast.Tuple([], gast.Load()), made.node), fact)
    whole = gast.Attribute(term.node, name, gast.Load())
    return writer.expressions.array_attribute(
        at(clone(whole), made.node), term, at(whole, made.node)
    )


def _shape_of_list(writer: Writer, made: Called, term: Term) -> Term:
    """Write ``np.shape(items)`` of a list of arrays of each example."""
    element = writer.element_of(term.fact)
    if element is None or not element.is_numeric or element.rank is None:
        writer.refuse(made.node, "the shape of such a list", "make it an array")
    fact = Fact("tuple", items=(WHOLE,) * (element.rank + 1))
    if not element.batched:
        return Term(made.text(), fact)
    lengths: list[Any] = [call("len", term.node)]
    first = gast.Subscript(clone(term.node), gast.Constant(0, None), gast.Load())
    shape = gast.Attribute(first, "shape", gast.Load())
    lengths += [
        gast.Subscript(clone(shape), gast.Constant(i + 1, None), gast.Load())
        for i in range(element.rank)
    ]
    return Term(at(gast.Tuple(lengths, gast.Load()), made.node), fact)


@writes("srcgrad.runtime.creating.cast_back")
def cast_back_call(writer: Writer, made: Called) -> Term:
    """Write ``cast_back(grad, shape, dtype)`` with the shape of all examples."""
    grad, shape, *rest = made.args
    rank = shape_rank(shape)
    if rank is None or made.named or any(term.batched for term in rest):
        writer.refuse(made.node, "an adjoint of which the axes are not known", "fix the axes")
    fact = Fact("array" if rank else "number", grad.batched, rank, grad.fact.dtype)
    sites = grad.fact.sites | {id(made.node)}
    if not grad.batched:
        return Term(made.text(), replace(fact, sites=sites))
    nodes = [grad.node, _whole_shape(writer, shape), *[term.node for term in rest]]
    return Term(made.text(nodes), replace(fact, sites=sites, read_from=grad.fact.read_from))


@writes("srcgrad.runtime.copies.gathered")
def gathered_call(writer: Writer, made: Called) -> Term:
    """Write ``gathered(grad, like)``: the adjoint of a list that was made an array, as a list."""
    grad, like = made.args
    if like.fact.kind != "list" or not grad.fact.is_numeric or not grad.rank:
        writer.refuse(made.node, "the adjoints of such a list", "make it an array at once")
    node, item = writer.expressions.iterated(grad, made.node)
    whole = writer.container("list", {"*": item}, made.node)
    writer.known.held[id(made.node)].items = None
    return Term(call("list", node) if grad.batched else made.text(), whole)


@writes("srcgrad.runtime.reducing.written_over")
def written_over_call(writer: Writer, made: Called) -> Term:
    """Write ``written_over(y, new)``: what an update in place of `y` gives, as a new array."""
    old, new = made.args
    rank = writer.rank_of(old, made.node)
    fact = Fact(old.fact.kind, made.batched, rank, old.fact.dtype)
    if not made.batched:
        return writer.made(made.text(), fact, made.node)
    if writer.rank_of(new, made.node) > rank:
        writer.refuse(made.node, "an update by a value with more axes", "check the axes")
    return writer.made(
        made.text([writer.as_batched(old).node, widened(new, rank)]), fact, made.node
    )


@writes("srcgrad.runtime.adjoints.scalar_seed")
def seed(writer: Writer, made: Called) -> Term:
    """Write the adjoint of the result, which is 1.0 for each example, if that is one number."""
    (term,) = made.args
    if term.batched and (term.rank != 0 or term.fact.dtype not in ("f", "i")):
        writer.refuse(made.node, "a gradient of what may be no real number", "reduce it to one")
    return writer.number(1.0) if term.batched else Term(made.text(), writer.number(1.0).fact)


@writes("srcgrad.runtime.broadcasting.unbroadcast")
def unbroadcast_call(writer: Writer, made: Called) -> Term:
    """Write ``unbroadcast(grad, like)``: axes that an example has more are summed before."""
    grad, like = made.args
    of_like = like.rank if like.fact.is_numeric else shape_rank(like)
    rank = grad.rank
    if of_like is None or rank is None:
        writer.refuse(made.node, "an adjoint of which the axes are not known", "fix the axes")
    left = min(rank, of_like)
    fact = Fact("array" if left else "number", grad.batched, left, grad.fact.dtype)
    sites = grad.fact.sites | {id(made.node)}
    fact = replace(fact, sites=sites, read_from=grad.fact.read_from)
    if not grad.batched:
        shape = gast.Attribute(like.node, "shape", gast.Load())
        one = gast.Subscript(shape, gast.Slice(gast.Constant(1, None), None, None), gast.Load())
        return Term(made.text([grad.node, one]) if like.batched else made.text(), fact)
    node = grad.node
    if rank > of_like:
        node = call(writer.numpy("sum"), node, axis=axes_of(rank - of_like))
    if not left or rank < of_like:
        return Term(at(node, made.node), fact)
    return Term(made.text([node, _whole_shape(writer, like)]), fact)


def _whole_shape(writer: Writer, like: Term) -> Any:
    """Return what tells the shape of all examples: an array of them, or a tuple."""
    if like.batched:
        return like.node
    if not like.fact.is_numeric:
        return with_examples(writer, like)
    shape = gast.Starred(call(writer.numpy("shape"), like.node), gast.Load())
    return gast.Tuple([writer.batch(), shape], gast.Load())


@writes("srcgrad.runtime.products.dot_along")
def summed_product(writer: Writer, made: Called) -> Term:
    """Write ``dot_along(a, b, axis=0)`` with the axis of one example's product."""
    nodes, fact = writer.elementwise(made.args, made.node)
    axis = literal(made.named["axis"].node)
    if fact.rank is None or not axis:
        writer.refuse(made.node, "an adjoint of which the axes are not known", "fix the axes")
    rank = fact.rank if "keepdims" in made.named else fact.rank - 1
    fact = replace(fact, kind="array" if rank else "number", rank=rank)
    moved = {"axis": shifted(axis[0])} if fact.batched else {}
    return writer.made(made.text(nodes, **moved), fact, made.node)


@writes("srcgrad.runtime.numbers.as_shape")
def shaped(writer: Writer, made: Called) -> Term:
    """Write ``as_shape(grad, shape)``: a number of each example in a shape of one element."""
    grad, shape = made.args
    rank = shape_rank(shape)
    fact = Fact("array" if rank else "number", grad.batched, rank, grad.fact.dtype)
    if not grad.batched:
        return writer.made(made.text(), fact, made.node)
    if rank is None:
        writer.refuse(made.node, "an adjoint of which the axes are not known", "fix the axes")
    return writer.made(widened(grad, rank), fact, made.node)


@writes("srcgrad.runtime.broadcasting.expand_reduced")
def expanded_back(writer: Writer, made: Called) -> Term:
    """Write ``expand_reduced(grad, shape, axis)`` with the axis of one example's array."""
    grad, like = made.args[:2]
    axis, keeps = made.argument("axis", 2), made.argument("keepdims", 3)
    of_like = like.rank if like.fact.is_numeric else shape_rank(like)
    told = (None,) if axis is None else literal(axis.node)
    kept = (False,) if keeps is None else literal(keeps.node)
    if of_like is None or not told or not kept:
        writer.refuse(made.node, "an adjoint of which the axes are not known", "fix the axes")
    fact = Fact("array", grad.batched or like.batched, of_like, grad.fact.dtype)
    if not fact.batched:
        return writer.made(made.text(), fact, made.node)
    node = grad.node if grad.batched else writer.spread(grad.node, grad.fact)
    if told[0] is not None and not kept[0] and of_like:
        node = call(writer.numpy("expand_dims"), node, shifted(told[0]))
    elif grad.rank != of_like:
        node = widened(Term(node, replace(grad.fact, batched=True)), of_like)
    shape = _whole_shape(writer, like)
    shape = gast.Attribute(shape, "shape", gast.Load()) if like.batched else shape
    return writer.made(call(writer.numpy("broadcast_to"), node, shape), fact, made.node)


_CONJUGATES = "conj", "real_part"

for _name in _CONJUGATES:
    writes(f"srcgrad.runtime.complex_parts.{_name}")(elementwise_call)


@writes("srcgrad.runtime.adjoints.zeros_like of a container")
def zeros_of_parts(writer: Writer, made: Called) -> Term:
    """Write ``zeros_like(params)`` as a list or dict of zeros for each example."""
    (term,) = made.args
    fact = writer.closed(term.fact)
    if fact.kind not in ("tuple", "list", "dict") or fact.items is None:
        writer.refuse(made.node, "`zeros_like` of this", "make the arrays one by one")
    forced = parts_site(made.node) in writer.known.forced
    kind = "dict" if fact.kind == "dict" else "list"
    if fact.keys == ("*",):
        return _zeros_of_list(writer, made, term, fact)
    keys = list(fact.keys if fact.keys is not None else range(len(fact.items)))
    entries = [(key, _part(term.node, key, i), item)
               for i, (key, item) in enumerate(zip(keys, fact.items, strict=True))]  # fmt: skip
    parts = {key: _zeros(writer, made, Term(node, item)) for key, node, item in entries}
    facts = {key: part.fact for key, part in parts.items()}
    whole = writer.container(kind, facts, made.node)
    if not forced:
        return Term(made.text(), whole)  # of what is in it by then
    nodes = [part.node for part in parts.values()]
    if kind == "dict":
        return Term(gast.Dict([gast.Constant(key, None) for key in keys], nodes), whole)
    return Term(gast.List(nodes, gast.Load()), whole)


def _part(node: Any, key: Any, place: int) -> Any:
    if isinstance(node, (gast.List, gast.Tuple)):
        return clone(node.elts[place])
    return gast.Subscript(clone(node), gast.Constant(key, None), gast.Load())


def _zeros(writer: Writer, made: Called, term: Term) -> Term:
    """Return the zeros for one part of a container."""
    fact = term.fact
    if not fact.is_numeric or fact.rank is None:
        writer.refuse(made.node, "`zeros_like` of this", "make the arrays one by one")
    dtype = fact.dtype if fact.dtype in ("f", "c") else "f"
    found = Fact(fact.kind, fact.batched, fact.rank, dtype).at(parts_site(made.node))
    node = made.text([term.node])
    if not fact.batched and parts_site(made.node) in writer.known.forced:
        return Term(writer.spread(node, found), replace(found, batched=True))
    return Term(node, found)


def _zeros_of_list(writer: Writer, made: Called, term: Term, fact: Fact) -> Term:
    (element,) = fact.items or ()
    if fact.kind != "list":
        writer.refuse(made.node, "`zeros_like` of this", "make the arrays one by one")
    name = writer.namer.fresh("part")
    zeros = _zeros(writer, made, Term(load(name), element))
    whole = writer.container("list", {"*": zeros.fact}, made.node)
    writer.known.held[id(made.node)].items = None
    if not zeros.batched:
        return Term(made.text(), whole)
    generator = gast.comprehension(gast.Name(name, gast.Store(), None, None), term.node, [], 0)
    return Term(gast.ListComp(zeros.node, [generator]), whole)
