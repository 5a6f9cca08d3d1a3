"""Holds warnings that several places give in the same words."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any, Final

_OWN: Final = str(Path(__file__).parent.parent)


def warn_non_leaf_grad() -> None:
    """Warn that ``.grad`` of a computed tensor is not filled, at the line that asked for it."""
    frame: Any = sys._getframe()
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. "
        "If "
        "you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead.",
        UserWarning,
        stacklevel=level,
    )
