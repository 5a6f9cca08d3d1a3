"""Writes what works along axes for a batch: reductions, running sums, sorting, linear algebra."""

from __future__ import annotations

import functools
import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import call, constant
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import Fact, added_up, all_joined, promoted
from srcgrad.transforms.batching.terms import Term, axes_of, literal, none, widened

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_KINDS = {"float": "f", "truth": "b", "int": "i"}
_OWN = ("axis", "keepdims", "ddof", "dtype", "initial", "ord", "correction")


@writes(np.sum)
def reduction(writer: Writer, made: Called) -> Term:
    """Write ``np.sum(x, axis=0)`` with the axis of one example's array."""
    position = made.primitive.axis
    term = made.args[0]
    if term.fact.kind in ("list", "tuple", "iterator"):
        return _reduced_list(writer, made, term)
    axis = made.argument("axis", position)
    keep = made.named.get("keepdims")
    others = [t for k, t in made.named.items() if k not in _OWN]
    others += made.args[position + 1 :]
    if others or any(t.batched for t in (*made.args[1:], *made.named.values())):
        writer.refuse(made.node, f"`{made.name}` with such options", "leave them out")
    if keep is not None and not literal(keep.node):
        writer.refuse(
            made.node, f"`{made.name}` with keepdims that the text does not tell", "say it"
        )
    rank = writer.rank_of(term, made.node)
    keeps = keep is not None and bool(literal(keep.node)[0])
    given = _axis_of(writer, made, axis)
    dtype = _kind_of_reduced(made, term.fact.dtype)
    if "dtype" in made.named or len(made.args) > position + 1:
        dtype = ""
    left = rank if keeps else 0 if given is None else rank - _count(given)
    fact = Fact("array" if left else "number", term.batched, left, dtype)
    if not term.batched:
        return writer.made(made.text(), fact, made.node)
    return _batched(writer, made, fact, given)


def _kind_of_reduced(made: Called, dtype: str) -> str:
    """Return the kind of elements that a reduction gives: a mean of complex numbers is complex."""
    kind = made.primitive.kind
    if kind == "promoted":
        return added_up(dtype)
    return dtype if kind == "float" and dtype == "c" else _KINDS.get(kind, dtype)


def _axis_of(writer: Writer, made: Called, axis: Term | None) -> Any:
    """Return the axis or axes that are told; None if none is."""
    if axis is None or axis.fact.kind == "none":
        return None
    found = literal(axis.node)
    if not found:
        writer.refuse(
            made.node,
            f"`{made.name}` along an axis that the text does not tell",
            "write the axis as a number",
        )
    return found[0]


def _count(axes: Any) -> int:
    return len(axes) if isinstance(axes, tuple) else 1


def shifted(axes: Any) -> Any:
    """Return the expression of axes, counted with that of the examples.

    >>> import ast
    >>> ast.unparse(gast.gast_to_ast(shifted((0, -1))))
    '(1, -1)'
    """
    if isinstance(axes, tuple):
        return gast.Tuple([shifted(axis) for axis in axes], gast.Load())
    return constant(axes + 1 if axes >= 0 else axes)


def _batched(writer: Writer, made: Called, fact: Fact, given: Any) -> Term:
    """Return the reduction of an array of the batch."""
    term, position = made.args[0], made.primitive.axis
    rank = term.known_rank()
    if rank == 0:
        flat, same = made.primitive.along == "flat", fact.dtype == term.fact.dtype
        if flat or not same or made.named or not _keeps(made.function, fact.dtype):
            writer.refuse(made.node, f"`{made.name}` of one number", "leave it out")
        return term
    node = term.node
    if given is not None:
        axes = shifted(given)
    elif made.primitive.along == "flat" and rank > 1:
        keep = made.named.get("keepdims")
        if keep is not None:
            writer.refuse(made.node, f"`{made.name}` with keepdims", "leave it out")
        node, axes = flattened(writer, term), constant(1)
    else:
        axes = axes_of(rank)
    if made.primitive.name == "numpy.linalg.norm" and rank > 2 and given is None:
        writer.refuse(
            made.node, "a norm of more than two axes", "write it with np.sqrt(np.sum(x * x))"
        )
    head = [node, *[t.node for t in made.args[1:position]]]
    tail = [t.node for t in made.args[position + 1 :]]
    by_position = len(made.args) > position
    if by_position:
        return writer.made(made.text([*head, axes, *tail]), fact, made.node)
    return writer.made(made.text(head, axis=axes), fact, made.node)


@functools.cache
def _keeps(function: Any, dtype: str) -> bool:
    """Say whether a reduction of one number is that number, as a sum is and a norm is not."""
    numbers = (True, False) if dtype == "b" else (-0.5, 2.5, np.nan)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all(np.array_equal(function(x), x, equal_nan=dtype != "b") for x in numbers)


def flattened(writer: Writer, term: Term) -> Any:
    """Return ``x.ravel()`` of each example."""
    if term.known_rank() == 1:
        return term.node
    minus = gast.UnaryOp(gast.USub(), gast.Constant(1, None))
    return gast.Call(gast.Attribute(term.node, "reshape", gast.Load()), [writer.batch(), minus], [])


