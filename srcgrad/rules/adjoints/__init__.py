"""Rules of what gradients call, so that gradients can be differentiated once more.

Most of these helpers are linear in an adjoint: their tangent is the same call on tangents, and
their adjoint is, up to its arguments, the function that they are the adjoint of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from srcgrad.rules.adjoints import arranging, calculus, joining, products
from srcgrad.rules.base import Function

RULES: Mapping[Callable[..., Any], type[Function]] = {
    **joining.RULES,
    **arranging.RULES,
    **calculus.RULES,
    **products.RULES,
}
