"""Says which objects take values and give none back: logs and open files."""

from __future__ import annotations

import sys
from typing import Any, Final

_HOMES: Final = frozenset(("logging", "_io"))


def is_reporter(owner: Any) -> bool:
    """Say whether an object is a log or an open file, which takes values and gives none back.

    >>> import io, logging, sys
    >>> [is_reporter(item) for item in (logging.getLogger(), sys.__stdout__, io.StringIO(), [])]
    [True, True, False, False]
    """
    if owner is sys.stdout or owner is sys.stderr:
        return owner is not None
    homes = {kind.__module__ for kind in type(owner).__mro__}
    return bool(homes & _HOMES) and not hasattr(owner, "getvalue")