def _reduced_list(writer: Writer, made: Called, term: Term) -> Term:
    """Write a reduction of a list of numbers or arrays, over its first axis."""
    element = writer.element_of(term.fact)
    one = element is not None and element.kind == "number" and element.batched
    if made.named or len(made.args) > 1 or not one or made.primitive.along == "flat":
        writer.refuse(made.node, f"`{made.name}` of a list", "make it an array first")
    assert element is not None
    if term.fact.kind == "iterator":
        writer.refuse(made.node, f"`{made.name}` of a generator", "make it an array first")
    dtype = _kind_of_reduced(made, element.dtype)
    new = made.text([term.node], axis=constant(0))
    return writer.made(new, Fact("number", True, 0, dtype), made.node)


@writes(np.cumsum, np.cumprod, np.sort, np.argsort, np.diff, np.flip, np.roll)
def along_axis(writer: Writer, made: Called) -> Term:
    """Write what works along one axis and leaves the number of axes as it is."""
    primitive, term = made.primitive, made.args[0]
    rank = writer.rank_of(term, made.node)
    place = primitive.axis
    told = made.argument("axis", place)
    axis = _axis_of(writer, made, told)
    if made.named.keys() - {"axis", "n", "kind"} or len(made.args) > place + 1:
        writer.refuse(made.node, f"`{made.name}` with such options", "leave them out")
    if told is not None and axis is None and primitive.along == "last":
        writer.refuse(made.node, f"`{made.name}` of a flattened array", "flatten it before")
    if any(t.batched for t in (*made.args[1:], *made.named.values())):
        writer.refuse(made.node, f"`{made.name}` by numbers of each example", "index by an array")
    dtype = _KINDS.get(primitive.kind, term.fact.dtype)
    dtype = added_up(dtype) if made.function in (np.cumsum, np.cumprod) else dtype
    flat = axis is None and primitive.along in ("flat", "all")
    keeps = primitive.along == "all" or not flat
    fact = Fact("array", term.batched, rank if keeps else 1, dtype)
    if not term.batched:
        return writer.made(made.text(), fact, made.node)
    if rank == 0:
        writer.refuse(made.node, f"`{made.name}` of one number", "leave it out")
    if flat and primitive.along == "all" and rank > 1 and made.function is not np.flip:
        writer.refuse(made.node, f"`{made.name}` over all axes at once", "name the axis")
    if axis is None and primitive.along == "last":
        return writer.made(made.text(), fact, made.node)
    node = flattened(writer, term) if flat and primitive.along == "flat" else term.node
    axes = axes_of(rank if primitive.along == "all" else 1) if axis is None else shifted(axis)
    head = [node, *[t.node for t in made.args[1:place]]]
    if len(made.args) > place:
        new = made.text([*head, axes, *[t.node for t in made.args[place + 1 :]]])
    else:
        new = made.text(head, axis=axes)
    return writer.made(new, fact, made.node)


@writes(np.linalg.inv)
def core_call(writer: Writer, made: Called) -> Term:
    """Write a call of what works on the last axes and carries those before along.

    Which are the last ones is said as NumPy says it of generalised ufuncs: ``(m,m),(m,n)->(m,n)``.
    """
    signature = made.primitive.signature or made.function.signature
    ins, outs = (re.findall(r"\(([^)]*)\)", side) for side in signature.split("->"))
    cores = [len([c for c in item.split(",") if c]) for item in ins]
    if len(made.args) < len(cores) or any(t.batched for t in made.args[len(cores) :]):
        writer.refuse(made.node, f"`{made.name}` with such arguments", "leave the options out")
    if any(t.batched for t in made.named.values()):
        writer.refuse(made.node, f"`{made.name}` with options of each example", "leave them out")
    axis = made.named.get("axis")
    along_last = axis is None or (literal(axis.node) and literal(axis.node)[0] < 0)
    if not along_last or made.named.keys() & {"axes", "axisa", "axisb", "compute_uv", "mode"}:
        writer.refuse(made.node, f"`{made.name}` with such options", "leave them out")
    terms = made.args[: len(cores)]
    if made.function is np.linalg.solve and terms[1].rank == 1:
        return _solved_vector(writer, made)
    ranks = [writer.rank_of(term, made.node) for term in terms]
    if any(rank < core for rank, core in zip(ranks, cores, strict=True)):
        writer.refuse(made.node, f"`{made.name}` of too few axes", "check the axes")
    loops = max(rank - core for rank, core in zip(ranks, cores, strict=True))
    nodes = [widened_before(term, loops + core) for term, core in zip(terms, cores, strict=True)]
    kind = _KINDS.get(made.primitive.kind, promoted([t.fact for t in terms]))
    results = []
    for item in outs:
        rank = loops + len([c for c in item.split(",") if c])
        results.append(Fact("array" if rank else "number", made.batched, rank, kind))
    rest = [t.node for t in made.args[len(cores) :]]
    new = made.text([*nodes, *rest]) if made.batched else made.text()
    if len(results) == 1:
        return writer.made(new, results[0], made.node)
    items = tuple(fact.at(id(made.node)) for fact in results)
    return Term(new, Fact("tuple", items=items))


