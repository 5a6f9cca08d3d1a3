"""Notes where the tape meets equal eigenvalues or singular values, and turns their vectors.

See `srcgrad.runtime.turning`: forward mode may ask for vectors that suit its direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from srcgrad.rules.base import Context
from srcgrad.runtime import turning
from srcgrad.runtime.choosing import has_equal, has_equal_or_none
from srcgrad.runtime.tangents import tridiagonal
from srcgrad.tape.apply import unwrap
from srcgrad.tape.core import make
from srcgrad.tape.modes import STATE


@contextmanager
def choosing(how: str) -> Iterator[None]:
    """Let forward mode turn vectors: as "turned" to its direction, or as "mixed" anyhow."""
    before = STATE.choosing
    STATE.choosing = how
    try:
        yield
    finally:
        STATE.choosing = before


@contextmanager
def meeting(met: list[str]) -> Iterator[None]:
    """Note in a list what meets equal values."""
    before = STATE.met
    STATE.met = met
    try:
        yield
    finally:
        STATE.met = before


def note_met(op: Any, outputs: Any) -> bool:
    """Note that vectors with a choice among them were made, and say so."""
    if len(outputs) < 2:
        return False
    is_svd = len(outputs) == 3
    values = unwrap(outputs[1 if is_svd else 0])
    found = has_equal_or_none(values) if is_svd else has_equal(values)
    if found and STATE.met is not None:
        STATE.met.append(op.label)
    return found


def turned_push(op: Any, values: Any, outputs: Any, tangents: Any) -> list[Any] | None:
    """Turn the vectors that a call returned, and return their tangents; None to go on as usual."""
    if not note_met(op, outputs) or STATE.choosing not in ("turned", "mixed"):
        return None
    ctx = Context()
    found = op.call_forward(ctx, unwrap(values))
    push: Callable[..., Any] = getattr(turning, f"{STATE.choosing}_{_push_of(op)}")
    dots = push(*_arguments(op, ctx, unwrap(tangents), found))
    for output, value in zip(outputs, found, strict=True):
        output._array[...] = value
    return [make(dot) for dot in dots]


def _push_of(op: Any) -> str:
    name = op.primal.__name__
    general = name == "eigh" and op.primal.__module__.startswith("scipy")
    plain = "eigh" if name == "eigh_tridiagonal" else name
    return f"{'general_' if general else ''}{plain}_push"


def _arguments(op: Any, ctx: Any, tangents: list[Any], found: Any) -> tuple[Any, ...]:
    name = op.primal.__name__
    first, second = [*tangents, None][:2]
    if name == "eigh_tridiagonal":
        return (tridiagonal(first, second, found[1]), *found, "L")
    if name != "eigh":
        return (first, *found)
    if _push_of(op) == "eigh_push":
        return (first, *found, ctx.uplo)
    return (first, second, ctx.saved_tensors[0], *found, ctx.lower)
