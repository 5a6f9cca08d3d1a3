"""Multiplies once by what all terms of a sum are multiplied by."""

from __future__ import annotations

import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from srcgrad.analyses.text_calls import called
from srcgrad.ir import gast
from srcgrad.ir.build import constant, name_adjoint
from srcgrad.ir.marks import ADJOINT
from srcgrad.ir.program import targets_of
from srcgrad.ir.walk import (
    INNER,
    blocks_of,
    found_in,
    names_read,
    nodes_in,
    root_name,
    spelled,
)
from srcgrad.optimizations.literals import number_of
from srcgrad.optimizations.purity import Purity
from srcgrad.primitives import UNKNOWN

_SCALING: Final = (gast.Mult, gast.Div)
_SUM: Final = (gast.Add, gast.Sub)
_COMPUTING: Final = (gast.Assign, gast.AugAssign, gast.Return, gast.Expr)
_LEAVES: Final = frozenset({gast.Name, gast.Constant})
_Key: TypeAlias = tuple[str, bool]
_Counts: TypeAlias = Counter[_Key]
_SHORT: Final = 6  # characters of a number


@dataclass(slots=True)
class _Factor:
    """One operand of a product: how it is written, and whether the product is divided by it."""

    node: Any
    text: str
    divides: bool

    @property
    def key(self) -> _Key:
        return self.text, self.divides


@dataclass(slots=True)
class _Term:
    """One term of a sum, as the product that it is.

    Attributes:
        factors: What is multiplied.
        negative: Whether the product is subtracted.
        given: The term as it stood there, without the sign that the sum gives it; or None.
        turned: Whether that sign was a minus.
    """

    factors: tuple[_Factor, ...]
    negative: bool
    given: Any = None
    turned: bool = False

    def counts(self) -> _Counts:
        return Counter(factor.key for factor in self.factors)

    def without(self, common: _Counts) -> _Term:
        """Return what is left of it if some factors are taken out, the first of each."""
        left, kept = Counter(common), []
        for factor in self.factors:
            if left[factor.key]:
                left[factor.key] -= 1
            else:
                kept.append(factor)
        return _Term(tuple(kept), self.negative)

    def bare(self) -> _Counts:
        """Return its factors but for the numbers among them."""
        plain = (item for item in self.factors if item.divides or number_of(item.node) is None)
        return Counter(factor.key for factor in plain)

    def number(self) -> float | None:
        """Return the number that it is, with its sign, or None; no factors at all are a one."""
        values = [number_of(item.node) for item in self.factors]
        if any(
            value is None or item.divides for value, item in zip(values, self.factors, strict=True)
        ):
            return None
        product = math.prod(value for value in values if value is not None)
        return -product if self.negative else product


