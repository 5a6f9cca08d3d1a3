"""Gives a callable the looks of the user's function: to editors at run time, to type checkers."""

from __future__ import annotations

import functools
import inspect
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Q = ParamSpec("Q")
R_co = TypeVar("R_co", covariant=True)


def look_like(
    wrapper: Any, function: Any, skip: int = 0, signature: inspect.Signature | None = None
) -> None:
    """Let a callable show the name, text and parameters of a function, as editors ask for them.

    Args:
        wrapper: What is called in the function's place.
        function: The function.
        skip: How many of its first parameters are given already, such as `self`.
        signature: All its parameters, if they are known.
    """
    functools.update_wrapper(wrapper, function)
    if skip:
        signature = signature or inspect.signature(function)
        rest = list(signature.parameters.values())[skip:]
        wrapper.__signature__ = signature.replace(parameters=rest)
