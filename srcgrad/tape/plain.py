"""Calls functions that carry no derivative, on the arrays inside tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from srcgrad.tape.apply import same_container, tensors_in, unwrap
from srcgrad.tape.core import make
from srcgrad.tape.modes import STATE
from srcgrad.tape.near import note_comparison
from srcgrad.tape.texts import spoken

CREATION = frozenset({np.zeros_like, np.ones_like, np.empty_like})


def call_constant(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call `function` on arrays; the results are tensors without history.

    In strict mode they are plain NumPy values, except for arrays made to be filled.
    """
    raw = function(*unwrap(args), **unwrap(dict(kwargs)))
    note_comparison(function, args, raw)
    if type(raw) is str:
        for tensor in tensors_in((*args, *kwargs.values())):
            spoken(tensor, raw)
    if STATE.strict and function not in CREATION:
        return raw
    return boxed_result(raw)


def boxed_result(raw: Any) -> Any:
    """Return `raw` with tensors in the place of arrays and NumPy scalars."""
    if isinstance(raw, (np.ndarray, np.generic)):
        made = make(raw)
        made._is_array = isinstance(raw, np.ndarray) and not raw.ndim
        return made
    if isinstance(raw, (tuple, list)) and any(isinstance(item, np.ndarray) for item in raw):
        return same_container(raw, [boxed_result(item) for item in raw])
    return raw
