"""Takes gradients of tensors on the tape, so that they can be differentiated once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.api.structures import mapped, split
from srcgrad.api.underlying import plain, signature
from srcgrad.tape import Tensor, call_strictly, exact_grad, gradients_like, tensor, unwrapped
from srcgrad.tape.lending import Arguments
from srcgrad.tape.plainly import outline
from srcgrad.tape.surgery import edited_once


def on_tape(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that does what `f` does: of a derivative, that derivative."""
    if not hasattr(f, "gives_value"):  # it is no gradient
        return _jacobian(f) if hasattr(f, "__srcgrad_taken__") else plain(f)
    of: Any = f
    run = _Run(of, plain(of))

    @edited_once()
    def gradient(*args: Any, **kwargs: Any) -> Any:
        result, tracked, given = run(args, kwargs)
        head, aux = split(result, has_aux=of.has_aux)
        answer = run.answer(given, iter(_adjoints(head, tracked)))
        if of.gives_value:
            return result, answer
        return (answer, aux) if of.has_aux else answer

    return _around(gradient, f)


def _around(function: Any, derivative: Any) -> Callable[..., Any]:
    """Let the tape see which function of the user's is called."""
    function.__wrapped__ = plain(derivative)
    made: Callable[..., Any] = function
    return made


def _jacobian(f: Any) -> Callable[..., Any]:
    """Return a Jacobian as a function of tensors, which gives it row by row."""
    has_aux = f.__srcgrad_taken__().aux  # a sparse one refuses
    run = _Run(f, on_tape(f.primal))

    @edited_once()
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        result, tracked, given = run(args, kwargs)
        head, aux = split(result, has_aux=has_aux)
        found = mapped(lambda leaf: run.answer(given, _columns(leaf, tracked)), head)
        return (found, aux) if has_aux else found

    return _around(jacobian, f)


class _Run:
    """Calls a function with tensors in the arguments that a derivative is taken by."""

    def __init__(self, derivative: Any, function: Callable[..., Any]) -> None:
        self._names: tuple[str, ...] = derivative.names
        self._single: bool = derivative.single
        self._form = signature(derivative)
        self._function = function

    def __call__(self, args: Any, kwargs: Any) -> tuple[Any, Sequence[Any], dict[str, Any]]:
        """Return the result, the tensors, and the outlines of the arguments that they are in."""
        bound = self._form.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = Arguments()  # those that are held further outside are no tensors
        chosen = [name for name in bound.arguments if name in self._names]
        for name in chosen:
            bound.arguments[name] = arguments.wrap(bound.arguments[name], True)
        given = {name: outline(bound.arguments[name]) for name in chosen}
        result = call_strictly(self._function, *bound.args, **bound.kwargs)
        arguments.hand_on()
        return result, arguments.tracked, given

    def answer(self, given: dict[str, Any], parts: Iterator[Any]) -> Any:
        """Return the derivatives by each tensor in the structure of the arguments."""
        found = {name: gradients_like(item, parts, keep=True) for name, item in given.items()}
        return found[self._names[0]] if self._single else tuple(found[n] for n in self._names)


def _adjoints(head: Any, tracked: Sequence[Any]) -> list[Any]:
    found: Any = [None] * len(tracked)
    if isinstance(head, Tensor) and head.requires_grad:
        found = exact_grad(head, tracked, create_graph=True)
    pairs = zip(found, tracked, strict=True)  # a copy: others may lie in the memory of an adjoint
    return [_zeros(leaf) if grad is None else grad.clone() for grad, leaf in pairs]


def _columns(head: Any, tracked: Sequence[Any]) -> Iterator[Any]:
    """Yield for each tensor the derivatives by it of each number of a result."""
    shape = np.shape(head)
    rows = [_adjoints(head[place] if place else head, tracked) for place in np.ndindex(shape)]
    for number, leaf in enumerate(tracked):
        size = (*shape, *np.shape(leaf))
        parts = [row[number] for row in rows]
        yield np.reshape(np.stack(parts), size) if parts else np.zeros(size)


def _zeros(leaf: Any) -> Any:
    return tensor(np.zeros_like(unwrapped(leaf)))
