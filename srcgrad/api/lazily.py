"""Takes gradients at arrays of Dask: nothing is computed, and what would have to be is refused."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from srcgrad.api.elsewhere import AnyPlan, placed, refuse_checks, say_what_lacks
from srcgrad.api.form import Form
from srcgrad.api.plan import Plan
from srcgrad.api.policy import Policy
from srcgrad.api.proofs import not_settled_elsewhere
from srcgrad.api.structures import float_leaves, mapped
from srcgrad.api.values import leaves
from srcgrad.backends import DASK
from srcgrad.backends import dask as blocks
from srcgrad.errors import (
    IntegerInputError,
    LibraryGapError,
    MixedLibrariesError,
    UnsupportedError,
)
from srcgrad.insight.switch import CHECKS
from srcgrad.later import later
from srcgrad.parsing import parsed
from srcgrad.spans import Span

if TYPE_CHECKING:
    from srcgrad.targets import arrays
else:
    arrays = later("srcgrad.targets.arrays")


_WAY_OUT = "pass x.compute(), or take the gradient of each block (see the guide on Dask)"


def has_lazy(values: Iterable[Any]) -> bool:
    """Say whether there is an array of Dask among values and in containers of them."""
    if DASK.loaded() is None:
        return False
    return any(blocks.is_lazy(leaf) for value in values for leaf in leaves(value))


def run_lazily(
    plan: Plan,
    form: Form,
    arguments: Mapping[str, Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Any:
    """Return what a gradient gives at arrays of Dask: arrays of Dask, with the chunks of those.

    Args:
        plan: The plan whose text takes nothing for granted.
        form: What is asked of the gradient.
        arguments: The arguments of the call by name.
        args: The arguments that are given by position.
        kwargs: The arguments that are given by name.

    Raises:
        LibraryGapError: The text asks for something that Dask does not have, writes where Dask's
            arrays would not change, or needs a number in the middle.
    """
    _refuse_writes(plan)
    twin = placed(plan, DASK)
    run = _saying_what_lacks(_named(twin.function), twin)
    with blocks.nothing_computed():
        result = run(*args, **plan.named(dict(kwargs)))
        return gradients_in_blocks(form, arguments, result)


def gradients_in_blocks(form: Form, arguments: Mapping[str, Any], result: Any) -> Any:
    """Return what a gradient's text returned as a call gives it, with the chunks of arguments."""
    values = [mapped(_lazy, arguments[name], _same) for name in form.names]
    head, grads = form.apart(result)
    grads = grads if len(values) > 1 else (grads,)
    done = tuple(_conformed(grad, value) for grad, value in zip(grads, values, strict=True))
    return form.answered(head, done[0] if form.single else done)


def ready_for_blocks(plan: AnyPlan) -> tuple[AnyPlan, Callable[..., Any]]:
    """Return the twin of a plan at arrays of Dask, and what lets its functions refuse by name.

    Raises:
        LibraryGapError: It writes where Dask's arrays would not change.
    """
    _refuse_writes(plan)
    twin = placed(plan, DASK)
    return twin, lambda function: _saying_what_lacks(_named(function), twin)


def as_blocks(value: Any) -> Any:
    """Return containers with arrays of Dask for all numbers and arrays."""
    return mapped(_lazy, value, _same)


def conformed_blocks(grad: Any, value: Any) -> Any:
    """Return a derivative with the structure of its value, and with the chunks of its arrays."""
    return _conformed(grad, value)


def has_complex(values: Iterable[Any]) -> bool:
    """Say whether there are complex numbers among values and in containers of them."""
    found = (leaf for value in values for leaf in leaves(value))
    return any(
        isinstance(leaf, complex) or getattr(getattr(leaf, "dtype", None), "kind", "") == "c"
        for leaf in found
    )


def refuse_lazily(
    policy: Policy, names: Sequence[str], arguments: Mapping[str, Any], *, checks: bool = False
) -> None:
    """Refuse what there is not at arrays of Dask; `checks` asks for a look at every value.

    Raises:
        MixedLibrariesError: The backend is for other arrays.
        IntegerInputError: The gradient is asked for by integers.
        LibraryGapError: An option asks for numbers, which are not computed.
    """
    if policy.backend not in ("auto", "dask"):
        raise MixedLibrariesError(
            f"backend={policy.backend!r}, and there is an array of Dask among the arguments",
            hint="leave backend= out for a gradient that Dask runs",
        )
    if checks or CHECKS.nans:
        refuse_checks(DASK)
    if policy.verify:
        raise LibraryGapError(
            "verify=True computes the derivative and differences, and arrays of Dask are lazy",
            hint="verify it at arrays of NumPy, which run the same text",
        )
    for name in names:
        if not float_leaves(arguments[name]):
            raise IntegerInputError(
                f"`{name}` holds no float, and a derivative needs floating-point numbers",
                hint="convert it first: x.astype(float)",
            )


