"""Defines terms: expressions of the new program with what is known of their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import constant
from srcgrad.transforms.batching.facts import Fact


@dataclass(frozen=True, slots=True)
class Term:
    """An expression of the new program, with what is known of its value."""

    node: Any
    fact: Fact

    @property
    def batched(self) -> bool:
        """Whether each example has its own value."""
        return self.fact.batched

    @property
    def rank(self) -> int | None:
        """How many axes one example has."""
        return self.fact.rank

    def known_rank(self) -> int:
        """Return the number of axes, which has been looked at before."""
        assert self.fact.rank is not None
        return self.fact.rank


def whole_slice() -> Any:
    """Return the index ``:``."""
    return gast.Slice(None, None, None)


def none() -> Any:
    """Return the literal None."""
    return gast.Constant(None, None)


def indexed(node: Any, parts: Sequence[Any]) -> Any:
    """Return ``node[a, b]``."""
    index = parts[0] if len(parts) == 1 else gast.Tuple(list(parts), gast.Load())
    return gast.Subscript(node, index, gast.Load())


def widened(term: Term, rank: int) -> Any:
    """Return a term's expression with axes after that of the examples, so that ranks agree.

    ``x`` with one axis for an example and 2 wanted is ``x[:, None]``.
    """
    missing = rank - (term.fact.rank if term.fact.rank is not None else rank)
    if not term.batched or missing <= 0:
        return term.node
    return indexed(term.node, [whole_slice(), *[none() for _ in range(missing)]])


def axes_of(rank: int, first: int = 1) -> Any:
    """Return the expression of the axes of one example: ``1``, or ``(1, 2)``."""
    numbers = [constant(first + i) for i in range(rank)]
    return numbers[0] if rank == 1 else gast.Tuple(numbers, gast.Load())


def copy_of(node: Any) -> Any:
    """Return ``node.copy()``."""
    return gast.Call(gast.Attribute(node, "copy", gast.Load()), [], [])


def literal(node: Any) -> tuple[Any, ...]:
    """Return a tuple of the number, text or tuple of such that an expression says; else none.

    >>> literal(gast.parse("(0, -1)", mode="eval").body)
    ((0, -1),)
    """
    if isinstance(node, gast.Constant):
        return (node.value,)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = literal(node.operand)
        return (-inner[0],) if inner and isinstance(inner[0], (int, float)) else ()
    if isinstance(node, (gast.Tuple, gast.List)):
        inner_all = [literal(item) for item in node.elts]
        return (tuple(item[0] for item in inner_all),) if all(inner_all) else ()
    return ()


def parts_site(node: Any) -> str:
    """Return where the arrays lie that are made with a list or dict, apart from where that does."""
    return f"parts of {id(node)}"
