"""Hands what the backward half of a function reads from its forward half to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, load, store
from srcgrad.ir.liveness import first_reads
from srcgrad.ir.program import bound_names, header_reads
from srcgrad.ir.walk import statements
from srcgrad.transforms.recording import surely_bound

_WIDEST_ROW: Final = 80


def kept_between(forward: list[Any], backward: list[Any], parameters: Sequence[str]) -> list[str]:
    """Return what the backward half reads, in the order in which it does.

    What the forward half binds on some paths alone is bound to nothing first.
    """
    known = bound_names(forward) | set(parameters)
    order = [name for item in statements(backward) for name in header_reads(item)]
    needed = first_reads(backward)
    saved = [name for name in dict.fromkeys(order) if name in needed and name in known]
    unbound = set(saved) - surely_bound(forward) - set(parameters)
    forward[:0] = _nothing([name for name in saved if name in unbound])
    return saved


def hand_over(forward: list[Any], backward: list[Any], out: Any, saved: Sequence[str]) -> None:
    """Return the result and what is saved; unpack that in the backward half."""
    kept = gast.Tuple([load(name) for name in saved], gast.Load())
    result = gast.Return(gast.Tuple([out, kept], gast.Load()))
    forward.append(gast.copy_location(result, out))  # it has the line that `out` comes from
    if saved:
        target: Any = gast.Tuple([store(name) for name in saved], gast.Store())
        backward.insert(0, assign(target, load("saved")))


def _nothing(names: Sequence[str]) -> list[Any]:
    """Return the statements that bind names to nothing, several at once."""
    groups: list[list[str]] = []
    for name in names:
        if not groups or sum(len(item) + 3 for item in [*groups[-1], name]) > _WIDEST_ROW:
            groups.append([])
        groups[-1].append(name)
    targets = [[store(name) for name in group] for group in groups]
    return [gast.Assign(group, gast.Constant(None, None), None) for group in targets]
