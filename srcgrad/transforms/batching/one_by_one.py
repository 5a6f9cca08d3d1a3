"""Writes a call of what takes no batch as one call for each example, with the results stacked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone, dotted, load
from srcgrad.transforms.batching.asking import is_pure
from srcgrad.transforms.batching.calls import Called, writes
from srcgrad.transforms.batching.facts import Fact
from srcgrad.transforms.batching.terms import Term, parts_site

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer


@writes("one by one")
def one_by_one(writer: Writer, made: Called) -> Term:
    """Write ``f(x, shared)`` as ``np.stack([f(one_x, shared) for one_x in x])``."""
    terms = [*made.args, *made.named.values()]
    own = [term for term in terms if writer.holds_batch(term.fact)]
    fact = writer.calls.asked(made, alike=True)
    plain = all(term.batched and term.fact.is_numeric for term in own)
    known = plain and is_pure(made.function) and _is_known(fact) and "out" not in made.named
    if not known or (not fact.is_numeric and made.primitive.may_view):
        writer.refuse(made.node, f"a call of `{made.name}`", "call it for each example")
    _refuse_views(writer, made, own)
    node = _for_each(writer, made, own)
    site = parts_site(made.node)
    if fact.is_numeric:
        new = call(writer.numpy("stack"), node)
        return _lying(writer.made(new, _of_each(fact), made.node), made, own)
    rows = call("zip", gast.Starred(node, gast.Load()))
    new = call(fact.kind, call("map", dotted(writer.numpy("stack")), rows))
    items = tuple(_of_each(item).at(site) for item in fact.items or ())
    if fact.kind == "tuple":
        return Term(new, Fact("tuple", items=items))
    return Term(new, writer.container("list", dict(enumerate(items)), made.node))


@writes("numbers one by one")
def numbers_one_by_one(writer: Writer, made: Called) -> Term:
    """Write a call of a function of numbers alone as an array of its results."""
    terms = [*made.args, *made.named.values()]
    if any(not term.fact.is_numeric or writer.rank_of(term, made.node) for term in terms):
        writer.refuse(made.node, f"`{made.name}` of an array", "write it with NumPy's functions")
    own = [term for term in terms if term.batched]
    new = call(writer.numpy("array"), _for_each(writer, made, own))
    return writer.made(new, Fact("number", True, 0, _kind_of(made)), made.node)


def _kind_of(made: Called) -> str:
    """Return the kind of number that a function of numbers returns."""
    kinds = {"float": "f", "truth": "b", "int": "i"}
    unsaid = "c" if made.primitive.name.startswith("cmath.") else "f"
    return kinds.get(made.primitive.kind, unsaid)


def _is_known(fact: Fact) -> bool:
    """Say whether it is known what the results of all examples are together."""
    if fact.is_numeric:
        return fact.rank is not None
    several = fact.kind in ("tuple", "list") and fact.items and fact.keys is None
    return bool(several) and all(
        item.is_numeric and item.rank is not None for item in fact.items or ()
    )


def _of_each(fact: Fact) -> Fact:
    return replace(fact, batched=True, constant=())


def _refuse_views(writer: Writer, made: Called, own: list[Term]) -> None:
    """Refuse results that may lie in the memory of what is written into: they would be copies."""
    if made.primitive.memory == "fresh":
        return
    sites = frozenset().union(*(term.fact.sites | term.fact.read_from for term in own))
    if sites & writer.known.written:
        writer.refuse(
            made.node,
            f"a call of `{made.name}`, whose result may be a view of what is written into,",
            "work on a copy",
        )


def _lying(term: Term, made: Called, own: list[Term]) -> Term:
    """Return a result that tells whose memory it may lie in, so that writes into it are seen."""
    if made.primitive.memory == "fresh" or term.fact.kind != "array":
        return term
    sites = frozenset().union(*(inner.fact.sites for inner in own))
    return Term(term.node, replace(term.fact, sites=term.fact.sites | sites))


def _for_each(writer: Writer, made: Called, own: list[Term]) -> Any:
    """Return the list of the results of all examples."""
    names = [writer.namer.fresh(f"one_{_told(term.node)}") for term in own]
    place = {id(term): load(name) for term, name in zip(own, names, strict=True)}
    args = [place.get(id(term), term.node) for term in made.args]
    named = {key: place.get(id(term), term.node) for key, term in made.named.items()}
    new = made.text(args, **named)
    targets = [gast.Name(name, gast.Store(), None, None) for name in names]
    sources = [clone(term.node) for term in own]
    if len(own) == 1:
        generator = gast.comprehension(targets[0], sources[0], [], 0)
    else:
        pairs = gast.Tuple(targets, gast.Store())
        generator = gast.comprehension(pairs, call("zip", *sources), [], 0)
    return gast.ListComp(new, [generator])


def _told(node: Any) -> str:
    return node.id if isinstance(node, gast.Name) else "value"