class TermCollection:
    """Collects the terms of the sums that one body computes for adjoints.

    A product of what several terms have in common with the sum of what is left of them is computed
    with fewer operations on arrays, and is how one writes a derivative: ``g * (y + np.cos(x))``.
    All of them are floating-point numbers: a sum of truths would be another thing.

    `is_float(name)` says which names surely hold floating-point numbers, `is_array(name)` which
    surely hold arrays, `purity` which expressions have no effect, and which names are of adjoints.

    >>> from srcgrad.codegen.printer import to_source
    >>> from srcgrad.compiler.doctesting import program_of
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> collection = TermCollection(purity, lambda name: name != "k", "z".__eq__)
    >>> def collected(text):
    ...     return to_source(collection.run(gast.parse(text).body))
    >>> collected("grad_x = g * y + g * np.cos(x)"), collected("grad_x = g * 0.5 + g * y * k")
    ('grad_x = g * (y + np.cos(x))', 'grad_x = g * 0.5 + g * y * k')
    >>> collected("grad_x = -g * 2.0 - g * 2.0 + h"), collected("grad_x -= g * a / c + g * b / c")
    ('grad_x = h - 4.0 * g', 'grad_x -= g * (a + b) / c')
    >>> collected("grad_x = g * 0.5 + g * z * k"), collected("grad_x = g * 0.5 + g * k * z")
    ('grad_x = g * (0.5 + z * k)', 'grad_x = g * 0.5 + g * k * z')
    >>> collected("grad_x = g * k + g * k * k"), collected("grad_x = g + g * y")
    ('grad_x = g * k + g * k * k', 'grad_x = g + g * y')
    >>> collected("y = g * a + g * b"), collected("return (-grad_y * a + h + grad_y * b).sum()")
    ('y = g * a + g * b', 'return (grad_y * (b - a) + h).sum()')
    """

    def __init__(
        self,
        purity: Purity,
        is_float: Callable[[str], bool],
        is_array: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._purity = purity
        self._is_float = is_float
        self._is_array = is_array

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with the terms of its sums collected."""
        for statement in body:
            for part in blocks_of(statement):
                self.run(part)
            if isinstance(statement, _COMPUTING) and self.is_ours(statement):
                statement.value = self.of(statement.value)
        return body

    def of(self, value: Any) -> Any:
        """Return what is computed for an adjoint, changed in place, with its terms collected."""
        if value.__class__ in _LEAVES or not _has_sum(value):
            return value  # as most
        holding: set[int] = set()
        _note_sums(value, holding)
        return self._shortened(value, holding, inner=False)

    def is_ours(self, statement: Any) -> bool:
        """Say whether it computes an adjoint: what the user computes stays as it is written."""
        if isinstance(statement, gast.Return):
            return statement.value is not None
        targets = targets_of(statement)
        return bool(targets) and self._purity.is_adjoint(root_name(targets[0]) or "")

    def _shortened(self, node: Any, holding: set[int], *, inner: bool, whole: bool = True) -> Any:
        """Return an expression with the sums in it collected, the inner ones first.

        Those in it that hold sums are `holding`, by identity. What stands inside of a call may be
        as the user has written it, unless an adjoint is in it. What is not `whole` is part of
        another sum.
        """
        if id(node) not in holding:
            return node
        below, apart = inner or isinstance(node, gast.Call), not _is_sum(node)
        for holder, field, part in _parts(node):
            if id(part) in holding:
                found = self._shortened(part, holding, inner=below, whole=apart)
                _put(holder, field, found)
        found = self._collected(_terms(node), inner=inner) if whole and _is_sum(node) else None
        if found is None:
            return node
        name_adjoint(found, ADJOINT.of(node))
        return found

    def _collected(self, terms: list[_Term], *, inner: bool) -> Any:
        """Return a sum with what its terms have in common taken out of them, or None."""
        found = None
        while (group := self._group(terms, inner=inner)) is not None:
            places, common = group
            first = terms[places[0]]
            rests = [terms[i].without(common) for i in places]
            taken = first.without(first.without(common).counts())
            together = _together(taken, rests)
            terms = [item for i, item in enumerate(terms) if i not in places[1:]]
            terms[places[0]] = together
            found = terms
        return None if found is None else _sum(found)

    def _group(self, terms: list[_Term], *, inner: bool) -> tuple[list[int], _Counts] | None:
        """Return the places of terms that are collected next, and what they have in common."""
        if _have_nothing_in_common(terms):
            return None  # as most
        counts = [term.counts() for term in terms]
        holders: _Counts = Counter()
        for count in counts:
            holders.update(count.keys())
        for key, number in holders.most_common():  # of equal ones the first
            if number < 2:
                return None
            places = [i for i, count in enumerate(counts) if key in count]
            for chosen, common in _choices(terms, places, counts):
                if self._pays([terms[i] for i in chosen], common, inner=inner):
                    return chosen, common
        return None

    def _pays(self, terms: list[_Term], common: _Counts, *, inner: bool) -> bool:
        """Say whether terms may be collected, and are fewer operations then."""
        rests = [term.without(common) for term in terms]
        taken = [item for item in terms[0].factors if item.key in common]
        if not all(self._purity.of(item.node) for item in taken):
            return False
        if not all(map(self._may_move, taken)):
            return False
        if not all(self._is_wide(rest) or all(map(self._may_move, rest.factors)) for rest in rests):
            return False
        adjoint = any(self._purity.is_adjoint(n) for item in taken for n in names_read(item.node))
        if inner and not adjoint:
            return False
        numbers = [rest.number() for rest in rests]
        values = [value for value in numbers if value is not None]
        if len(values) == len(rests):
            return _exact_sum(values) is not None
        if values and all(number_of(item.node) is not None for item in taken):
            return False  # the product of literals costs nothing
        return all(any(not item.divides for item in rest.factors) for rest in rests)

    def _may_move(self, factor: _Factor) -> bool:
        """Say whether a factor may be multiplied by, or added to, others first.

        Small integers among themselves would overflow, and beside one of Python's numbers would be
        wider than beside the single precision that they were multiplied by.
        """
        return number_of(factor.node) is not None or self.holds_floats(factor.node)

    def _is_wide(self, term: _Term) -> bool:
        """Say whether a product begins with an array of floats, which tells the others' width."""
        first = term.factors[0] if term.factors else None
        if first is None or first.divides or not self.holds_floats(first.node):
            return False
        return self._holds_array(first.node)

    def _holds_array(self, node: Any) -> bool:
        """Say whether arithmetic surely is that of an array."""
        if isinstance(node, gast.Name):
            return self._is_array(node.id)
        return isinstance(node, gast.BinOp) and any(map(self._holds_array, (node.left, node.right)))

    def holds_floats(self, node: Any) -> bool:
        """Say whether an expression surely is of floating-point numbers."""
        if isinstance(node, gast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, gast.Name):
            return self._is_float(node.id) or self._purity.is_adjoint(node.id)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, gast.USub) and self.holds_floats(node.operand)
        if isinstance(node, gast.Subscript):
            return self.holds_floats(node.value)
        if isinstance(node, gast.BinOp):
            sides = map(self.holds_floats, (node.left, node.right))
            return isinstance(node.op, gast.Div) or any(sides)
        if isinstance(node, gast.Call):
            return _keeps_floats(node) and self.holds_floats(node.args[0])
        return False


