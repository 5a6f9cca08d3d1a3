"""Runs plain functions of arrays on the tape: wraps what goes in, unwraps what comes out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError, MutationError, SrcgradError, UnsupportedError
from srcgrad.runtime.objects import field_names, is_plain_object, rebuilt
from srcgrad.runtime.taped import set_engine
from srcgrad.tape.apply import tensors_in
from srcgrad.tape.backward import grad as tape_grad
from srcgrad.tape.core import Core
from srcgrad.tape.creation import tensor
from srcgrad.tape.lacking import hide
from srcgrad.tape.lending import Arguments, is_float, leaf_of
from srcgrad.tape.loans import lent_stand_ins
from srcgrad.tape.memos import Memos
from srcgrad.tape.modes import STATE, enable_grad
from srcgrad.tape.mutation import strict_fallback
from srcgrad.tape.refusing import not_taken
from srcgrad.tape.settling import Settler
from srcgrad.tape.stand_ins import stand_in
from srcgrad.tape.tensor import Tensor
from srcgrad.tape.two_names import TwoNames
from srcgrad.tape.userspace import Reached, reached_by


@dataclass(frozen=True, slots=True)
class PlainRun:
    """One finished call of a plain function on the tape.

    Attributes:
        result: What it returned, with tensors in it.
        value: The same without the tape.
        given: The wrapped arguments, by name.
        tracked: The leaves that gradients were asked for.
        nested: Whether the call stands in another one on the tape, which differentiates it again.
    """

    result: Any
    value: Any
    given: dict[str, Any]
    tracked: list[Any]
    nested: bool


def run_plainly(
    function: Callable[..., Any],
    bound: Any,
    wanted: Sequence[str],
    start: Callable[[Any], Any] = leaf_of,
    *,
    later: bool = False,
) -> PlainRun:
    """Run a plain function of bound arguments on the tape.

    `start` makes the tensor that a number or array in the `wanted` arguments starts as; `later`
    says that the pullback comes when others may have written into arrays of theirs. The caller's
    arrays, lists and dicts end as after the plain function, also if it raises; of the tape
    nothing is left in them, in objects, in globals or in closures.
    """
    nested = STATE.strict
    arguments = Arguments(start)
    originals = dict(bound.arguments)
    reached = reached_by(function, *originals.values())
    hide(reached.codes)
    with enable_grad(), _strictly(reached):
        for name, value in originals.items():
            bound.arguments[name] = arguments.wrap(value, name in wanted)
        given = {name: outline(value) for name, value in bound.arguments.items()}
        memos = Memos(reached)
        replaced = [h for h in reached.holders if arguments.knows(h)]
        reached.holders = [h for h in reached.holders if not arguments.knows(h)]
        settler = Settler(reached, arguments.original)
        try:
            arguments.keep_in_place(reached.unlendable)
            with lent_stand_ins(reached, arguments.lend):
                arguments.guard_shared()
                names = TwoNames(reached, arguments, originals.values())
                arguments.refuse_more_writes()
                names.refuse_changing()
                result = _call(function, bound.args, bound.kwargs, reached)
                memos.refuse_found(arguments.identity)
                names.refuse_changed()
                arguments.refuse_unseen()
            for part in tensors_in((result,)) if later else ():
                STATE.mutation.keep(part)
        except BaseException as error:
            error.args = tuple(map(settler.plain, error.args))
            raise
        finally:
            arguments.give_back(keep=later, nested=nested)
            if not nested:
                settler.settle(*replaced)  # which other names may have led to
    value = result if nested else arguments.original(result)
    return PlainRun(result, value, given, arguments.tracked, nested)


def _strictly(reached: Reached) -> strict_fallback:
    return strict_fallback(speaks_torch=reached.speaks_torch or STATE.speaks_torch)


def in_another_call() -> bool:
    """Say whether a plain function is running on the tape now, whatever it calls being recorded."""
    return STATE.strict


def _call(function: Callable[..., Any], args: Any, kwargs: Any, reached: Reached) -> Any:
    """Call a function in strict mode; what was refused inside is raised, whatever caught it."""
    try:
        with _refused_shuffles(reached):
            return (stand_in(function) or function)(*args, **kwargs)
    except (ValueError, TypeError) as error:
        if isinstance(error.__cause__, SrcgradError):
            raise error.__cause__ from None
        refused = not_taken(error) if isinstance(error, TypeError) else None
        if refused is not None:
            raise refused from error
        raise
    finally:
        _raise_refused()


@contextmanager
def _refused_shuffles(reached: Reached) -> Iterator[None]:
    """Refuse ``rng.shuffle(t)`` of a tensor, whose rows NumPy swaps as if they were no views.

    It warns before it does, so that the warning is what tells; where nothing is named `shuffle`,
    the filters of warnings, which all threads share, stay as they are.
    """
    if not any("shuffle" in names for _, names in reached.namespaces.values()):
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "you are shuffling a '", UserWarning)
        try:
            yield
        except UserWarning as warning:
            if not str(warning).startswith("you are shuffling a '"):
                raise
            raise MissingRuleError(
                "`shuffle` of a value that a gradient is asked for has no derivative rule",
                hint="permute the places: `x = x[rng.permutation(len(x))]`",
            ) from None


def _raise_refused() -> None:
    refused = STATE.refusals
    if refused:
        raise refused[0] from None


def unwrapped(value: Any) -> Any:
    """Return `value` with every tensor as a plain array or number."""
    return Arguments().original(value)


def outline(value: Any) -> Any:
    """Return nested lists, tuples and dicts anew, as they are now: a function may change them."""
    if isinstance(value, dict):
        return {key: outline(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [outline(item) for item in value]
    if is_plain_object(value):
        return rebuilt(value, {name: outline(getattr(value, name)) for name in field_names(value)})
    return value


def gradients_like(value: Any, parts: Iterator[Any], *, keep: bool = False) -> Any:
    """Return gradients in the structure of a wrapped value; None for what is no tensor.

    Within another call on the tape they are tensors, and where those are to `keep`.
    """
    if isinstance(value, dict):
        return {key: gradients_like(item, parts, keep=keep) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [gradients_like(item, parts, keep=keep) for item in value]
    if is_plain_object(value):
        fields = {name: getattr(value, name) for name in field_names(value)}
        return {name: gradients_like(item, parts, keep=keep) for name, item in fields.items()}
    if not isinstance(value, Tensor):
        return None
    part = next(parts)
    if keep or STATE.strict:
        return part
    return part.detach().numpy() if isinstance(part, Tensor) else part


def paired(result: Any, adjoint: Any) -> tuple[list[Any], list[Any]]:
    """Return the tensors of a result that carry derivatives, and the adjoint of each as a tensor.

    The adjoint has the structure of the result, with None for parts that have none.
    """
    if isinstance(result, (dict, list, tuple)):
        keys = result if isinstance(result, dict) else range(len(result))
        parts = [paired(result[key], None if adjoint is None else adjoint[key]) for key in keys]
        return [t for found, _ in parts for t in found], [s for _, found in parts for s in found]
    if not isinstance(result, Tensor) or not result.requires_grad or adjoint is None:
        return [], []
    spread = np.broadcast_to(adjoint, np.shape(result))
    return [result], [spread if isinstance(spread, Core) else tensor(spread)]


def call_strictly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function where nothing may leave the tape unseen.

    NumPy wraps our refusals in errors of its own, which say less: ours is raised.
    """
    reached: Reached = reached_by(function, args, kwargs)
    memos = Memos(reached)
    hide(reached.codes)
    with enable_grad(), _strictly(reached), lent_stand_ins(reached):
        result = _call(function, args, kwargs, reached)
        memos.refuse_found()
        return result


