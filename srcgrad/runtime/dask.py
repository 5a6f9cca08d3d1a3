"""Is what generated text imports that runs on arrays of Dask: ``np``, and the helpers."""

from __future__ import annotations

import importlib
from typing import Any

from srcgrad.backends import DASK
from srcgrad.runtime.blocks import helpers, names


def __getattr__(name: str) -> Any:
    """Return ``np``, or a helper of `srcgrad.runtime` that runs with it."""
    array = DASK.loaded()
    if name.startswith("__") or array is None:
        raise AttributeError(name)
    if name == "np":
        return names(array)
    return helpers(array).of(getattr(importlib.import_module("srcgrad.runtime"), name))
