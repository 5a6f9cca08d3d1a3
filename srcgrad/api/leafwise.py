"""Records functions of nested structures on the tape: one step for the tensors in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from srcgrad.api.structures import float_leaves, leaves_as_in, mapped
from srcgrad.tape import Function, Tensor, tensor, unwrapped


@dataclass(frozen=True, slots=True)
class Structured:
    """A function of structures of numbers and arrays, with its derivatives.

    Attributes:
        function: Takes the operands.
        pulled: Takes the operands as a tuple, the result and its adjoint; returns the adjoint of
            each operand, None for zero.
        pushed: Takes the operands as a tuple, the result and the operands' tangents; returns that
            of the result.
    """

    function: Callable[..., Any]
    pulled: Callable[[Any, Any, Any], Any]
    pushed: Callable[[Any, Any, Any], Any]


def holds_tensors(*values: Any) -> bool:
    """Say whether there is a tensor in nested structures."""
    return any(isinstance(leaf, Tensor) for leaf in float_leaves(values))


def recorded(step: Structured, operands: tuple[Any, ...]) -> Any:
    """Return the result of a function; where operands hold tensors, it is recorded as one step."""
    given = [leaf for leaf in float_leaves(operands) if isinstance(leaf, Tensor)]
    if not given:
        return step.function(*operands)
    call = _Call(step, operands)
    results = _Recorded.apply(call, *given)
    return call.result_of(iter(results))


class _Call:
    """One call: its operands as they were, and its result once it is there."""

    def __init__(self, step: Structured, operands: tuple[Any, ...]) -> None:
        self.step = step
        self._operands = operands
        self._result: Any = None

    def run(self) -> list[Any]:
        """Call the function on plain numbers and arrays; return those of the result."""
        self._result = self.step.function(*_filled(self._operands, self._plain()))
        return float_leaves(self._result)

    def _plain(self) -> Iterator[Any]:
        return (unwrapped(leaf) for leaf in float_leaves(self._operands) if _is_tensor(leaf))

    def operands_of(self, tensors: Iterator[Any]) -> Any:
        """Return the operands, or what belongs to each of them, from one thing for each tensor."""
        return _filled(self._operands, tensors)

    def tangents_of(self, tangents: Iterator[Any]) -> Any:
        """Return the tangents of the operands; None for what is no tensor."""
        return mapped(lambda leaf: next(tangents) if _is_tensor(leaf) else None, self._operands)

    def result_of(self, parts: Iterator[Any]) -> Any:
        """Return the result with other numbers in it."""
        return mapped(lambda _: next(parts), self._result, other=lambda leaf: leaf)

    def parts_of(self, adjoints: Any) -> Iterator[Any]:
        """Yield from the adjoints of the operands that of each tensor."""
        for operand, adjoint in zip(self._operands, adjoints, strict=True):
            leaves = float_leaves(operand)
            parts = [None] * len(leaves) if adjoint is None else leaves_as_in(operand, adjoint)
            yield from (p for leaf, p in zip(leaves, parts, strict=True) if _is_tensor(leaf))

    def leaves_of(self, result: Any) -> list[Any]:
        """Return the numbers and arrays of something like the result."""
        return leaves_as_in(self._result, result)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _filled(operands: tuple[Any, ...], parts: Iterator[Any]) -> Any:
    return mapped(lambda leaf: next(parts) if _is_tensor(leaf) else leaf, operands, lambda x: x)


def _as_tensor(value: Any) -> Any:
    return value if value is None or isinstance(value, Tensor) else tensor(value)


class _Recorded(Function):
    """A call of a structured function, as a function of the tensors in its operands."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *tensors: Any) -> Any:
        results = tuple(map(tensor, call.run()))
        ctx.call, ctx.count = call, len(tensors)
        ctx.save_for_backward(*tensors, *results)
        ctx.save_for_forward(*tensors, *results)
        return results

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        call, operands, result = _Recorded._opened(ctx)
        adjoints = call.step.pulled(operands, result, call.result_of(iter(grads)))
        return (None, *map(_as_tensor, call.parts_of(adjoints)))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        call, operands, result = _Recorded._opened(ctx)
        tangent = call.step.pushed(operands, result, call.tangents_of(iter(tangents)))
        return tuple(map(_as_tensor, call.leaves_of(tangent)))

    @staticmethod
    def _opened(ctx: Any) -> tuple[_Call, Any, Any]:
        saved = ctx.saved_tensors
        operands = ctx.call.operands_of(iter(saved[: ctx.count]))
        return ctx.call, operands, ctx.call.result_of(iter(saved[ctx.count :]))
