"""What stands in for Python's `max` and `min` in plain code on the tape.

Python picks one of equal arguments by its place. The derivative is shared among them, as it is by
source, also where the one that is picked is a constant: ``max(0.0, x)`` at 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.apply import apply, tensors_in, unwrap
from srcgrad.tape.core import Core
from srcgrad.tape.modes import STATE
from srcgrad.tape.nesting import to_array
from srcgrad.tape.ops import require_op
from srcgrad.tape.pynumbers import PythonFloat, as_python


def sharing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for `max` or `min`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not STATE.strict or kwargs or not args:
            return function(*args, **kwargs)
        items = list(args[0]) if len(args) == 1 else list(args)
        found = function(items)
        if not tensors_in(tuple(items)) or not all(map(_is_number, items)):
            return found
        ties = [item for item in items if unwrap(item) == unwrap(found)]
        if len(ties) < 2 or not tensors_in(tuple(ties)):
            return found
        shared = apply(require_op(np.max), (to_array(ties),))  # the least of equal ones, too
        python = any(isinstance(item, PythonFloat) for item in ties)
        return as_python(shared) if python else shared

    return call


def _is_number(item: Any) -> bool:
    value = item._array if isinstance(item, Core) else item
    return isinstance(value, (int, float, np.floating, np.integer)) or (
        isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "fi"
    )
