"""Knows objects that hand on to a library what they are asked for, as ``xp = Shim(numpy)``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from srcgrad.ir.packages import is_library_name
from srcgrad.runtime.objects import answers_names, held_attribute


def handed_on(owner: Any, name: str) -> Any:
    """Return the function of a library that an object gives for a name, or None.

    >>> import numpy as np
    >>> hands_on = lambda shim, name: getattr(np, name)
    >>> Shim = type("Shim", (), {"__module__": "own", "__getattr__": hands_on})
    >>> handed_on(Shim(), "sort") is np.sort, handed_on([], "sort") is None
    (True, True)
    """
    if not answers_names(owner) or held_attribute(owner, name) is not None:
        return None
    try:
        found = getattr(owner, name)
    except Exception:  # noqa: BLE001 - the function itself is to tell of it
        return None
    alone = isinstance(getattr(found, "__self__", None), (ModuleType, type(None)))
    of_library = is_library_name(getattr(found, "__module__", None) or "")
    return found if alone and of_library else None
