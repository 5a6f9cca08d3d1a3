"""Is what generated text imports that runs on arrays of CuPy: ``np``, and the helpers."""

from __future__ import annotations

import importlib
from typing import Any, Final

from srcgrad.backends import CUPY
from srcgrad.runtime import elements as of_elements
from srcgrad.runtime.elsewhere import Elsewhere

_THERE: Final = Elsewhere(CUPY)


def __getattr__(name: str) -> Any:
    """Return ``np``, or a helper of `srcgrad.runtime` that runs with it."""
    if name.startswith("__"):
        raise AttributeError(name)
    helpers = vars(importlib.import_module("srcgrad.runtime"))
    return _THERE.find(name, {**helpers, **vars(of_elements)})
