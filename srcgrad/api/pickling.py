"""Pickles derivatives: by the name that they stand under, else by what they were made with."""

from __future__ import annotations

import sys
from inspect import getattr_static
from types import MethodType
from typing import Any

from srcgrad.api.refusal import describe


def stands_under_its_name(derivative: Any) -> bool:
    """Say whether a derivative is found where its function would be, as a decorated one is."""
    found: Any = sys.modules.get(getattr(derivative.primal, "__module__", ""), None)
    for part in describe(derivative.primal).split("."):
        found = getattr(found, part, None)
    return found is derivative


def reduced(derivative: Any, **fresh: Any) -> Any:
    """Return how to pickle a derivative; `fresh` are attributes that it begins with again."""
    primal = derivative.primal
    if isinstance(primal, MethodType) and not isinstance(primal.__self__, type):
        held = getattr_static(type(primal.__self__), primal.__name__, None)
        if type(held) is type(derivative):
            return getattr, (primal.__self__, primal.__name__)
    if stands_under_its_name(derivative):
        return describe(primal)
    return _made_again, (type(derivative), {**vars(derivative), **fresh})


def _made_again(kind: Any, state: dict[str, Any]) -> Any:
    made = object.__new__(kind)
    vars(made).update(state)
    return made