def _keeps_floats(node: Any) -> bool:
    """Say whether a function of NumPy makes floating-point numbers of those in its operand.

    >>> texts = ["np.cos(x)", "np.isnan(x)", "np.where(x, y, z)", "cos(x)"]
    >>> [_keeps_floats(gast.parse(text, mode="eval").body) for text in texts]
    [True, False, False, False]
    """
    known = called(node)
    if known is UNKNOWN or not node.args or known.kind in ("truth", "int"):
        return False
    function = getattr(np, node.func.attr, None)
    if isinstance(function, np.ufunc):
        results = dict(item.split("->") for item in function.types)
        return results.get("d" * function.nin) == "d"
    return known.kind in ("float", "first")


def _have_nothing_in_common(terms: list[_Term]) -> bool:
    """Say whether no factor of any term is one of another term, too."""
    seen: set[_Key] = set()
    for term in terms:
        keys = {factor.key for factor in term.factors}
        if not seen.isdisjoint(keys):
            return False
        seen |= keys
    return True


def _choices(
    terms: list[_Term], places: list[int], counts: list[_Counts]
) -> Iterator[tuple[list[int], _Counts]]:
    """Yield which of the terms at some places to collect, and what they have in common.

    First come those that are the same but for numbers, then all, then those that are more than
    what all have in common.
    """
    bare: dict[tuple[_Key, ...], list[int]] = {}
    for i in places:
        bare.setdefault(tuple(sorted(terms[i].bare().elements())), []).append(i)
    yield from ((same, terms[same[0]].bare()) for same in bare.values() if len(same) > 1)
    common = functools.reduce(operator.and_, (counts[i] for i in places))
    yield places, common
    more = [i for i in places if counts[i] != common]
    if 1 < len(more) < len(places):
        yield more, functools.reduce(operator.and_, (counts[i] for i in more))


def _together(taken: _Term, rests: list[_Term]) -> _Term:
    """Return the product of what terms have in common with the sum of their rests."""
    numbers = [rest.number() for rest in rests]
    values = [value for value in numbers if value is not None]
    if len(values) == len(rests) and (total := _exact_sum(values)) is not None:
        lead = () if abs(total) == 1 else (_factor(constant(abs(total)), False),)
        return _Term((*lead, *taken.factors), total < 0)
    negative = all(rest.negative for rest in rests)
    if negative:
        rests = [_Term(rest.factors, False) for rest in rests]
    total_of = _factor(_sum(rests), False)
    above = [item for item in taken.factors if not item.divides]
    below = [item for item in taken.factors if item.divides]
    return _Term((*above, total_of, *below), negative)


