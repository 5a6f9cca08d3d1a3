"""Says which calls of functions with several results return one alone."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.operations import Operation


def has_one_result(rule: Any, operation: Operation) -> bool:
    """Say whether a call surely gives the option with which there is one result, not several.

    That may be a single argument to a starred parameter, as of ``np.atleast_1d``.
    """
    if rule is None or rule.returns_one is None:
        return False
    name, value = rule.returns_one
    parameters = rule_parameters(rule)
    place = next(i for i, parameter in enumerate(parameters) if parameter.name == name)
    starred = any(isinstance(item, gast.Starred) for item in operation.args)
    if parameters[place].kind is inspect.Parameter.VAR_POSITIONAL:
        return len(operation.args) == place + 1 and not starred
    if starred:
        return False
    given = operation.keywords.get(name)
    if given is None and place < len(operation.args):
        given = operation.args[place]
    if given is None:
        return bool(parameters[place].default == value)
    known = isinstance(given, gast.Constant)
    return known and type(given.value) is type(value) and bool(given.value == value)


@functools.cache
def rule_parameters(rule: Any) -> list[inspect.Parameter]:
    """Return the parameters of a rule's `forward`, but the context."""
    return list(inspect.signature(rule.forward).parameters.values())[1:]
