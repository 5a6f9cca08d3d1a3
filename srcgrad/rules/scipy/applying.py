"""Makes rules of numbers that an object of results holds, which texts call by ``Rule.apply``."""

from __future__ import annotations

from typing import Any

from srcgrad.rules.base import Context, Function
from srcgrad.runtime.dispatch import records


def applied(*rules: type[Function]) -> None:
    """Give rules an ``apply``, for texts that are run between two passes."""
    for rule in rules:
        vars_of: Any = rule
        vars_of.apply = staticmethod(_apply_of(rule))


def _apply_of(rule: type[Function]) -> Any:
    def apply(*args: Any, **options: Any) -> Any:
        for item in args:
            if records(item):
                return type(item).__array_function__(item, apply, (type(item),), args, options)
        return rule.forward(Context(), *args, **options)

    vars(apply)["__srcgrad_rule__"] = rule
    return apply
