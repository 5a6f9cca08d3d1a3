"""Knows the recorded factorisations whose eigenvalues or singular values are equal or zero.

The gradients of their factors do not tell the whole gradient there. `srcgrad.tape.limits` finds
what is missing before a pass begins; here it is put to use, or NaN is.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcgrad.errors import TieWarning
from srcgrad.locks import Lock
from srcgrad.runtime.choosing import has_equal, has_equal_or_none
from srcgrad.tape.modes import STATE
from srcgrad.tape.node import Node

CHOSEN: Final = "the value depends on which of their vectors were chosen"
UNKNOWN: Final = "the graph does not tell the limit"

_LOCK: Final = Lock()
_NODES: Final[weakref.WeakSet[Node]] = weakref.WeakSet()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a factorisation needs for its gradient.

    Attributes:
        grads: The gradients of its factors that this holds for.
        values: The limits, as the function takes them that returns the gradient.
        why: Why there are none, if so.
    """

    grads: Sequence[Any]
    values: Any
    why: str = ""


def note_tied(node: Node, results: Any) -> None:
    """Remember a factorisation if the choice of its vectors may matter."""
    if len(results) == 3:
        found = has_equal_or_none(results[1])
    else:
        found = len(results) == 2 and has_equal(results[0])
    if found:
        with _LOCK:
            _NODES.add(node)


def tied_nodes() -> set[Node]:
    """Return such factorisations in the graphs that are alive."""
    if not _NODES:
        return set()
    with _LOCK:
        return set(_NODES)


def pulled_at_ties(node: Any, ctx: Any, grads: Sequence[Any]) -> Any:
    """Return the gradient of a factorisation by the limits that were found, or NaN."""
    known: Limits | None = (STATE.limits or {}).get(node)
    values: Any = (np.nan,) * 4 if len(grads) == 3 else np.nan
    if all(map(_is_known, grads)):
        why = UNKNOWN if known is None else known.why
        if known is not None and not all(map(_same, known.grads, grads)):
            why = "hooks change the gradients of its factors"
        if why and STATE.met is None:
            _warn(node.op.label, why)
        values = known.values if known is not None and not why else values
    return _back(node.op, ctx, grads, values)


def _warn(label: str, why: str) -> None:
    warnings.warn(
        f"the gradient of `{label}` is NaN: eigenvalues or singular values are equal, and {why}",
        TieWarning,
        stacklevel=3,
    )


def _back(op: Any, ctx: Any, grads: Any, limits: Any) -> Any:
    """Call the function that the backward of a rule calls, with limits."""
    saved, name = ctx.saved_tensors, op.primal.__name__
    called = op.backward.__globals__
    if name == "svd":
        return called["svd_back"](grads, saved, limits)
    if name == "eigh" and "general_eigh_back" in called:
        return called["general_eigh_back"](grads, *saved, ctx.lower, limits)
    options = (ctx.uplo,) if name == "eigh" else ()
    return called[f"{name}_back"](*grads, *saved, *options, limits)


def _is_known(grad: Any) -> bool:
    return grad is None or not np.isnan(getattr(grad, "_array", grad)).any()


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    one, other = getattr(one, "_array", one), getattr(other, "_array", other)
    size = np.max(np.absolute(one), initial=0.0)
    precision = np.finfo(np.asarray(one).dtype).eps ** 0.5
    return bool(np.allclose(one, other, rtol=0, atol=precision * size))
