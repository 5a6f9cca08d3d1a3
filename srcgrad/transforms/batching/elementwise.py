"""Writes what acts on each element for a batch: axes are inserted where ranks differ."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import call, load
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import promoted
from srcgrad.transforms.batching.terms import Term

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

_OPERANDS: Final = frozenset("a_min a_max x a decimals posinf neginf".split()) | {
    "nan",
    "min",
    "max",
}


@writes("each element")
def elementwise_call(writer: Writer, made: Called) -> Term:
    """Write a call of what acts on each element: axes are inserted where ranks differ."""
    options = {"dtype", "where", "out"} & made.named.keys()
    is_ufunc = isinstance(made.function, np.ufunc)
    options |= {"out"} if is_ufunc and len(made.args) > made.function.nin else set()
    if options - {"dtype"} or made.named.keys() - {"dtype", *_OPERANDS}:
        writer.refuse(made.node, f"`{made.name}` with such options", "leave the options out")
    keys = [key for key in made.named if key != "dtype"]
    terms = [*made.args, *[made.named[key] for key in keys]]
    primitive = made.primitive
    kinds = {"float": "f", "truth": "b", "int": "i"}
    dtype = kinds.get(primitive.kind, "")
    if not dtype and promoted([t.fact for t in terms]) in ("b", "i"):
        dtype = "" if primitive.kind == "promoted" else _result_kind(made, terms)
    operands = [t for t in terms if t.fact.kind != "none"]
    nodes, fact = writer.elementwise(
        operands, made.node, dtype=dtype, array=primitive.gives == "array"
    )
    if made.function is np.where and len(operands) == 3:
        fact = replace(fact, dtype=promoted([t.fact for t in operands[1:]]))
    given = iter(nodes)
    placed = [t.node if t.fact.kind == "none" else next(given) for t in terms]
    count = len(made.args)
    named = dict(zip(keys, placed[count:], strict=True))
    if made.function is np.where and len(terms) == 1:
        writer.refuse(made.node, "np.where with a condition alone", "use np.where(condition, a, b)")
    found = writer.made(made.text(placed[:count], **named), fact, made.node)
    return found if primitive.memory == "fresh" else writer.calls.perhaps_viewing(found, made)


def _result_kind(made: Called, terms: list[Term]) -> str:
    """Return the kind of the elements that a ufunc gives for whole numbers or truths."""
    if not isinstance(made.function, np.ufunc):
        return ""
    kinds = {"b": "?", "i": "l", "f": "d", "c": "D"}
    given = [np.dtype(kinds[t.fact.dtype]) if t.fact.dtype else None for t in terms]
    if None in given:
        return ""
    try:
        found = made.function.resolve_dtypes((*given, None))[-1]
    except TypeError:
        return ""
    return str(found.kind)


@writes("numbers alone")
def scalar_call(writer: Writer, made: Called) -> Term:
    """Write a call of a function of `math`, by the function of NumPy of that name."""
    name = made.primitive.name.rpartition(".")[2]
    function = getattr(np, name, None)
    if not made.batched:
        _, fact = writer.elementwise(made.args, made.node, dtype="f")
        return writer.made(made.text(), fact, made.node)
    if made.function is math.log and len(made.args) == 2:
        return _logarithm(writer, made)
    if not isinstance(function, np.ufunc) or function.nin != len(made.args) or made.named:
        return writer.calls.by_name("numbers one by one", made)
    kinds = {"float": "f", "truth": "b", "int": "i"}
    nodes, fact = writer.elementwise(made.args, made.node, dtype=kinds.get(made.primitive.kind, ""))
    if any(term.rank for term in made.args):
        writer.refuse(made.node, f"`math.{name}` of an array", f"use np.{name}")
    new = call(writer.numpy(function.__name__), *nodes)
    if made.primitive.kind == "int":
        new = call(gast.Attribute(new, "astype", gast.Load()), load("int"))
    return writer.made(new, fact, made.node)


def _logarithm(writer: Writer, made: Called) -> Term:
    """Write ``math.log(x, base)``, which is a quotient for Python, too."""
    (x, base), fact = writer.elementwise(made.args, made.node, dtype="f")
    above, below = call(writer.numpy("log"), x), call(writer.numpy("log"), base)
    return writer.made(gast.BinOp(above, gast.Div(), below), fact, made.node)
