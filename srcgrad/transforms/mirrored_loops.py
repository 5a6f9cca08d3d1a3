"""Writes the loop that runs the trips of another backwards."""

from __future__ import annotations

import itertools
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, method, store
from srcgrad.ir.jumps import breaks_out
from srcgrad.ir.marks import COUNTS
from srcgrad.ir.walk import names_read
from srcgrad.transforms.sweep import Sweep

_CHOICES = (
    itertools.product,
    itertools.permutations,
    itertools.combinations,
    itertools.combinations_with_replacement,
)


def mirrored(sweep: Sweep, loop: Any, body: list[Any]) -> Any:
    """Return the loop that runs the adjoint body once for every trip, last trip first."""
    counts = isinstance(loop, gast.For) and sweep.is_range(loop.iter)
    if counts and not breaks_out(loop):
        iterable = call("reversed", clone(loop.iter))
        return at(gast.For(clone(loop.target), iterable, body, [], None), loop)
    if isinstance(loop, gast.For) and not breaks_out(loop) and _runs_again(sweep, loop.iter):
        again = clone(loop.iter)
        if isinstance(again, gast.Name) and sweep.adjoints.rebinds:
            again = _keys(sweep, again)
        if isinstance(again, gast.Call):
            again = call("list", again)
        iterable = call("reversed", again)
        return at(gast.For(clone(loop.target), iterable, body, [], None), loop)
    mirror = at(gast.For(store("_"), gast.Constant(None, None), body, [], None), loop)
    COUNTS.put(mirror, counts)  # some first part of a range
    return mirror


def _keys(sweep: Sweep, name: Any) -> Any:
    """Return a dict's keys by name, so that whoever reads the text knows it for a dict."""
    if name.id in sweep.entries.sequences:
        return name
    return method(name, "keys")


def _runs_again(sweep: Sweep, iterable: Any) -> bool:
    """Say whether a loop's iterable gives the same in the backward pass and goes backwards."""
    memory = sweep.facts.storage
    if any(name in memory.mutated | memory.reshaped for name in names_read(iterable)):
        return False
    if isinstance(iterable, gast.Name):
        varies = iterable.id in sweep.facts.activity.varied  # a dict: others run by index
        return varies or iterable.id in sweep.entries.sequences
    if not isinstance(iterable, gast.Call) or not names_read(iterable):
        return False
    callee = sweep.program.reader.scope.resolve(iterable.func)
    return callee in _CHOICES and all(sweep.is_range(item) for item in iterable.args[:1])