def without_tape(refusal: UnsupportedError) -> UnsupportedError:
    """Return the refusal of a program that no text differentiates: the tape has no blocks."""
    refusal.add_note(f"the tape does not run on arrays of Dask; {_WAY_OUT}")
    return refusal


def update_of_blocks(function: Any) -> LibraryGapError:
    """Say that a function writes into an argument, and arrays of Dask are never changed."""
    code = function.__code__
    line = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n")
    return LibraryGapError(
        f"`{code.co_name}` writes into an argument, and arrays of Dask are never changed",
        span=Span(code.co_filename, code.co_firstlineno, text=line),
        hint="write into a copy, or give the new value a name of its own",
    )


def raise_unsettled(plan: Plan) -> None:
    """Refuse a text that the checker doubts: numbers that decide are not computed here.

    Raises:
        NotProvenError: Always.
    """
    raise not_settled_elsewhere(plan.generated.entry)


def _saying_what_lacks(run: Callable[..., Any], plan: Plan) -> Callable[..., Any]:
    """Return a function that refuses by name what Dask does not do."""

    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            result = run(*args, **kwargs)
            blocks.raise_if_asked()
        except Exception as error:
            say_what_lacks(error, plan)
            raise
        return result

    return told


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose errors are refusals where Dask raises them, not the user's text."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (ValueError, AssertionError) as error:
            if blocks.raised(error):
                why = TypeError(str(error) or "an index that Dask does not take")
                raise why.with_traceback(error.__traceback__) from error
            raise

    return run


def _refuse_writes(plan: Plan) -> None:
    source = plan.generated.source
    for line in _questions(source):
        raise LibraryGapError(
            "it asks whether a value is a number or an array of NumPy, and here it is one of Dask",
            span=_place(plan, line),
            hint="ask for the number of axes (np.ndim(x) == 0) or not at all",
        )
    for write in _shared(source):
        raise LibraryGapError(
            f"`{write.name}` is written in place where it may have another name, and arrays of "
            "Dask are never changed",
            span=_place(plan, write.line),
            hint="give the new value a name of its own (y = y * 2, np.where, np.concatenate); or "
            + _WAY_OUT,
        )


def _place(plan: Plan, line: int) -> Span | None:
    user = plan.generated.lines.at(line)
    return None if user is None else Span(user.file, user.line, text=user.text)


@functools.lru_cache(maxsize=256)
def _questions(source: str) -> tuple[int, ...]:
    return tuple(arrays.questions(parsed(source)))


@functools.lru_cache(maxsize=256)
def _shared(source: str) -> tuple[Any, ...]:
    return tuple(arrays.shared_writes(parsed(source)))


def _lazy(leaf: Any) -> Any:
    return leaf if blocks.is_lazy(leaf) else blocks.in_one_chunk(leaf)


def _same(leaf: Any) -> Any:
    return leaf


def _conformed(grad: Any, value: Any) -> Any:
    """Return a gradient with the structure of its argument, and with the chunks of its arrays."""
    if blocks.is_lazy(value):
        return blocks.like(0.0 if grad is None else grad, value)
    parts = iter(_parts(grad, value))
    return mapped(lambda leaf: blocks.like(next(parts), leaf), value)


def _parts(grad: Any, value: Any) -> list[Any]:
    """Return the entries of a gradient for the floats of a value; zeros where it has none."""
    found: list[Any] = []

    def look(grad: Any, value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                look(_entry(grad, key), item)
        elif isinstance(value, (list, tuple)):
            for place, item in enumerate(value):
                look(_entry(grad, place), item)
        elif blocks.is_lazy(value) and value.dtype.kind in "fc":
            found.append(0.0 if grad is None else grad)

    look(grad, value)
    return found


def _entry(grad: Any, key: Any) -> Any:
    if grad is None:
        return None
    return grad.get(key) if isinstance(grad, dict) else grad[key]