def _exact_sum(values: list[float]) -> float | None:
    """Return a sum of numbers that is exact, short to write and not zero, or None."""
    total = sum(values)
    if not math.isfinite(total) or total == 0 or len(repr(abs(total))) > _SHORT:
        return None
    return total if sum(map(Fraction, values)) == Fraction(total) else None


def _has_sum(node: Any) -> bool:
    return any(isinstance(item.op, _SUM) for item in found_in(node, gast.BinOp))


def _note_sums(node: Any, into: set[int]) -> bool:
    """Note which nodes hold a sum, by identity; say whether this one does."""
    if node.__class__ in _LEAVES:
        return False
    holds = _is_sum(node)
    binary = node.__class__ is gast.BinOp  # as most are
    for part in (node.left, node.right) if binary else nodes_in(node):
        if _note_sums(part, into):
            holds = True
    if holds:
        into.add(id(node))
    return holds


def _is_sum(node: Any) -> bool:
    return isinstance(node, gast.BinOp) and isinstance(node.op, _SUM)


def _terms(node: Any, *, turned: bool = False) -> list[_Term]:
    if _is_sum(node):
        right = turned != isinstance(node.op, gast.Sub)
        return [*_terms(node.left, turned=turned), *_terms(node.right, turned=right)]
    negative, factors = _product(node)
    return [_Term(tuple(factors), negative != turned, node, turned)]


def _product(node: Any, *, divides: bool = False) -> tuple[bool, list[_Factor]]:
    """Return the sign and the factors of a product or quotient."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, _SCALING):
        below = isinstance(node.op, gast.Div)
        left, ours = _product(node.left, divides=divides)
        if below:  # a quotient in a divisor stays what it is
            return left, [*ours, _factor(node.right, True)]
        right, theirs = _product(node.right, divides=divides)
        return left != right, [*ours, *theirs]
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        negative, factors = _product(node.operand, divides=divides)
        return not negative, factors
    return False, [_factor(node, divides)]


def _factor(node: Any, divides: bool) -> _Factor:
    if isinstance(node, gast.Name):
        return _Factor(node, node.id, divides)
    number = number_of(node)  # which a float may be in one term, and an integer in another
    return _Factor(node, spelled(node) if number is None else repr(float(number)), divides)


def _sum(terms: list[_Term]) -> Any:
    """Return a sum, which begins with a term that has no minus, if there is one."""
    ordered = list(terms)
    if ordered[0].negative:
        place = next((i for i, item in enumerate(ordered) if not item.negative), 0)
        ordered.insert(0, ordered.pop(place))
    negative, total = _written(ordered[0])
    if negative:
        total = _negated(total)
    for term in ordered[1:]:
        negative, node = _written(term)
        total = gast.BinOp(total, gast.Sub() if negative else gast.Add(), node)
    return total


def _written(term: _Term) -> tuple[bool, Any]:
    """Return whether a term is subtracted, and its product, which does not begin with a divisor."""
    if term.given is not None:
        return term.turned, term.given
    factors = list(term.factors)
    place = next(i for i, item in enumerate(factors) if not item.divides)
    factors.insert(0, factors.pop(place))
    return term.negative, functools.reduce(
        lambda a, b: gast.BinOp(a, gast.Div() if b.divides else gast.Mult(), b.node),
        factors[1:],
        factors[0].node,
    )


def _negated(node: Any) -> Any:
    """Return a product with a minus before its first factor."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, _SCALING):
        return gast.BinOp(_negated(node.left), node.op, node.right)
    return gast.UnaryOp(gast.USub(), node)


def _parts(node: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the expressions directly inside of one, with what holds them and where."""
    for name in INNER[node.__class__]:
        part = getattr(node, name, None)
        if part.__class__ is list:
            yield from ((part, i, item) for i, item in enumerate(part) if _is_expression(item))
        elif _is_expression(part):
            yield node, name, part


def _is_expression(node: Any) -> bool:
    return isinstance(node, (gast.expr, gast.keyword))


def _put(holder: Any, field: Any, node: Any) -> None:
    if isinstance(holder, list):
        holder[field] = node
    else:
        setattr(holder, field, node)
