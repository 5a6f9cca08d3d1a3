"""Runs the text of a derivative on the arrays of another library."""

from srcgrad.targets.arrays.loading import Twin, text_for, twin_of
from srcgrad.targets.arrays.refusing import refused

__all__ = ["Twin", "refused", "text_for", "twin_of"]
