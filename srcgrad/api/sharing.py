"""Refuses calls that pass the same memory twice to a function that writes into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.compiler import Generated
from srcgrad.errors import MutationError
from srcgrad.spans import Span


def refuse_shared(generated: Generated, function: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse a call if what is written into may be reached under another name, too.

    Raises:
        MutationError: Two arguments share memory, or an argument and a global.
    """
    globals_read = {name: binding.current() for name, binding in generated.data.items()}
    for name in sorted(generated.written & arguments.keys()):
        mine = list(_arrays(arguments[name]))
        others = {**globals_read, **{k: v for k, v in arguments.items() if k != name}}
        for other, value in others.items():
            for theirs in _arrays(value):
                if any(np.may_share_memory(array, theirs) for array in mine):
                    raise _refusal(function, name, other)


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _arrays(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)


def _refusal(function: FunctionType, name: str, other: str) -> MutationError:
    code = function.__code__
    return MutationError(
        f"`{code.co_name}` writes into its argument `{name}`, which shares memory with `{other}`",
        span=Span(code.co_filename, code.co_firstlineno),
        hint=f"pass a copy: `{name}.copy()`",
    )
