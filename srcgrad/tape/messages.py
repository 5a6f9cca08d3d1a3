"""Holds warnings that several places give in the same words."""

from __future__ import annotations

import warnings


def warn_non_leaf_grad() -> None:
    """Warn that ``.grad`` of a computed tensor is not filled."""
    warnings.warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. "
        "If "
        "you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead.",
        UserWarning,
        stacklevel=3,
    )
