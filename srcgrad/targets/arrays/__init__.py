"""Runs the text of a derivative on the arrays of another library."""

from srcgrad.targets.arrays.loading import Twin, text_for, twin_of
from srcgrad.targets.arrays.refusing import refused
from srcgrad.targets.arrays.views import questions, shared_writes

__all__ = ["Twin", "questions", "refused", "shared_writes", "text_for", "twin_of"]
