"""Writes elements that a mask of each example picks, where how many there are does not matter.

``np.sum(x[x > 0])`` is ``np.sum(np.where(x > 0, x, 0), axis=1)``, and ``x[m] = 2 * x[m]`` a choice
between whole arrays. So what is picked is carried as the whole array, with its mask; it goes into
arithmetic, sums and writes by the same mask, all in one statement, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, constant
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.terms import Term, axes_of

if TYPE_CHECKING:
    from srcgrad.transforms.batching.calls import Called
    from srcgrad.transforms.batching.writer import Writer

_REFUSAL: Final = "an index by a mask of each example, which leaves another number of elements,"


def picked_by(writer: Writer, base: Term, mask: Term, node: Any) -> Term:
    """Return ``x[mask]`` as the whole array, with its mask."""
    read = base.fact.sites | mask.fact.sites | mask.fact.read_from
    if read & writer.known.by_calls:  # a call in the same statement may come before the reading
        refuse_picked(writer, node)
    key = gast.dump(mask.node)
    writer.picks[key] = mask.node
    whole = replace(base.fact, batched=True)
    return Term(base.node, Fact("picked", True, 1, base.fact.dtype, (whole,), (key,)))


def is_picked(fact: Fact) -> bool:
    """Say whether a value is what a mask of each example picks."""
    return fact.kind == "picked"


def refuse_picked(writer: Writer, node: Any) -> None:
    """Refuse elements that are picked where their number matters."""
    writer.refuse(node, _REFUSAL, "use np.where(mask, x, 0.0)")


def whole_of(term: Term) -> Term:
    """Return the whole array behind what is picked, or a term as it is."""
    return Term(term.node, term.fact.items[0]) if is_picked(term.fact) and term.fact.items else term


def wholes(writer: Writer, terms: Sequence[Term], node: Any) -> tuple[list[Term], Any]:
    """Return the whole arrays of operands that one mask has picked, and the mask.

    Beside them may stand numbers.
    """
    keys = {term.fact.keys for term in terms if is_picked(term.fact)}
    rest = [term for term in terms if not is_picked(term.fact)]
    if len(keys) != 1 or not all(t.fact.is_numeric and t.rank == 0 for t in rest):
        refuse_picked(writer, node)
    ((key, *_),) = (found or ("",) for found in keys)
    return [whole_of(term) for term in terms], writer.picks[str(key)]


def again(like: Sequence[Term], node: Any, whole: Fact) -> Term:
    """Return the result of an operation on what is picked, by the same mask."""
    keys = next(term.fact.keys for term in like if is_picked(term.fact))
    return Term(node, Fact("picked", True, 1, whole.dtype, (whole,), keys))


def picked_call(writer: Writer, made: Called) -> Term:
    """Write a call of what acts on each element, or adds up, of what is picked."""
    terms = made.args
    if made.named or any(is_picked(term.fact) for term in made.named.values()):
        refuse_picked(writer, made.node)
    given, mask = wholes(writer, terms, made.node)
    function = made.function
    if isinstance(function, np.ufunc) and function.signature is None and function.nout == 1:
        if len(terms) != function.nin:
            refuse_picked(writer, made.node)
        found = writer.calls.written_call(replace(made, args=given))
        return again(terms, found.node, found.fact)
    if len(terms) != 1:
        refuse_picked(writer, made.node)
    (whole,) = given
    count = call(writer.numpy("count_nonzero"), clone(mask), axis=axes_of(whole.known_rank()))
    if function in (len, np.size):
        return writer.made(count, Fact("number", True, 0, "i"), made.node)
    if function is np.mean:
        total = _total(writer, made, whole, mask, np.sum)
        return writer.made(
            gast.BinOp(total.node, gast.Div(), count), Fact("number", True, 0, "f"), made.node
        )
    if function not in (np.sum, np.prod, np.any, np.all):
        refuse_picked(writer, made.node)
    return _total(writer, made, whole, mask, function)


def _total(writer: Writer, made: Called, whole: Term, mask: Any, function: Any) -> Term:
    """Return a sum, or its like, of what is picked: the rest is what changes nothing."""
    neutral = constant(function(np.empty(0, int)).item())
    chosen = call(writer.numpy("where"), clone(mask), whole.node, neutral)
    dtype = "i" if whole.fact.dtype == "b" and function in (np.sum, np.prod) else whole.fact.dtype
    term = Term(chosen, replace(whole.fact, dtype=dtype, kind="array"))
    func = gast.Attribute(gast.Name("np", gast.Load(), None, None), function.__name__, gast.Load())
    writer.helpers.use_numpy()
    of = replace(made, function=function, args=[term], func=func, is_method=False)
    return writer.calls.written_call(of)
