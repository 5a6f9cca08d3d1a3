"""Writes what makes arrays for a batch: of zeros, of numbers written down, of other arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, constant, load
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import WHOLE, Fact, all_joined, promoted
from srcgrad.transforms.batching.terms import Term, literal, widened

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_OF_TYPES = {float: "f", int: "i", bool: "b", complex: "c"}


def dtype_told(writer: Writer, made: Called, place: int | None, usual: str) -> str:
    """Return the kind of elements that a dtype option asks for; empty if that is not told."""
    term = made.argument("dtype", -1 if place is None else place)
    if term is None:
        return usual
    value = writer.resolved(term.node)
    try:
        kind = np.dtype(value).kind.replace("u", "i")
    except TypeError:
        return ""
    if kind == "O":
        writer.refuse(made.node, "an array of objects", "use an array of numbers")
    return kind if kind in "bifc" else ""


def shape_rank(term: Term) -> int | None:
    """Return how many axes a shape has, as it is given to ``np.zeros``."""
    if term.fact.kind == "number":
        return 1
    return len(term.fact.items) if term.fact.items is not None else None


def with_examples(writer: Writer, shape: Term) -> Any:
    """Return a shape with the number of examples before it."""
    node = shape.node
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Attribute):
        low = getattr(node.slice, "lower", None)
        if node.value.attr == "shape" and literal(low) == (1,) and node.slice.upper is None:
            return node.value  # ``x.shape[1:]`` of a batch: that is all of ``x.shape``
    if shape.fact.kind == "number":
        return gast.Tuple([writer.batch(), node], gast.Load())
    if isinstance(node, (gast.Tuple, gast.List)):
        return gast.Tuple([writer.batch(), *node.elts], gast.Load())
    return gast.Tuple([writer.batch(), gast.Starred(node, gast.Load())], gast.Load())


@writes(np.zeros, np.ones, np.empty, np.full)
def array_of_shape(writer: Writer, made: Called) -> Term:
    """Write ``np.zeros(shape)``, of each example if something of the batch is written into it."""
    shape = made.argument("shape", 0)
    if shape is None or shape.batched:
        writer.refuse(made.node, "an array whose shape is another for each example", "use a mask")
    filled = made.argument("fill_value", 1) if made.function is np.full else None
    usual = "f" if filled is None else filled.fact.dtype
    dtype = dtype_told(writer, made, made.primitive.dtype, usual)
    rank = shape_rank(shape)
    batched = id(made.node) in writer.known.forced or (filled is not None and filled.batched)
    fact = Fact("array", batched, rank, dtype).at(id(made.node))
    if not batched:
        return Term(made.text(), fact)
    if rank is None:
        writer.refuse(made.node, "an array of which the axes are not known", "write the shape down")
    new = with_examples(writer, shape)
    args = [t.node for t in made.args]
    if filled is not None:
        if filled.rank not in (0, rank):
            writer.refuse(made.node, "np.full with such a value", "write it with np.broadcast_to")
        index = 1 if len(args) > 1 else None
        if index is None:
            writer.refuse(made.node, "np.full with a named value", "give it by position")
        args[1] = widened(filled, rank)
    if args:
        return Term(made.text([new, *args[1:]]), fact)
    return Term(made.text([], shape=new), fact)


@writes(np.zeros_like, np.ones_like, np.empty_like, np.full_like,
        "srcgrad.runtime.adjoints.zeros_like")  # fmt: skip
def array_like(writer: Writer, made: Called) -> Term:
    """Write ``np.zeros_like(x)``."""
    model, filled = made.args[0], made.argument("fill_value", 1)
    filled = filled if made.function is np.full_like else None
    if made.function is np.full_like and filled is None:
        writer.refuse(made.node, "np.full_like without a value", "give it by position")
    dtype = dtype_told(writer, made, made.primitive.dtype, model.fact.dtype)
    if model.fact.kind not in ("array", "number"):
        if made.function.__module__.startswith("srcgrad."):
            return writer.calls.by_name("srcgrad.runtime.adjoints.zeros_like of a container", made)
        writer.refuse(made.node, f"`{made.name}` of a container", "make the arrays one by one")
    if "shape" in made.named:
        writer.refuse(made.node, f"`{made.name}` of another shape", "use np.zeros or np.full")
    rank = writer.rank_of(model, made.node)
    fact = Fact("array", made.batched, rank, dtype)
    if model.fact.kind == "number" and made.function.__module__.startswith("srcgrad."):
        fact = replace(fact, kind="number")
    if not made.batched:
        return writer.made(made.text(), fact, made.node)
    if filled is not None and not model.batched:
        writer.refuse(made.node, "np.full_like with a value of each example", "use np.full")
    args = [t.node for t in made.args]
    if filled is not None:
        if writer.rank_of(filled, made.node) > rank:
            writer.refuse(made.node, "np.full_like with such a value", "use np.broadcast_to")
        args[1] = widened(filled, rank)
    return writer.made(made.text(args), fact, made.node)


@writes(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.stack)
def array_of(writer: Writer, made: Called) -> Term:
    """Write ``np.array([a, b])`` as a stack along the axis after that of the examples."""
    term = made.args[0]
    if made.function is np.stack:
        return stacked(writer, made)
    unusual = len(made.args) > 2 or not made.named.keys() <= {"dtype", "copy", "order"}
    if unusual and not writer.holds_batch(term.fact):  # such as `ndmin`
        return writer.made(made.text(), writer.calls.result_of_shared(made), made.node)
    if unusual:
        writer.refuse(made.node, f"`{made.name}` with options", "leave them out")
    if term.fact.is_numeric:
        dtype = dtype_told(writer, made, 1, term.fact.dtype)
        fact = Fact("array", term.batched, term.rank, dtype)
        if made.function is not np.array and term.fact.kind == "number" and term.batched:
            return writer.new_of_number(writer.made(made.text(), fact, made.node), term)
        if made.function is not np.array:
            return Term(
                made.text(), replace(fact, sites=term.fact.sites, read_from=term.fact.read_from)
            )
        return writer.made(made.text(), fact, made.node)
    if not writer.holds_batch(term.fact):
        return _shared_array(writer, made, term)
    node, fact = _stack(writer, made, made.node.args[0], term)
    if made.named or len(made.args) > 1:
        if made.named.keys() != {"dtype"} or len(made.args) > 1:
            writer.refuse(made.node, f"`{made.name}` with options", "leave them out")
        fact = replace(fact, dtype=dtype_told(writer, made, None, ""))
        node = gast.Call(
            gast.Attribute(node, "astype", gast.Load()), [made.named["dtype"].node], []
        )
    return writer.made(node, fact, made.node)


def _shared_array(writer: Writer, made: Called, term: Term) -> Term:
    """Return an array of numbers that all examples share."""
    depth, dtype, fact = 0, "", term.fact
    while fact.kind in ("list", "tuple"):
        found = writer.element_of(fact)
        if found is None:
            return writer.made(made.text(), Fact("array"), made.node)
        depth, fact = depth + 1, found
    rank = depth + fact.rank if fact.is_numeric and fact.rank is not None else None
    dtype = dtype_told(writer, made, 1, fact.dtype)
    return writer.made(made.text(), Fact("array", False, rank, dtype), made.node)


def _stack(writer: Writer, made: Called, origin: Any, term: Term) -> tuple[Any, Fact]:
    """Return the stack of the items of a list, along the first axis of one example."""
    node, fact = term.node, term.fact
    if not isinstance(node, (gast.List, gast.Tuple)):
        return _stack_of_list(writer, made, term)
    parts: list[Any] = []
    facts: list[Fact] = []
    for item, inner in zip(node.elts, origin.elts, strict=True):
        if isinstance(item, (gast.List, gast.Tuple)):
            known = writer.term(inner).fact
            sub, of = _nested(writer, made, inner, Term(item, known))
        else:
            found = writer.item_of(fact, len(parts)) if fact.kind == "list" else None
            of = found if found is not None else (fact.items or ())[len(parts)]
            sub = item
        parts.append(sub)
        facts.append(of)
    return _stack_parts(writer, made, parts, facts)


def _nested(writer: Writer, made: Called, origin: Any, term: Term) -> tuple[Any, Fact]:
    if writer.holds_batch(term.fact):
        return _stack(writer, made, origin, term)
    element = writer.element_of(term.fact)
    rank = None if element is None or element.rank is None else element.rank + 1
    node = call(writer.numpy("array"), term.node)
    return node, Fact("array", False, rank, "" if element is None else element.dtype)


def _stack_parts(
    writer: Writer, made: Called, parts: list[Any], facts: list[Fact]
) -> tuple[Any, Fact]:
    ranks = {fact.rank for fact in facts}
    if not all(fact.is_numeric for fact in facts) or len(ranks) != 1 or None in ranks:
        writer.refuse(made.node, f"`{made.name}` of items with different axes", "make them alike")
    (rank,) = ranks
    assert rank is not None
    if not all(fact.batched for fact in facts) and rank:
        parts = [
            part if fact.batched else writer.spread(part, fact)
            for part, fact in zip(parts, facts, strict=True)
        ]
    items: Any = gast.List(parts, gast.Load())
    if rank == 0 and not all(fact.batched for fact in facts):
        items = call(writer.numpy("broadcast_arrays"), *parts)
    new = call(writer.numpy("stack"), items, axis=constant(1))
    return new, Fact("array", True, rank + 1, promoted(facts))


def _stack_of_list(writer: Writer, made: Called, term: Term) -> tuple[Any, Fact]:
    element = writer.element_of(term.fact)
    if element is None or not element.is_numeric or element.rank is None or not element.batched:
        writer.refuse(made.node, f"`{made.name}` of such a list", "write the items down")
    node = term.node
    if term.fact.kind == "iterator":
        writer.refuse(made.node, f"`{made.name}` of a generator", "make it a list")
    new = call(writer.numpy("stack"), node, axis=constant(1))
    return new, Fact("array", True, element.rank + 1, element.dtype)


def stacked(writer: Writer, made: Called) -> Term:
    """Write ``np.stack(items, axis)``."""
    term = made.args[0]
    axis = made.argument("axis", 1)
    known = (0,) if axis is None else literal(axis.node)
    element = writer.element_of(term.fact)
    if not known or element is None or not element.is_numeric or element.rank is None:
        writer.refuse(made.node, "np.stack of such items", "write the axis, make the items alike")
    rank = element.rank
    fact = Fact("array", made.batched, rank + 1, element.dtype)
    if not writer.holds_batch(term.fact):
        return writer.made(made.text(), replace(fact, batched=False), made.node)
    place = constant(known[0] + 1 if known[0] >= 0 else known[0])
    items = _all_batched(writer, made, term)
    return writer.made(made.text([items], axis=place), replace(fact, batched=True), made.node)


def _all_batched(writer: Writer, made: Called, term: Term) -> Any:
    """Return a list of arrays in which every item is of the batch."""
    node, fact = term.node, term.fact
    element = writer.element_of(fact)
    if isinstance(node, (gast.List, gast.Tuple)) and fact.kind in ("list", "tuple"):
        parts: list[Any] = []
        for i, item in enumerate(node.elts):
            of = writer.item_of(fact, i) or element
            assert of is not None
            if not of.is_numeric or of.rank is None:
                writer.refuse(made.node, f"`{made.name}` of such items", "make them alike")
            parts.append(item if of.batched else writer.spread(item, of))
        return type(node)(parts, gast.Load())
    if element is None or not element.batched or fact.kind == "iterator":
        writer.refuse(made.node, f"`{made.name}` of such a list", "write the items down")
    return node


@writes(np.concatenate, np.hstack, np.vstack, np.column_stack)
def concatenated(writer: Writer, made: Called) -> Term:
    """Write ``np.concatenate(items, axis)`` along the axis after that of the examples."""
    term = _without_lists(writer, made)
    element = writer.element_of(term.fact)
    if element is not None and element.kind == "mixed" and term.fact.kind == "tuple":
        element = all_joined(term.fact.items or ())
    if element is None or not element.is_numeric or element.rank is None:
        writer.refuse(made.node, f"`{made.name}` of such items", "make their axes alike")
    rank, axis = element.rank, 0
    told = made.argument("axis", 1) if made.function is np.concatenate else None
    if made.function is np.concatenate and told is not None:
        known = literal(told.node)
        if not known or not isinstance(known[0], int):
            writer.refuse(made.node, "np.concatenate along such an axis", "write it as a number")
        axis = known[0]
    elif made.function is not np.concatenate:
        axis = _axis_of_stack(writer, made, rank)
    result = Fact("array", True, max(rank, 1), element.dtype)
    if made.function in (np.vstack, np.column_stack) and rank == 1:
        result = replace(result, rank=2)
    if not writer.holds_batch(term.fact):
        return writer.made(made.text(), replace(result, batched=False), made.node)
    items = _all_batched(writer, made, term)
    place = constant(axis + 1 if axis >= 0 else axis)
    if made.function is np.concatenate:
        if len(made.args) > 1:
            return writer.made(made.text([items, place]), result, made.node)
        return writer.made(made.text([items], axis=place), result, made.node)
    name = "stack" if result.rank != rank else "concatenate"
    return writer.made(call(writer.numpy(name), items, axis=place), result, made.node)


def _without_lists(writer: Writer, made: Called) -> Term:
    """Return what is joined, with arrays for lists of numbers among it: ``[[a, 0.5], x]``."""
    term = made.args[0]
    origin: Any = made.node.args[0] if made.node.args else None
    shown = isinstance(term.node, (gast.List, gast.Tuple)) and isinstance(origin, type(term.node))
    if not shown or len(origin.elts) != len(term.node.elts) or not writer.holds_batch(term.fact):
        return term
    facts = [writer.item_of(term.fact, i) for i in range(len(term.node.elts))]
    if all(fact is None or fact.kind not in ("list", "tuple") for fact in facts):
        return term
    nodes, items = [], []
    for node, inner, fact in zip(term.node.elts, origin.elts, facts, strict=True):
        if fact is not None and fact.kind in ("list", "tuple"):
            if not isinstance(node, (gast.List, gast.Tuple)):
                return term
            node, fact = _nested(writer, made, inner, Term(node, fact))  # noqa: PLW2901 - the array
        if fact is None or fact.rank is None:
            return term
        nodes.append(node)
        items.append(fact)
    return Term(gast.List(nodes, gast.Load()), Fact("tuple", items=tuple(items)))


@writes(np.broadcast_arrays)
def broadcast_together(writer: Writer, made: Called) -> Term:
    """Write ``np.broadcast_arrays(a, b)``, with axes inserted where ranks differ."""
    if made.named:
        writer.refuse(made.node, "np.broadcast_arrays with options", "leave them out")
    nodes, fact = writer.elementwise(made.args, made.node, array=True)
    sites = frozenset().union(*(term.fact.sites | term.fact.read_from for term in made.args))
    if fact.batched and sites & writer.known.written:
        writer.refuse(made.node, "np.broadcast_arrays of what is written into", "work on copies")
    items = tuple(
        replace(fact, dtype=term.fact.dtype, sites=sites | {id(made.node)}) for term in made.args
    )
    return Term(made.text(nodes), Fact("tuple", items=items))


@writes("view")
def viewed(writer: Writer, made: Called) -> Term:
    """Write ``x.view()``, which is `x` by another name."""
    term = made.args[0]
    if len(made.args) > 1 or made.named:
        writer.refuse(made.node, "the method `view` with a type", "use x.astype(dtype)")
    return Term(made.text(), term.fact)


def _axis_of_stack(writer: Writer, made: Called, rank: int) -> int:
    """Return the axis along which ``np.hstack`` and its like join."""
    if rank == 0 or rank > 2:
        writer.refuse(made.node, f"`{made.name}` of such arrays", "use np.concatenate")
    if made.function is np.hstack:
        return 0 if rank == 1 else 1
    if made.function is np.column_stack:
        return 1
    return 0


@writes(float, "item")
def as_float(writer: Writer, made: Called) -> Term:
    """Write ``float(x)`` of a number of each example."""
    term = made.args[0]
    if writer.rank_of(term, made.node) != 0 or len(made.args) > 1:
        size = term.rank
        writer.refuse(made.node, f"`{made.name}` of an array with {size} axes", "take its element")
    fact = Fact("number", term.batched, 0, "f" if made.function is float else term.fact.dtype)
    if not term.batched:
        return writer.made(made.text(), fact, made.node)
    if made.function is not float:
        read = term.fact.sites | term.fact.read_from
        return writer.kept_from_calls(Term(term.node, replace(fact, read_from=read)))
    new = gast.Call(gast.Attribute(term.node, "astype", gast.Load()), [load("float")], [])
    return writer.made(new, fact, made.node)


@writes(len)
def length(writer: Writer, made: Called) -> Term:
    """Write ``len(x)`` of one example."""
    term = made.args[0]
    if not term.batched:
        return Term(made.text(), WHOLE)
    if writer.rank_of(term, made.node) == 0:
        writer.refuse(made.node, "the length of a number", "leave it out")
    shape = gast.Attribute(term.node, "shape", gast.Load())
    return Term(at(gast.Subscript(shape, constant(1), gast.Load()), made.node), WHOLE)


@writes(range, enumerate, zip, reversed, list, tuple)
def iterable(writer: Writer, made: Called) -> Term:
    """Write what loops run over, and lists and tuples of it."""
    node, name = made.node, made.name
    if made.function is range:
        if made.batched:
            writer.refuse(
                node,
                "a loop whose bound is another for each example",
                "loop up to the greatest bound, and use np.where(i < n, new, old)",
            )
        return Term(made.text(), Fact("iterator", items=(WHOLE,)))
    sources, items = [], []
    for term in made.args[: None if made.function is zip else 1]:
        source, item = writer.expressions.iterated(writer.kept(term), node)
        sources.append(source)
        items.append(item)
    rest = [term.node for term in made.args[len(sources) :]]
    new = made.text([*sources, *rest])
    if made.function in (list, tuple):
        if not made.args:
            return Term(
                new,
                writer.container("list", {}, node) if name == "list" else Fact("tuple", items=()),
            )
        return _collected(writer, made, new, items[0])
    if made.function is zip:
        return Term(new, Fact("iterator", items=(Fact("tuple", items=tuple(items)),)))
    if made.function is enumerate:
        pair = Fact("tuple", items=(WHOLE, items[0]))
        return Term(new, Fact("iterator", items=(pair,)))
    return Term(new, Fact("iterator", items=(items[0],)))


def _collected(writer: Writer, made: Called, new: Any, item: Fact) -> Term:
    source = made.args[0].fact
    if made.function is tuple:
        known = source.items if source.kind == "tuple" else None
        if known is None and writer.holds_batch(item):
            writer.refuse(made.node, "a tuple of values of each example", "make it a list")
        return Term(new, Fact("tuple", items=known))
    if item.kind == "number" and item.batched and item.read_from & writer.known.written:
        writer.refuse(made.node, "a list of the elements of an array that is written", "copy it")
    fact = writer.container("list", {"*": item}, made.node)
    writer.known.held[id(made.node)].items = None
    return Term(new, fact)
