"""Lists the functions whose results are elements of their operands at other places, or their sums.

Their adjoints of truth values say which elements of the operands were used, since nothing cancels.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcgrad.runtime import getitem

PASSING: Final[frozenset[Any]] = frozenset(
    {
        *(np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims),
        *(np.broadcast_to, np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack),
        *(np.flip, np.fliplr, np.flipud, np.rot90, np.roll, np.repeat, np.tile, np.copy, np.array),
        *(np.sort, np.take_along_axis, np.delete, np.diag, np.diagonal, np.trace, np.tril, np.triu),
        *(np.atleast_1d, np.atleast_2d, np.cumsum, np.asarray, np.append, np.pad, getitem),
    }
)

PICKING: Final[frozenset[Any]] = frozenset(
    {np.take_along_axis, np.delete, np.diag, np.diagonal, np.trace, np.tril, np.triu}
)
"""Those that leave elements out by themselves."""

SUMMING: Final[frozenset[Any]] = frozenset({np.repeat, np.tile, np.trace, np.pad, np.cumsum})
"""Those of which an element of an operand may become several, so that their adjoints add up."""
