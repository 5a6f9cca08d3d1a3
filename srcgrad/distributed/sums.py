"""Adds what the parts of a sum give, in one order whoever computed them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from srcgrad.api.structures import float_leaves, mapped
from srcgrad.distributed.parts import put_together


@dataclass(frozen=True, slots=True)
class Outcome:
    """What some parts that follow each other give together.

    Attributes:
        value: The sum of their values.
        aux: What each returned beside its value, in order.
        added: Gradients by the arguments that all parts share: their sums.
        listed: Gradients by the arguments that are split: one of each part, in order.
    """

    value: Any
    aux: tuple[Any, ...]
    added: tuple[Any, ...]
    listed: tuple[tuple[Any, ...], ...]

    def weighted(self, weight: float) -> Outcome:
        """Return the share of a mean that these are."""
        return Outcome(
            self.value * weight,
            self.aux,
            tuple(_weighted(grad, weight) for grad in self.added),
            tuple(tuple(_weighted(grad, weight) for grad in grads) for grads in self.listed),
        )

    def whole(self, is_split: tuple[bool, ...]) -> tuple[Any, ...]:
        """Return the gradients in the order in which they were asked for."""
        added, listed = iter(self.added), iter(self.listed)
        return tuple(put_together(next(listed)) if split else next(added) for split in is_split)


def outcome_of(
    value: Any, aux: tuple[Any, ...], grads: tuple[Any, ...], is_split: tuple[bool, ...]
) -> Outcome:
    """Return the outcome of one part from its gradients, of which some are by what is split."""
    pairs = list(zip(grads, is_split, strict=True))
    added = tuple(grad for grad, split in pairs if not split)
    return Outcome(value, aux, added, tuple((grad,) for grad, split in pairs if split))


def added(left: Outcome, right: Outcome) -> Outcome:
    """Return what two runs of parts give together, of which `left` comes first."""
    return Outcome(
        left.value + right.value,
        left.aux + right.aux,
        tuple(map(_sum, left.added, right.added)),
        tuple(a + b for a, b in zip(left.listed, right.listed, strict=True)),
    )


def _weighted(grad: Any, weight: float) -> Any:
    return mapped(lambda leaf: leaf * weight, grad)


def _sum(left: Any, right: Any) -> Any:
    others = iter(float_leaves(right))
    return mapped(lambda leaf: leaf + next(others), left)


class Tree:
    """Adds outcomes that come one after another: neighbours first, then pairs of those.

    So rounding depends on the number of parts and on their order alone, and no more outcomes are
    kept than the tree is high. It is the order in which the ranks of MPI add, too.
    """

    def __init__(self) -> None:
        self._sums: list[tuple[int, Outcome]] = []  # of how many parts, and what they give

    def add(self, outcome: Outcome) -> None:
        """Take the outcome of the next part."""
        count = 1
        while self._sums and self._sums[-1][0] == count:
            outcome = added(self._sums.pop()[1], outcome)
            count *= 2
        self._sums.append((count, outcome))

    def total(self) -> Outcome:
        """Return the sum of all outcomes, of which there is one at least."""
        result = self._sums.pop()[1]
        while self._sums:
            result = added(self._sums.pop()[1], result)
        return result
