"""Compares derivatives other than gradients with differences, along directions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import srcgrad
from srcgrad.api.underlying import owner, plain
from srcgrad.cli import arguments
from srcgrad.cli.progress import progress
from srcgrad.exporting.slopes import contracted, direction_like, inner_product, moved_by, precision

_DIRECTIONS: Final = 3
_FIRST: Final = ("jvp", "vjp", "jacobian", "jacfwd", "jacrev")
Pair = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A derivative and what it is of.

    Attributes:
        mode: Which derivative, as the command line calls it.
        make: Makes it of a function, given `argnames` and `has_aux`.
        primal: The function.
        call: The arguments to compare at.
        names: The arguments to differentiate by.
        aux: Whether the function returns a pair, of which the first is differentiated.
    """

    mode: str
    make: Callable[..., Any]
    primal: Any
    call: inspect.BoundArguments
    names: tuple[str, ...]
    aux: bool

    def pairs(self) -> list[Pair]:
        """Return what was found and what is expected along each direction, by what it is."""
        derivative = self.make(self.primal, argnames=self.names, has_aux=self.aux)
        found: list[Pair] = []
        for number in progress(range(_DIRECTIONS), self.mode):
            along = [direction_like(self.call.arguments[name], number) for name in self.names]
            if self.mode in _FIRST:
                found.append(self._slope(derivative, along, number))
            else:
                found += self._curvature(derivative, along, number)
        return found

    def _slope(self, derivative: Any, along: list[Any], number: int) -> Pair:
        """Compare the derivative of the result, weighted, along one direction."""
        weights = direction_like(self._value(self.call), number + 7)
        expected = self._difference(self._value, weights, along)
        if self.mode == "jvp":
            named = {f"{n}_dot": item for n, item in zip(self.names, along, strict=True)}
            return self.mode, inner_product(weights, self._of(derivative, named)[1]), expected
        if self.mode == "vjp":
            adjoints = self._of(derivative)[1](weights)
            return self.mode, inner_product(tuple(along), adjoints), expected
        matrix = self._first(self._of(derivative))
        return self.mode, contracted(weights, matrix, tuple(along)), expected

    def _curvature(self, derivative: Any, along: list[Any], number: int) -> list[Pair]:
        """Compare the gradient with the function, then the derivative with the gradient."""
        gradient = srcgrad.grad(self.primal, argnames=self.names, has_aux=self.aux)
        weights = tuple(
            direction_like(self.call.arguments[name], number + 7) for name in self.names
        )

        def slopes(call: inspect.BoundArguments) -> Any:
            return self._first(self._of(gradient, call=call))

        first = inner_product(weights, slopes(self.call))
        expected = self._difference(self._value, 1.0, list(weights))
        if self.mode == "hvp":
            named = {f"{n}_dot": item for n, item in zip(self.names, along, strict=True)}
            second = inner_product(weights, self._first(self._of(derivative, named)))
        else:
            second = contracted(weights, self._first(self._of(derivative)), tuple(along))
        between = self._difference(slopes, weights, along)
        return [("gradient", first, expected), (self.mode, second, between)]

    def _value(self, call: inspect.BoundArguments) -> Any:
        copied = arguments.copied(call)
        with arguments.silence():
            return self._first(plain(self.primal)(*copied.args, **copied.kwargs))

    def _of(
        self, derivative: Any, more: Any = None, call: inspect.BoundArguments | None = None
    ) -> Any:
        """Return what a derivative gives at copies of the arguments."""
        copied = arguments.copied(call or self.call)
        return derivative(*copied.args[len(owner(self.primal)) :], **copied.kwargs, **(more or {}))

    def _first(self, result: Any) -> Any:
        return result[0] if self.aux else result

    def _difference(self, of: Callable[..., Any], weights: Any, along: list[Any]) -> float:
        """Return the central difference of a weighted result along a direction."""
        moved = [self.call.arguments[name] for name in self.names]
        step: float = precision(moved) ** (1 / 3)
        found = []
        for sign in (step, -step):
            values = moved_by(moved, range(len(moved)), along, sign)
            call = arguments.copied(self.call)
            call.arguments.update(zip(self.names, values, strict=True))
            found.append(inner_product(weights, of(call)))
        return (found[0] - found[1]) / (2 * step)
