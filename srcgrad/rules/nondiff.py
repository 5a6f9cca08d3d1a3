"""Finds the functions without a derivative, each with the reason that its record gives."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from srcgrad.errors import InternalError
from srcgrad.primitives.constants import PYTHON, RECORDS
from srcgrad.primitives.constants import REPORT as REPORT
from srcgrad.runtime import (
    add_at,
    any_selected,
    are_tied,
    between_zeros,
    came_from,
    complex_shadow_of,
    complex_zeros_like,
    distinct_places,
    is_above,
    is_below,
    is_complex,
    is_matrix,
    is_number,
    item_shapes,
    keep_apart,
    nested_shapes,
    numbers,
    order_of,
    picked,
    reduced_size,
    refuse_array,
    refuse_integers,
    refuse_twins,
    same_kind,
    scalar_seed,
    shadow_of,
    shape_of,
    shortcut,
    stop_gradient,
    strided_places,
    taken,
    tell,
    turns,
    unit_vectors,
    within,
    zeros_like,
)

_RUNTIME = (
    *(add_at, any_selected, complex_zeros_like, is_matrix, is_number, scalar_seed, shortcut),
    *(are_tied, between_zeros, distinct_places, is_complex, numbers),
    *(
        picked,
        taken,
        refuse_array,
        refuse_integers,
        refuse_twins,
        same_kind,
        stop_gradient,
        unit_vectors,
        zeros_like,
    ),
    *(item_shapes, nested_shapes, shape_of, reduced_size),
    *(
        came_from,
        is_above,
        is_below,
        order_of,
        shadow_of,
        strided_places,
        within,
        complex_shadow_of,
    ),
    turns,
)

_OF_THE_GENERATOR = "numpy.random.RandomState."


def function_named(name: str) -> Any:
    """Return the function of a canonical name; None if there is none in these versions.

    >>> function_named("numpy.linalg.inv") is np.linalg.inv
    True
    """
    if name.startswith(_OF_THE_GENERATOR):  # a method of the one that NumPy keeps
        return getattr(np.random, name.removeprefix(_OF_THE_GENERATOR))
    first, *path = name.split(".")
    found: Any = importlib.import_module(first)
    for part in path:
        found = getattr(found, part, None)
    return found


def _table() -> dict[Callable[..., Any], str]:
    """Give every function its reason."""
    found: dict[Callable[..., Any], str] = {}
    for record in RECORDS:
        function = function_named(record.name)
        if function is None or record.reason is None:
            raise InternalError(f"there is no `{record.name}`, or no reason in its record")
        found[function] = record.reason
    return {**found, **dict.fromkeys(_RUNTIME, PYTHON), tell: REPORT, keep_apart: REPORT}


CONSTANT: Mapping[Callable[..., Any], str] = MappingProxyType(_table())