def widened_before(term: Term, rank: int) -> Any:
    """Return a term with axes after that of the examples, for axes that are carried along."""
    return widened(term, rank)


def _solved_vector(writer: Writer, made: Called) -> Term:
    """Write ``np.linalg.solve(a, b)`` with a vector, which is a column for NumPy then."""
    matrix, vector = made.args
    fact = Fact("array", made.batched, 1, "f")
    if matrix.rank != 2:
        writer.refuse(made.node, "np.linalg.solve of many matrices", "give columns")
    if not made.batched:
        return writer.made(made.text(), fact, made.node)
    if not matrix.batched:
        turned = gast.Attribute(vector.node, "T", gast.Load())
        solved = call(made.func, matrix.node, turned)
        return writer.made(gast.Attribute(solved, "T", gast.Load()), fact, made.node)
    dots = gast.Constant(Ellipsis, None)
    column = gast.Subscript(vector.node, gast.Tuple([dots, none()], gast.Load()), gast.Load())
    solved = call(made.func, matrix.node, column)
    index = gast.Tuple([dots, constant(0)], gast.Load())
    return writer.made(gast.Subscript(solved, index, gast.Load()), fact, made.node)


@writes(np.linalg.eigh, np.linalg.svd, np.linalg.qr, np.linalg.slogdet)
def factorised(writer: Writer, made: Called) -> Term:
    """Write a factorisation, which carries leading axes along and returns several arrays."""
    return core_call(writer, made)


@writes(max, min)
def extreme_of_two(writer: Writer, made: Called) -> Term:
    """Write Python's ``max(a, b)``, which is ``b if b > a else a``, for each example."""
    if len(made.args) == 1 and not made.named:
        return _extreme_of_all(writer, made)
    if made.named:
        writer.refuse(made.node, f"`{made.name}` with options", f"use np.{made.name} of an array")
    if made.batched:
        writer.refuse_twice(made.node.args, made.node)
    total = made.args[0]
    sign = gast.Gt() if made.function is max else gast.Lt()
    for term in made.args[1:]:
        if total.rank != 0 or term.rank != 0:
            writer.refuse(made.node, f"`{made.name}` of arrays", f"use np.{made.name}imum")
        batched = total.batched or term.batched
        fact = Fact("number", batched, 0, promoted([total.fact, term.fact]))
        test = gast.Compare(term.node, [sign], [total.node])
        total = Term(call(writer.numpy("where"), test, term.node, total.node), fact)
    if not made.batched:
        return writer.made(made.text(), replace(total.fact, batched=False), made.node)
    return writer.made(total.node, total.fact, made.node)


def _extreme_of_all(writer: Writer, made: Called) -> Term:
    """Write Python's ``max(items)`` of numbers of each example, which goes through all of them."""
    node, item = writer.expressions.iterated(made.args[0], made.node)
    if not item.is_numeric or item.rank != 0 or not item.dtype:
        writer.refuse(made.node, f"`{made.name}` of such items", f"use np.{made.name} of an array")
    if not item.batched:
        return writer.made(made.text(), replace(item, kind="number"), made.node)
    new = call(writer.helpers.use_runtime(f"{made.name}_for_each"), node)
    return writer.made(new, Fact("number", True, 0, item.dtype), made.node)


@writes(sum)
def sum_of_items(writer: Writer, made: Called) -> Term:
    """Write Python's ``sum`` of a list or of an array."""
    term = made.args[0]
    if made.named:
        writer.refuse(made.node, "`sum` with a named start", "add it")
    start = made.args[1] if len(made.args) > 1 else None
    if term.fact.kind in ("array", "number"):
        rank = writer.rank_of(term, made.node)
        dtype = added_up(term.fact.dtype)
        fact = Fact("array" if rank > 1 else "number", term.batched, rank - 1, dtype)
        if not term.batched:
            return writer.made(made.text(), fact, made.node)
        if start is not None or rank == 0:
            writer.refuse(made.node, "`sum` with a start", "use np.sum and add it")
        method = gast.Attribute(term.node, "sum", gast.Load())
        new = gast.Call(method, [], [gast.keyword("axis", constant(1))])
        return writer.made(new, fact, made.node)
    facts = [writer.element_of(term.fact)]
    if term.fact.kind in ("list", "tuple") and isinstance(term.node, gast.Name):
        facts = [writer.element_of(term.fact)]
    element = all_joined([f for f in facts if f is not None])
    if element is None or not element.is_numeric or element.rank is None:
        writer.refuse(made.node, "`sum` of this", "use np.sum of an array")
    if start is not None and start.rank != 0:
        writer.refuse(made.node, "`sum` with such a start", "add it")
    batched = element.batched
    dtype = added_up(element.dtype)
    fact = Fact("array" if element.rank else "number", batched, element.rank, dtype)
    return writer.made(made.text(), fact, made.node)
