"""Hands the compiler's layers what they need to know of the rules, as plain tables."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

from srcgrad.frontend.effects import ELSEWHERE, given_to, written_parameters
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


def _written_operands(function: FunctionType, call: Any) -> tuple[list[Any], bool]:
    written = written_parameters(function, VOCABULARY)
    return given_to(function, call, written), ELSEWHERE in written


VOCABULARY: Final[Vocabulary] = Vocabulary(
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
    written_operands=_written_operands,
)
