"""Gives what a gradient's text returns the form in which a call gives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.api.values import conform


@dataclass(frozen=True, slots=True)
class Form:
    """What a gradient is asked for.

    Attributes:
        names: The parameters that it is taken by.
        single: Whether it is that by one parameter, without a tuple around it.
        value: Whether the function's value comes before it.
        has_aux: Whether the function returns a pair, of which the second has no derivative.
    """

    names: tuple[str, ...]
    single: bool
    value: bool
    has_aux: bool

    def apart(self, result: Any) -> tuple[Any, Any]:
        """Return the value or what is returned beside the gradient, if anything, and that."""
        if self.value:
            return result[0], result[1]
        if self.has_aux:
            return result[1], result[0]
        return None, result

    def joined(self, head: Any, grads: Sequence[Any], values: Sequence[Any]) -> Any:
        """Return what a call gives, with gradients of the types and structures of the values."""
        done = tuple(conform(g, v) for g, v in zip(grads, values, strict=True))
        return self.answered(head, done[0] if self.single else done)

    def answered(self, head: Any, answer: Any) -> Any:
        """Return what a call gives, from its parts."""
        if self.value:
            return head, answer
        return (answer, head) if self.has_aux else answer

    def whole(self, result: Any, values: Sequence[Any]) -> Any:
        """Return what the text returned as a call gives it."""
        head, grads = self.apart(result)
        return self.joined(head, grads if len(values) > 1 else (grads,), values)

    def as_returned(self, adjoint: Any) -> Any:
        """Return an adjoint of what a call gives as one of what the text returns."""
        head, answer = self.apart(adjoint)
        alone = len(self.names) == 1 and not self.single
        grads = answer[0] if alone else answer
        if self.value:
            return head, grads
        return (grads, head) if self.has_aux else grads
