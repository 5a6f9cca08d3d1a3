"""Finds the array that a call of NumPy writes its result into."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable
from typing import Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.operations import Reader, may_not_copy
from srcgrad.ir.packages import package_of
from srcgrad.ir.scopes import MISSING


def target_of(call: Any, reader: Reader) -> Any:
    """Return what is given to a call as `out`, by name or by position; None if nothing is.

    What `nan_to_num` need not copy is given as that, too.
    """
    for item in call.keywords:
        if item.arg == "out":
            return item.value
    if call.args and may_not_copy(call, reader.scope.resolve(call.func)):
        return call.args[0]
    names = names_from_target(call, reader)
    return call.args[-len(names)] if names else None


def names_from_target(call: Any, reader: Reader) -> list[str]:
    """Return the names of the arguments that a call gives by position, from `out` on."""
    if any(isinstance(item, gast.Starred) for item in call.args):
        return []
    callee, bound = reader.scope.resolve(call.func), 0
    if callee is MISSING:
        callee, bound = reader.vocabulary.methods.get(getattr(call.func, "attr", "")), 1
    if isinstance(callee, np.ufunc):
        given = len(call.args) - callee.nin
        return ["out"] if given == 1 and callee.nout == 1 else []
    if not callable(callee) or package_of(callee) != "numpy":
        return []
    if not isinstance(callee, Hashable):  # as a `poly1d`
        return []
    rule = reader.vocabulary.rule_for(callee)
    names = _names(callee if rule is None else rule.forward)
    names = names[bound if rule is None else bound + 1 :][: len(call.args)]
    return names[names.index("out") :] if "out" in names and len(names) == len(call.args) else []


@functools.lru_cache(maxsize=1024)
def _names(function: Any) -> list[str]:
    """Return the names of the parameters that may be given by position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [item.name for item in parameters if item.kind in kinds]
    several = any(item.kind is item.VAR_POSITIONAL for item in parameters)
    return [] if several else positional
