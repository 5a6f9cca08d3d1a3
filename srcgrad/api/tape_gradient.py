"""Takes gradients of tensors on the tape, so that they can be differentiated once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.api.gradient import Gradient
from srcgrad.api.structures import split
from srcgrad.api.underlying import plain, signature
from srcgrad.tape import Tensor, gradients_like, tensor, unwrapped
from srcgrad.tape import grad as tape_grad
from srcgrad.tape.lending import Arguments
from srcgrad.tape.plainly import outline


def on_tape(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of tensors that does what `f` does: of a gradient, that gradient."""
    if not isinstance(f, Gradient):
        return plain(f)
    form, function = signature(f), plain(f)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        bound = form.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = Arguments()  # those that are held further outside are no tensors
        for name in [item for item in bound.arguments if item in f.names]:
            bound.arguments[name] = arguments.wrap(bound.arguments[name], True)
        given = {name: outline(item) for name, item in bound.arguments.items() if name in f.names}
        result = function(*bound.args, **bound.kwargs)
        arguments.hand_on()
        head, aux = split(result, has_aux=f.has_aux)
        found: Any = [None] * len(arguments.tracked)
        if isinstance(head, Tensor) and head.requires_grad:
            found = tape_grad(head, arguments.tracked, create_graph=True, allow_unused=True)
        pairs = zip(found, arguments.tracked, strict=True)
        parts = iter([_zeros(leaf) if grad is None else grad for grad, leaf in pairs])
        grads = {name: gradients_like(item, parts, keep=True) for name, item in given.items()}
        answer = grads[f.names[0]] if f.single else tuple(grads[name] for name in f.names)
        if f.gives_value:
            return result, answer
        return (answer, aux) if f.has_aux else answer

    return gradient


def _zeros(leaf: Any) -> Any:
    return tensor(np.zeros_like(unwrapped(leaf)))
