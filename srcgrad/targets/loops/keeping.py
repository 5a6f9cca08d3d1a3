"""Puts arrays back that a compiled function has written into before it raised.

Loops over whole arrays take for granted that lengths agree, and raise where they do not; another
text runs then, from what there was before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from numbers import Number
from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.derivative import Derivative
from srcgrad.targets.loops.text import reached
from srcgrad.targets.loops.written import Written, written_by


class PutBackError(Exception):
    """What a function raised, its cause, that has left its arguments as they were."""


def written_places(subject: Derivative, data: Collection[str]) -> tuple[int, ...] | None:
    """Return the places of the parameters that a function may write into; None if they are unknown.

    They are where it may write into the user's data, too.
    """
    if not subject.written:
        return ()
    body = gast_parsed(subject.source).body
    functions = {item.name: item for item in body if isinstance(item, gast.FunctionDef)}
    outside = set(data)
    written: dict[str, Written] = {}
    for name in reached(subject.entry, functions):
        function = functions[name]
        given = {item.id for item in found_in(function.args, gast.Name)} | outside
        written[name] = written_by(function.body, given, set(), set(functions))
        if (written[name].lists | written[name].entries) & outside:
            return None
    entries = written[subject.entry].entries
    parameters = [item.id for item in found_in(functions[subject.entry].args, gast.Name)]
    if written[subject.entry].lists:
        return None
    return tuple(k for k, name in enumerate(parameters) if name in entries)


def can_be_kept(args: Sequence[Any], places: Sequence[int]) -> bool:
    """Say whether what is at some places of arguments can be put back: arrays, and numbers."""
    return all(
        type(args[k]) is np.ndarray or args[k] is None or isinstance(args[k], Number)
        for k in places
    )


def keeping(function: Callable[..., Any], places: Sequence[int]) -> Callable[..., Any]:
    """Return a function that puts back what is at some places if it raises.

    Raises:
        PutBackError: It has raised, and the arguments are as they were.
    """
    if not places:
        return function

    def run(*args: Any) -> Any:
        kept = [(args[k], args[k].copy()) for k in places if type(args[k]) is np.ndarray]
        try:
            return function(*args)
        except Exception as error:
            for array, before in kept:
                array[...] = before
            raise PutBackError("the arguments are as they were") from error

    return run
