"""Is what generated text imports that runs on arrays of Dask: ``np``, and the helpers."""

from __future__ import annotations

import importlib
from typing import Any, Final

from srcgrad.backends import DASK
from srcgrad.runtime.elsewhere import Elsewhere

_THERE: Final = Elsewhere(DASK)


def __getattr__(name: str) -> Any:
    """Return ``np``, or a helper of `srcgrad.runtime` that runs with it."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _THERE.find(name, vars(importlib.import_module("srcgrad.runtime")))
