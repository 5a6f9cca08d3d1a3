"""Puts arrays back that a compiled function has written into before it raised.

Loops over whole arrays take for granted that lengths agree, and raise where they do not; another
text runs then, from what there was before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from numbers import Number
from typing import Any

import gast
import numpy as np

from srcgrad.ir.parsing import gast_parsed
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.derivative import Derivative
from srcgrad.targets.loops.written import written_by


class PutBackError(Exception):
    """What a function raised, its cause, that has left its arguments as they were."""


def written_places(subject: Derivative, data: Collection[str]) -> tuple[int, ...] | None:
    """Return the places of the parameters that a function may write into; None if they are unknown.

    They are where it may write into the user's data, too.
    """
    if not subject.written:
        return ()
    tree = gast_parsed(subject.source)
    functions = {item.name: item for item in tree.body if isinstance(item, gast.FunctionDef)}
    function = functions[subject.entry]
    parameters = [item.id for item in found_in(function.args, gast.Name)]
    names = {node.id for item in functions.values() for node in found_in(item, gast.Name)}
    outside = names & set(data)
    written = written_by(function.body, {*parameters, *outside}, set(), set(functions))
    if written.lists or written.entries & outside or (outside and len(functions) > 1):
        return None
    return tuple(k for k, name in enumerate(parameters) if name in written.entries)


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
            raise PutBackError from error

    return run
