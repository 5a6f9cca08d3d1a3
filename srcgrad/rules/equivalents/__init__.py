"""Knows functions of NumPy that are written out with others, from which their derivatives follow.

An equivalent is an ordinary Python function of NumPy functions with rules. The compiler
differentiates it as it does a user's function, in every mode and order; the tape calls it. So it is
the way to a derivative where there is no formula that reads better than the function itself.
"""

from __future__ import annotations

from srcgrad.rules.equivalents.table import Call, Literal, equivalent, why_not

__all__ = ["Call", "Literal", "equivalent", "why_not"]
