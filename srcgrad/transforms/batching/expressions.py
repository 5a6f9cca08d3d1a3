"""Rewrites expressions: the innermost first, each with what is known of its value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, load
from srcgrad.ir.handlers import expression
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in
from srcgrad.transforms.batching.attempts import risks_of_division
from srcgrad.transforms.batching.comparisons import TRUTH
from srcgrad.transforms.batching.facts import (
    UNKNOWN,
    WHOLE,
    Fact,
    all_joined,
    fact_of,
    joined,
    kind_of_operation,
    promoted,
)
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.picking import (
    again,
    is_picked,
    refuse_picked,
    whole_of,
    wholes,
)
from srcgrad.transforms.batching.products import matrix_product
from srcgrad.transforms.batching.terms import Term, literal


class Expressions(Part):
    """Rewrites the expressions of one function."""

    def other(self, node: Any) -> Term:
        """Return what reads nothing of the batch as it is."""
        for name in found_in(node, gast.Name):
            if self.writer.holds_batch(self.writer.env.get(name.id, UNKNOWN)):
                self.writer.refuse(
                    node,
                    f"{_described(node)} that reads `{name.id}`, of which each has its own,",
                    "write it with NumPy's functions",
                )
        if found_in(node, gast.NamedExpr):  # it binds for all examples, whatever branch it is in
            self.writer.refuse(node, _described(node), "assign in a statement of its own")
        return self.writer.made(self._renamed(node), UNKNOWN, node)

    def _renamed(self, node: Any) -> Any:
        new = clone(node)
        for name in found_in(new, gast.Name):
            if isinstance(name.ctx, gast.Load) and name.id in self.writer.alias:
                name.id = self.writer.alias[name.id]
        return new

    # -- values

    @expression(gast.Constant)
    def _constant(self, node: Any) -> Term:
        fact = fact_of(node.value, id(node))
        return self.writer.made(clone(node), replace(fact, constant=(node.value,)), node)

    @expression(gast.Name)
    def _name(self, node: Any) -> Term:
        fact = self.writer.env.get(node.id)
        if fact is None:
            value = MISSING if node.id in self.writer.hidden else self.writer.scope.lookup(node.id)
            if value is MISSING:
                return Term(clone(node), UNKNOWN)
            return Term(clone(node), fact_of(value, ("outside", node.id)))
        if fact.kind == "mixed" and self.writer.holds_batch(fact):
            self.writer.refuse(
                node,
                f"`{node.id}`, which has other axes or is another thing on another path,",
                "give it the same axes on every path",
            )
        return Term(at(load(self.writer.alias.get(node.id, node.id)), node), fact)

    @expression(gast.Attribute)
    def _attribute(self, node: Any) -> Term:
        value = self.writer.resolved(node)
        if value is not MISSING:
            return Term(clone(node), fact_of(value, ("outside", node.attr)))
        base = self.writer.term(node.value)
        new = at(gast.Attribute(base.node, node.attr, gast.Load()), node)
        if base.fact.kind in ("array", "number"):
            return self.array_attribute(node, base, new)
        held = base.fact.held(node.attr) if base.fact.kind == "object" else None
        if self.writer.holds_batch(base.fact) and held is None:
            self.writer.refuse(
                node, f"the attribute `{node.attr}`", "pass what it holds as an argument"
            )
        return Term(new, held or Fact("unknown", sites=base.fact.sites))

    def array_attribute(self, node: Any, base: Term, new: Any) -> Term:
        """Return what an attribute of an array is for one example."""
        rank, fact, name = base.rank, base.fact, node.attr
        if name == "shape":
            items = None if rank is None else (WHOLE,) * rank
            tail = gast.Slice(gast.Constant(1, None), None, None)
            new = gast.Subscript(new, tail, gast.Load()) if base.batched else new
            return Term(at(new, node), Fact("tuple", items=items))
        if name in ("ndim", "size"):
            return Term(self._count(name, base, new, node), WHOLE)
        if name == "T":
            return self.transposed(base, new, node)
        if name in ("real", "imag"):
            dtype = "f" if fact.dtype == "c" else fact.dtype
            return Term(new, replace(fact, dtype=dtype))
        if name == "mT" and rank is not None and rank >= 2:
            return Term(new, fact)
        if base.batched and name != "dtype":
            self.writer.refuse(
                node, f"the attribute `{name}` of an array", "write it with a function"
            )
        return Term(new, UNKNOWN)

    def _count(self, name: str, base: Term, new: Any, node: Any) -> Any:
        """Return the number of axes or of elements of one example."""
        if not base.batched:
            return new
        rank = self.writer.rank_of(base, node)
        if name == "ndim" or rank == 0:
            return gast.Constant(rank if name == "ndim" else 1, None)
        shape = gast.Attribute(base.node, "shape", gast.Load())
        sizes = [
            gast.Subscript(clone(shape), gast.Constant(i + 1, None), gast.Load())
            for i in range(rank)
        ]
        total = sizes[0]
        for size in sizes[1:]:
            total = gast.BinOp(total, gast.Mult(), size)
        return total

    def transposed(self, base: Term, new: Any, node: Any) -> Term:
        """Return ``x.T`` of each example."""
        if not base.batched:
            return Term(new, base.fact)
        rank = self.writer.rank_of(base, node)
        if rank < 2:
            return base
        if rank == 2:
            return Term(at(gast.Attribute(base.node, "mT", gast.Load()), node), base.fact)
        order = [gast.Constant(i, None) for i in (0, *range(rank, 0, -1))]
        return Term(
            at(call(gast.Attribute(base.node, "transpose", gast.Load()), *order), node), base.fact
        )

    # -- operators

    @expression(gast.BinOp)
    def _bin_op(self, node: Any) -> Term:
        self.writer.taken |= {id(node.left), id(node.right)}
        left, right = self.writer.term(node.left), self.writer.term(node.right)
        if is_picked(left.fact) or is_picked(right.fact):
            return self._operation_of_picked(node, left, right)
        if isinstance(node.op, gast.MatMult):
            left = self.writer.calls.as_array(left, node.left)
            right = self.writer.calls.as_array(right, node.right)
            return matrix_product(self.writer, node, left, right)
        kinds = {left.fact.kind, right.fact.kind}
        if kinds & {"list", "tuple", "text", "dict"}:
            return self._joined_containers(node, left, right)
        self.writer.note_risk(node, risks_of_division(node.op, [left.fact, right.fact]))
        dtype = kind_of_operation(node.op, [left.fact, right.fact])
        (a, b), fact = self.writer.elementwise([left, right], node, dtype=dtype)
        return self.writer.made(gast.BinOp(a, node.op, b), fact, node)

    def _operation_of_picked(self, node: Any, left: Term, right: Term) -> Term:
        if isinstance(node.op, gast.MatMult):
            refuse_picked(self.writer, node)
        given, _ = wholes(self.writer, [left, right], node)
        dtype = kind_of_operation(node.op, [left.fact, right.fact])
        (a, b), fact = self.writer.elementwise(given, node, dtype=dtype)
        return again([left, right], at(gast.BinOp(a, node.op, b), node), fact)

    def _joined_containers(self, node: Any, left: Term, right: Term) -> Term:
        new = at(gast.BinOp(left.node, node.op, right.node), node)
        batched = self.writer.holds_batch(left.fact) or self.writer.holds_batch(right.fact)
        shared_number = any(t.fact.kind == "number" and not t.batched for t in (left, right))
        numeric = left.fact.is_numeric or right.fact.is_numeric
        if batched and numeric and not shared_number:
            self.writer.refuse(
                node, "an operation between a list and an array", "make the list an array"
            )
        one, other = left.fact, right.fact
        if one.kind == other.kind == "tuple" and one.items is not None and other.items is not None:
            return Term(new, Fact("tuple", items=one.items + other.items))
        if "list" in (one.kind, other.kind):
            held = [self.writer.element_of(f) for f in (one, other) if f.kind == "list"]
            elements = [e for e in held if e is not None]
            of_numbers = [e for e in elements if e.is_numeric]
            if len({e.batched for e in of_numbers}) > 1:
                self.writer.force(next(e for e in of_numbers if not e.batched), node)
            element = all_joined(elements)
            items = None if element is None else {"*": element}
            return Term(new, self.writer.container("list", items, node))
        if one.kind in ("tuple", "dict") and self.writer.holds_batch(one):
            self.writer.refuse(
                node, "an operation with a tuple or dict of arrays", "write the items down"
            )
        return Term(new, Fact(one.kind if one.kind in ("text", "tuple") else "unknown"))

    @expression(gast.UnaryOp)
    def _unary_op(self, node: Any) -> Term:
        if not isinstance(node.op, gast.Not):
            self.writer.taken.add(id(node.operand))
        inner = self.writer.term(node.operand)
        if is_picked(inner.fact):
            new = at(gast.UnaryOp(node.op, inner.node), node)
            return again([inner], new, whole_of(inner).fact)
        if isinstance(node.op, gast.Not):
            if self.writer.comparisons.is_settled(inner):
                answer = not inner.node.value
                return Term(gast.Constant(answer, None), replace(TRUTH, constant=(answer,)))
            if not inner.batched:
                return self.writer.made(gast.UnaryOp(node.op, inner.node), TRUTH, node)
            return Term(
                at(
                    gast.UnaryOp(gast.Invert(), self.writer.comparisons.truth(inner, node).node),
                    node,
                ),
                inner.fact,
            )
        (new,), fact = self.writer.elementwise([inner], node)
        value = literal(node)
        return self.writer.made(gast.UnaryOp(node.op, new), replace(fact, constant=value), node)

    @expression(gast.IfExp)
    def _if_exp(self, node: Any) -> Term:
        test = self.writer.term(node.test)
        if self.writer.comparisons.is_settled(test):
            return self.writer.term(node.body if test.node.value else node.orelse)
        one, other = self.writer.term(node.body), self.writer.term(node.orelse)
        if test.batched:
            self.writer.note_risk(node, (Exception,))
            return self.selected(self.writer.comparisons.truth(test, node.test), one, other, node)
        if one.batched != other.batched and one.fact.is_numeric and other.fact.is_numeric:
            one, other = self.writer.as_batched(one), self.writer.as_batched(other)
        new = gast.IfExp(test.node, one.node, other.node)
        return Term(at(new, node), joined(one.fact, other.fact))

    def selected(self, test: Term, one: Term, other: Term, node: Any) -> Term:
        """Return one value where the test of an example holds, and the other where it does not."""
        sites = one.fact.sites | other.fact.sites
        fresh = all(isinstance(t.node, (gast.BinOp, gast.UnaryOp)) for t in (one, other))
        if one.rank != 0 and not fresh:
            self.writer.note_chosen(sites, node)
        same = one.fact.is_numeric and other.fact.is_numeric
        if not same or one.rank is None or one.rank != other.rank:
            self.writer.refuse(
                node,
                "a choice between values that are no arrays of the same number of axes",
                "give both sides the same axes",
            )
        dtype = promoted([one.fact, other.fact])
        fact = Fact("number" if not one.rank else "array", True, one.rank, dtype)
        if (
            self.writer.comparisons.is_settled(one)
            and self.writer.comparisons.is_settled(other)
            and one.node.value != other.node.value
        ):
            truth = test.node if one.node.value else _inverted(test.node)
            return self.writer.made(truth, replace(TRUTH, batched=True), node)
        if one.rank == 0:
            return self.writer.made(
                call(self.writer.numpy("where"), test.node, one.node, other.node), fact, node
            )
        helper = self.writer.helpers.use_runtime("chosen_for_each")
        sides = [self.writer.as_batched(term).node for term in (one, other)]
        return self.writer.made(call(helper, test.node, *sides), fact, node)

    # -- displays

    @expression(gast.Tuple)
    def _tuple(self, node: Any) -> Term:
        if any(isinstance(item, gast.Starred) for item in node.elts):
            return self._starred_tuple(node)
        terms = [self.writer.kept(self.writer.term(item)) for item in node.elts]
        new = at(gast.Tuple([t.node for t in terms], gast.Load()), node)
        return Term(new, Fact("tuple", items=tuple(t.fact for t in terms)))

    def _starred_tuple(self, node: Any) -> Term:
        nodes: list[Any] = []
        items: list[Fact] | None = []
        for item in node.elts:
            starred = isinstance(item, gast.Starred)
            term = self.writer.term(item.value if starred else item)
            nodes.append(gast.Starred(term.node, gast.Load()) if starred else term.node)
            if starred and (term.fact.items is None or term.batched):
                if self.writer.holds_batch(term.fact):
                    self.writer.refuse(item, "a star before values of examples", "write them down")
                items = None
            elif items is not None:
                items += list(term.fact.items or ()) if starred else [term.fact]
        new = at(gast.Tuple(nodes, gast.Load()), node)
        return Term(new, Fact("tuple", items=None if items is None else tuple(items)))

    @expression(gast.List)
    def _list(self, node: Any) -> Term:
        if any(isinstance(item, gast.Starred) for item in node.elts):
            return self.other(node)
        terms = [self.writer.kept(self.writer.term(item)) for item in node.elts]
        facts = {i: term.fact for i, term in enumerate(terms)}
        fact = self.writer.container("list", facts, node)
        held = self.writer.known.held[id(node)]
        nodes = []
        for i, term in enumerate(terms):
            wanted = held.element if held.items is None else held.items.get(i)
            needed = wanted is not None and wanted.batched and not term.batched
            nodes.append(self.writer.as_batched(term).node if needed else term.node)
        return Term(at(gast.List(nodes, gast.Load()), node), fact)

    @expression(gast.Dict)
    def _dict(self, node: Any) -> Term:
        if any(key is None for key in node.keys):
            return self.other(node)
        keys = [self.writer.term(key) for key in node.keys]
        terms = [self.writer.kept(self.writer.term(item)) for item in node.values]
        known = all(key.fact.constant for key in keys)
        known = known and len({key.fact.constant[0] for key in keys}) == len(keys)
        facts = (
            {key.fact.constant[0]: term.fact for key, term in zip(keys, terms, strict=True)}
            if known
            else {i: term.fact for i, term in enumerate(terms)}
        )
        fact = self.writer.container("dict", facts, node)
        held = self.writer.known.held[id(node)]
        if not known:
            held.items = None
        nodes = []
        for key, term in zip(facts, terms, strict=True):
            wanted = held.element if held.items is None else held.items.get(key)
            needed = wanted is not None and wanted.batched and not term.batched
            nodes.append(self.writer.as_batched(term).node if needed else term.node)
        return Term(at(gast.Dict([k.node for k in keys], nodes), node), fact)

    @expression(gast.ListComp)
    def _list_comp(self, node: Any) -> Term:
        return self._comprehension(node, "list")

    @expression(gast.GeneratorExp)
    def _generator_exp(self, node: Any) -> Term:
        return self._comprehension(node, "iterator")

    def _comprehension(self, node: Any, kind: str) -> Term:
        before, alias = dict(self.writer.env), dict(self.writer.alias)
        generators, guards = [], []
        for generator in node.generators:
            source = self.writer.term(generator.iter)
            iterable, element = self.iterated(source, generator.iter)
            if element.kind == "number" and element.read_from & self.writer.known.by_calls:
                self.writer.refuse(
                    node, "a comprehension over what a call writes into", "write a loop"
                )
            self.bind_target(generator.target, element, generator.target)
            tests = [self.writer.term(test) for test in generator.ifs]
            guards += tests
            new = gast.comprehension(clone(generator.target), iterable, [t.node for t in tests], 0)
            generators.append(new)
        item = self.writer.kept(self.writer.term(node.elt))
        if any(test.batched for test in guards):
            item = self._added_where(node, guards, item, generators)
        self.writer.env, self.writer.alias = before, alias
        made = type(node)(item.node, generators)
        if kind == "iterator":
            return Term(at(made, node), Fact("iterator", items=(item.fact,)))
        fact = self.writer.container("list", {"*": item.fact}, node)
        self.writer.known.held[id(node)].items = None
        element_now = self.writer.known.held[id(node)].element
        if element_now is not None and element_now.batched and not item.batched:
            made.elt = self.writer.as_batched(item).node
        return Term(at(made, node), fact)

    def _added_where(
        self, node: Any, guards: list[Term], item: Term, generators: list[Any]
    ) -> Term:
        """Return an item that is added up, as 0 for the examples that leave it out."""
        alone = len(generators) == 1 and len(guards) == 1
        if not alone or id(node) not in self.writer.added_up or item.rank != 0:
            self.writer.refuse(
                node, "a comprehension that leaves out values by example", "use np.where"
            )
        self.writer.note_risk(node, (Exception,))
        generators[0].ifs = []
        zero = Term(gast.Constant(0, None), Fact("number", rank=0, dtype=item.fact.dtype))
        return self.selected(self.writer.comparisons.truth(guards[0], node), item, zero, node)

    # -- iteration

    def iterated(self, term: Term, node: Any) -> tuple[Any, Fact]:
        """Return what is to be looped over, and what is known of each item."""
        fact = term.fact
        if fact.kind in ("array", "number"):
            if fact.rank is None or fact.rank == 0:
                if fact.batched:
                    self.writer.refuse(node, "a loop over what has no axes", "loop over an array")
                return term.node, Fact("unknown", sites=fact.sites)
            inner = fact.rank - 1
            kind = "array" if inner else "number"
            item = Fact(
                "array" if kind == "array" else "number",
                fact.batched,
                inner,
                fact.dtype,
                sites=fact.sites if inner else frozenset(),
                read_from=fact.sites | fact.read_from,
            )
            if not fact.batched:
                return term.node, item
            if fact.rank == 1:
                return gast.Attribute(term.node, "T", gast.Load()), item
            one, zero = gast.Constant(1, None), gast.Constant(0, None)
            return call(self.writer.numpy("moveaxis"), term.node, one, zero), item
        if fact.kind == "iterator" and fact.items:
            return term.node, fact.items[0]
        if fact.kind == "dict":
            return term.node, Fact("unknown")
        if fact.kind in ("list", "tuple"):
            element = self.writer.element_of(fact) or UNKNOWN
            if element.kind == "mixed" and element.batched:
                self.writer.refuse(
                    node, "a loop over values of different kinds", "loop over arrays alike"
                )
            return term.node, element
        if fact.batched:
            self.writer.refuse(node, "a loop over this", "loop over a range or an array")
        return term.node, Fact("unknown", sites=fact.sites)

    def bind_target(self, target: Any, fact: Fact, node: Any) -> None:
        """Note what the names of a target mean, which an item is unpacked into."""
        if isinstance(target, gast.Name):
            self.writer.bind(target.id, fact)
            return
        if isinstance(target, (gast.Tuple, gast.List)):
            starred = any(isinstance(inner, gast.Starred) for inner in target.elts)
            items = fact.items if fact.kind == "tuple" and not starred else None
            if items is not None and len(items) == len(target.elts):
                for inner, item in zip(target.elts, items, strict=True):
                    self.bind_target(inner, item, node)
                return
            if not self.writer.holds_batch(fact):
                part = UNKNOWN
                if fact.kind == "array" and fact.rank:
                    kind = "array" if fact.rank > 1 else "number"
                    part = replace(
                        fact, kind="array" if kind == "array" else "number", rank=fact.rank - 1
                    )
                elif fact.kind == "list":
                    part = self.writer.element_of(fact) or UNKNOWN
                for inner in target.elts:
                    self.bind_target(
                        inner.value if isinstance(inner, gast.Starred) else inner, part, node
                    )
                return
        self.writer.refuse(node, "taking this apart", "take the parts by index")


def _inverted(test: Any) -> Any:
    """Return ``~test``, or what is inverted there."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Invert):
        return test.operand
    return gast.UnaryOp(gast.Invert(), test)


def _described(node: Any) -> str:
    words = {
        "Lambda": "a lambda",
        "DictComp": "a dict comprehension",
        "SetComp": "a set comprehension",
        "JoinedStr": "an f-string",
        "NamedExpr": "an assignment in an expression",
        "List": "a list with a star",
        "Dict": "a dict with stars",
    }
    return words.get(type(node).__name__, f"an expression ({type(node).__name__})")