def run_call(
    function: Callable[..., Any], active: tuple[bool, ...], *args: Any, **kwargs: Any
) -> tuple[Any, Callable[..., Any]]:
    """Run one call on the tape; return its value and its pullback (see `runtime.on_tape`).

    Called with tensors, it is part of an outer call on the tape, which differentiates both.
    """
    arguments = Arguments()
    nested = bool(tensors_in(args))
    with enable_grad(), strict_fallback():
        given = [
            arguments.wrap(a, True) if flag else a for a, flag in zip(args, active, strict=True)
        ]
        outlines = outline(given)
        versions = [item._version if isinstance(item, Tensor) else 0 for item in given]
        result = call_strictly(function, *given, **kwargs)
    _refuse_writes(function, given, versions)
    _refuse_objects(function, result)
    wanted = [(a, t) for a, t, flag in zip(args, outlines, active, strict=True) if flag]

    def pullback(grad: Any) -> Any:
        inner = nested or bool(tensors_in((grad,)))
        outputs, seeds = paired(result, grad)
        found: Any = [None] * len(arguments.tracked)
        if outputs:
            found = tape_grad(
                outputs,
                arguments.tracked,
                seeds,
                retain_graph=True,
                create_graph=inner,
                allow_unused=True,
            )
        parts = iter(found)
        grads = [_filled(gradients_like(t, parts, keep=inner), a) for a, t in wanted]
        return grads[0] if len(grads) == 1 else tuple(grads)

    return result if nested else unwrapped(result), pullback


def _refuse_writes(function: Any, given: list[Any], versions: list[int]) -> None:
    """A call that writes into its arguments wrote into copies: its caller would not see that."""
    for item, version in zip(given, versions, strict=True):
        if isinstance(item, Tensor) and item._version != version:
            name = getattr(function, "__qualname__", None) or type(function).__qualname__
            raise MutationError(
                f"`{name}`, which runs on the tape for want of source, writes into its argument",
                hint="define it in a file, or return the new value instead",
            )


def _refuse_objects(function: Any, result: Any) -> None:
    """The adjoint of an object would not be seen: it has no place in the generated text."""
    if isinstance(result, (dict, list, tuple)):
        for item in result.values() if isinstance(result, dict) else result:
            _refuse_objects(function, item)
    elif not isinstance(result, Core) and is_plain_object(result):
        name = getattr(function, "__qualname__", None) or type(function).__qualname__
        raise UnsupportedError(
            f"`{name}`, which runs on the tape for want of source, returns an object of the class "
            f"{type(result).__name__}",
            hint="return its fields in a tuple or a dict",
        )


def _filled(grad: Any, value: Any) -> Any:
    """Return zeros for the gradient of a number or array that the result does not depend on."""
    return np.zeros_like(value) if grad is None and is_float(value) else grad


set_engine(run_call)
