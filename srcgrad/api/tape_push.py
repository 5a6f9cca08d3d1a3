"""Carries tangents along on the tape, where the compiler refuses a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.api.structures import copied, refuse_objects
from srcgrad.api.surroundings import once_more, surroundings_of_a_writer
from srcgrad.api.traps import unless_nan
from srcgrad.api.values import conform
from srcgrad.autograd.forward_ad import dual_level, make_dual, unpack_dual
from srcgrad.runtime.objects import field_names, is_plain_object
from srcgrad.tape import Tensor, exact_grad, in_another_call, run_plainly, tensor, unwrapped
from srcgrad.tape import grad as tape_grad
from srcgrad.tape.lending import is_float
from srcgrad.tape.memory_order import laid_out
from srcgrad.tape.surgery import ignored_edits


def push_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    arguments: Mapping[str, Any],
    tangents: Sequence[Any],
) -> tuple[Any, Any]:
    """Return the value of a function and its tangent.

    A function that writes into its argument does so once, as without tangents.
    """
    tangents = [laid_out(t, arguments[name]) for name, t in zip(wrt, tangents, strict=True)]
    if in_another_call():
        return _push_twice(function, signature, wrt, arguments, tangents)
    bound = inspect.BoundArguments(signature, dict(arguments))
    given = dict(zip(wrt, tangents, strict=True))
    order = [name for name in bound.arguments if name in given]
    moved = iter([part for name in order for part in _parts(bound.arguments[name], given[name])])
    before = copied(dict(arguments))
    start = surroundings_of_a_writer(function, *arguments.values())
    with dual_level():
        run = run_plainly(function, bound, wrt, lambda value: _dual(value, next(moved)))
        refuse_objects(run.result)
        value, tangent = run.value, conform(_tangent(run.result), run.value)

    def again() -> Any:
        with once_more(start):
            value, found = _push_twice(function, signature, wrt, before, tangents)
        return conform(unwrapped(found), unwrapped(value))

    return value, unless_nan((value, tangents), tangent, again)


def _push_twice(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    arguments: Mapping[str, Any],
    tangents: Sequence[Any],
) -> tuple[Any, Any]:
    """Push where another call on the tape differentiates the tangent again.

    The adjoints of the arguments are linear in that of the result: their own derivative along the
    tangents is the tangent of the result.
    """
    bound = inspect.BoundArguments(signature, dict(arguments))
    given = dict(zip(wrt, tangents, strict=True))
    order = [name for name in bound.arguments if name in given]
    with ignored_edits():
        run = run_plainly(function, bound, wrt)
    moved = [part for name in order for part in _parts(run.given[name], given[name])]
    outputs = [leaf for leaf in _tensors(run.result) if leaf.requires_grad]
    seeds = [tensor(np.zeros(np.shape(leaf)), requires_grad=True) for leaf in outputs]
    found: list[Any] = [None for _ in outputs]
    if outputs:
        back = exact_grad(outputs, run.tracked, seeds, create_graph=True)
        pairs = [
            (
                adjoint,
                tangent if isinstance(tangent, Tensor) else tensor(np.asarray(tangent, float)),
            )
            for adjoint, tangent in zip(back, moved, strict=True)
            if adjoint is not None and tangent is not None
        ]
        adjoints, along = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        if adjoints:
            found = list(tape_grad(adjoints, seeds, along, create_graph=True, allow_unused=True))
    ready = dict(zip(map(id, outputs), found, strict=True))
    return run.value, conform(_mapped(run.result, ready), run.value)


def _tensors(value: Any) -> list[Any]:
    """Return the tensors in a result, each once."""
    if isinstance(value, (dict, list, tuple)):
        items = list(value.values()) if isinstance(value, dict) else value
        every = {id(leaf): leaf for item in items for leaf in _tensors(item)}
        return list(every.values())
    return [value] if isinstance(value, Tensor) else []


def _mapped(value: Any, ready: Mapping[int, Any]) -> Any:
    """Return the tangents of a result by the identity of its tensors."""
    if isinstance(value, dict):
        return {key: _mapped(item, ready) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_mapped(item, ready) for item in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return ready.get(id(value))


def _parts(value: Any, tangent: Any) -> Iterator[Any]:
    """Yield the tangents of the numbers and arrays in a value, in the order they are wrapped."""
    if isinstance(value, (dict, list, tuple)):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from _parts(value[key], None if tangent is None else tangent[key])
    elif is_plain_object(value):
        for name in field_names(value):
            held = getattr(value, name)
            if not isinstance(held, int):
                yield from _parts(held, getattr(tangent, name, None))
    elif is_float(value) or (isinstance(value, int) and not isinstance(value, bool)):
        yield tangent


def _dual(value: Any, tangent: Any) -> Any:
    """Return a number or array as a tensor that carries its tangent."""
    moved = np.zeros_like(value) if tangent is None else np.asarray(tangent, np.result_type(value))
    return make_dual(tensor(value, requires_grad=True).clone(), tensor(moved))  # recorded, too


def _tangent(result: Any) -> Any:
    """Return the tangents of a result, None for what has none."""
    if isinstance(result, dict):
        return {key: _tangent(item) for key, item in result.items()}
    if isinstance(result, (list, tuple)):
        parts = [_tangent(item) for item in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if not isinstance(result, Tensor):
        return None
    tangent = unpack_dual(result).tangent
    return None if tangent is None else unwrapped(tangent)
