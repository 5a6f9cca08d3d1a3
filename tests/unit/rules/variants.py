"""Makes other calls of a spec: empty, of one element, without axes, stacked, broadcast, complex."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.rules.library import rule_for
from tests.unit.rules.opspec import Draw, OpSpec, as_outputs, leaves, rebuild

PAIRS = (((), (3,)), ((2, 1), (3,)), ((0, 3), (3,)), ((1,), (2, 1)), ((2, 3), ()), ((1, 1), (2, 3)))
"""Shapes of two operands that are broadcast against each other."""


def draws(spec: OpSpec) -> list[Draw]:
    """Return what a spec draws, in order."""
    drawn = [*leaves(list(spec.args)), *leaves(list(spec.kwargs.values()))]
    return [item for item in drawn if isinstance(item, Draw)]


def changed(spec: OpSpec, change: Callable[[Draw], Draw]) -> OpSpec:
    """Return a spec whose draws are changed."""

    def of(value: Any) -> Any:
        items = (change(item) if isinstance(item, Draw) else item for item in leaves(value))
        return rebuild(value, items)

    kwargs = {key: of(value) for key, value in spec.kwargs.items()}
    return replace(spec, args=tuple(map(of, spec.args)), kwargs=kwargs)


def resized(spec: OpSpec, old: int, new: int) -> OpSpec:
    """Return a spec in which every axis of one size has another."""

    def of(draw: Draw) -> Draw:
        shape = draw.shape
        return replace(draw, shape=shape and tuple(new if n == old else n for n in shape))

    return changed(spec, of)


def reshaped(spec: OpSpec, shapes: Iterator[Any]) -> OpSpec:
    """Return a spec whose draws have other shapes."""
    return changed(spec, lambda draw: replace(draw, shape=next(shapes)))


def stacked(draw: Draw) -> Draw:
    """Return two of what is drawn, one above the other."""
    return draw if draw.shape is None else replace(draw, shape=(2, *draw.shape))


def variants(spec: OpSpec, *, elementwise: bool) -> Iterator[tuple[str, OpSpec]]:
    """Yield other calls of the function of a spec, each with a word for what it is about."""
    rng = np.random.default_rng(zlib.crc32(spec.label.encode()))
    drawn = draws(spec)
    sizes = sorted({n for draw in drawn for n in draw.shape or ()})
    if sizes:
        chosen = int(rng.choice(sizes))
        yield "empty", resized(spec, chosen, 0)
        yield "single", resized(spec, chosen, 1)
        yield "0-d", changed(spec, lambda draw: replace(draw, shape=()))
        yield "floats", changed(spec, lambda draw: replace(draw, shape=None))
    if not elementwise and any(len(draw.shape or ()) > 1 for draw in drawn):
        yield "stack", changed(spec, stacked)
        if not any(draw.complex for draw in drawn):
            complex_ones = changed(spec, lambda draw: replace(draw, complex=True))
            yield "complex stack", changed(complex_ones, stacked)
    if elementwise and len(drawn) == 2 and sizes:
        first, second = PAIRS[rng.integers(len(PAIRS))]
        yield "broadcast", reshaped(spec, iter((first, second)))
        yield "broadcast", reshaped(spec, iter((second, first)))
    if not any(draw.complex for draw in drawn):
        yield "complex", changed(spec, lambda draw: replace(draw, complex=True))
        if len(drawn) > 1:
            which = iter(rng.permutation([True] + [False] * (len(drawn) - 1)))
            yield "mixed", changed(spec, lambda draw: replace(draw, complex=bool(next(which))))


def is_call(spec: OpSpec) -> bool:
    """Say whether the function takes such arguments, without a warning, and returns floats."""
    try:
        args, kwargs, _ = spec.make_args(np.random.default_rng(0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outputs = as_outputs(spec.fn(*args, **kwargs))
            return bool(outputs) and all(np.all(np.isfinite(out)) for out in outputs)
    except Exception:  # noqa: BLE001 - whatever a function says of arguments it does not take
        return False


def chosen(specs: list[OpSpec]) -> list[OpSpec]:
    """Return one spec for each rule and each set of options and of places that are drawn."""
    found: dict[Any, OpSpec] = {}
    for spec in specs:
        drawn = tuple(map(has_draws, spec.args))
        found.setdefault((rule_for(spec.fn), drawn, *sorted(spec.kwargs)), spec)
    return list(found.values())


def has_draws(value: Any) -> bool:
    """Say whether anything in nested lists is drawn."""
    return any(isinstance(item, Draw) for item in leaves(value))
