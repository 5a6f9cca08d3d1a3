"""Holds what torch.utils holds of this surface: checkpointing."""

from __future__ import annotations

from srcgrad.utils import checkpoint

__all__ = ["checkpoint"]
