"""Hands the compiler's layers what they need to know of the rules, as plain tables."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.rules import operators
from srcgrad.rules.base import Function
from srcgrad.rules.library import canonical_name, constant_reason, rule_for
from srcgrad.runtime import getitem

_VIEWS: Final = frozenset(
    f"numpy.{name}"
    for name in (
        "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims broadcast_to "
        "broadcast_arrays asarray asanyarray ascontiguousarray atleast_1d atleast_2d atleast_3d "
        "diagonal diag split array_split hsplit vsplit dsplit flip fliplr flipud rot90 real imag "
        "matrix_transpose permute_dims nan_to_num array unstack"
    ).split()
)


def _is_function_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Function)


VOCABULARY: Final = Vocabulary(
    rule_for=rule_for,
    constant_reason=constant_reason,
    canonical_name=canonical_name,
    is_function_class=_is_function_class,
    methods=operators.METHODS,
    attributes=operators.ATTRIBUTES,
    variadic=operators.VARIADIC_METHODS,
    constant_methods=frozenset(operators.CONSTANT_METHODS),
    constant_attributes=frozenset(operators.CONSTANT_ATTRIBUTES),
    binary=operators.BINARY,
    unary=operators.UNARY,
    getitem=getitem,
    views=_VIEWS,
)
