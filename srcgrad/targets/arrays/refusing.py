"""Says by name what an array library does not do, where a text has asked it to."""

from __future__ import annotations

import numpy as np

from srcgrad.backends import Library
from srcgrad.codegen.tracebacks import user_line
from srcgrad.errors import LibraryGapError, SrcgradError
from srcgrad.spans import Span

_FAULTS = (TypeError, AttributeError, NotImplementedError, np.exceptions.AxisError)


def refused(error: Exception, library: Library) -> LibraryGapError | None:
    """Return the refusal that an error of a run on another library is; None if it is another.

    A library says that it does not do something as it likes: by a type or a method that it does
    not know, or by that it does not convert one.
    """
    if isinstance(error, SrcgradError) or not isinstance(error, _FAULTS):
        return None
    line = user_line(error)
    if line is None:
        return None
    return LibraryGapError(
        f"{library.title} does not run this: {error}",
        span=Span(line.file, line.line, text=line.text),
        hint=f"write it with what {library.title} has, or pass arrays of NumPy",
    )
