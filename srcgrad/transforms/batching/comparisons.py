"""Rewrites questions: comparisons, `and`, `or`, and what is a truth of each example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import call, clone
from srcgrad.ir.handlers import expression
from srcgrad.transforms.batching.facts import UNKNOWN, Fact, all_joined
from srcgrad.transforms.batching.part import Part
from srcgrad.transforms.batching.terms import Term

TRUTH: Final = Fact("number", rank=0, dtype="b")


class Comparisons(Part):
    """Rewrites the questions of one function."""

    def truth(self, term: Term, node: Any) -> Term:
        """Return one truth for each example."""
        if term.batched and not term.fact.is_truth:
            if term.fact.is_numeric and term.rank == 0:
                zero = gast.Constant(0, None)
                fact = replace(term.fact, dtype="b")
                return Term(gast.Compare(term.node, [gast.NotEq()], [zero]), fact)
            self.writer.refuse(
                node, "the truth of an array of each example", "use np.any or np.all"
            )
        return term

    @expression(gast.BoolOp)
    def _bool_op(self, node: Any) -> Term:
        terms = self._operands_that_matter(node)
        if len(terms) == 1:
            return terms[0]
        if not any(term.batched for term in terms):
            fact = all_joined(term.fact for term in terms) or UNKNOWN
            fact = fact if fact.is_truth else UNKNOWN
            return self.writer.made(gast.BoolOp(node.op, [t.node for t in terms]), fact, node)
        if not all(term.fact.is_truth for term in terms):
            self.writer.refuse(node, "`and` or `or` of what are no truths", "compare with 0 first")
        self.writer.note_risk(node, (Exception,))
        is_and = isinstance(node.op, gast.And)
        total = terms[-1].node
        for i in reversed(range(len(terms) - 1)):
            if terms[i].batched:
                sign = gast.BitAnd() if is_and else gast.BitOr()
                total = gast.BinOp(terms[i].node, sign, total)
            elif any(term.batched for term in terms[i + 1 :]):
                done = call(
                    self.writer.numpy("full"), self.writer.batch(), gast.Constant(not is_and, None)
                )
                sides = (total, done) if is_and else (done, total)
                total = gast.IfExp(terms[i].node, *sides)  # it may guard what follows
            else:
                total = gast.BoolOp(node.op, [terms[i].node, total])
        return self.writer.made(total, replace(TRUTH, batched=True), node)

    def _operands_that_matter(self, node: Any) -> list[Term]:
        """Return the operands of `and` or `or`, without those that a settled one makes idle."""
        found: list[Term] = []
        for value in node.values:
            term = self.writer.term(value)
            if not self.is_settled(term):
                found.append(term)
            elif term.node.value is isinstance(node.op, gast.Or):
                return [*found, term]
        return found or [term]

    def is_settled(self, term: Term) -> bool:
        """Say whether the text itself is the answer, so that it need not be asked."""
        return isinstance(term.node, gast.Constant) and isinstance(term.node.value, bool)

    @expression(gast.Compare)
    def _compare(self, node: Any) -> Term:
        terms = [self.writer.term(item) for item in (node.left, *node.comparators)]
        if any(isinstance(op, (gast.Is, gast.IsNot, gast.In, gast.NotIn)) for op in node.ops):
            return self._identity(node, terms)
        if not any(term.batched for term in terms):
            _, fact = self.writer.elementwise(terms, node, dtype="b")
            return self.writer.made(_compared(node.ops, [t.node for t in terms]), fact, node)
        self.writer.refuse_twice(node.comparators[:-1], node)
        nodes, fact = self.writer.elementwise(terms, node, dtype="b")
        total: Any = None
        for i, op in enumerate(node.ops):
            part = _compared([op], [clone(nodes[i]), clone(nodes[i + 1])])
            total = part if total is None else gast.BinOp(total, gast.BitAnd(), part)
        return self.writer.made(total, fact, node)

    def _identity(self, node: Any, terms: list[Term]) -> Term:
        about_none = all(isinstance(item, gast.Constant) for item in node.comparators)
        contains = any(isinstance(op, (gast.In, gast.NotIn)) for op in node.ops)
        batched = any(term.batched for term in terms)
        if batched and (contains or not about_none):
            self.writer.refuse(node, "a look for a value of each example", "compare and use np.any")
        if contains and self.writer.holds_batch(terms[-1].fact) and terms[-1].fact.kind != "dict":
            self.writer.refuse(node, "a look into a list of values of examples", "use np.any")
        return self.writer.made(_compared(node.ops, [t.node for t in terms]), TRUTH, node)


def _compared(ops: Any, nodes: list[Any]) -> Any:
    return gast.Compare(nodes[0], list(ops), nodes[1:])
