"""Hands the compiler's layers what they need to know of the rules, as plain tables."""

from __future__ import annotations

import functools
import inspect
from types import BuiltinFunctionType, FunctionType, MappingProxyType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.compiler.plain_answers import passes_on
from srcgrad.frontend.callees import ELSEWHERE, given_to
from srcgrad.frontend.effects import (
    returned_elements,
    returned_parameters,
    written_parameters,
)
from srcgrad.frontend.normalize.threaded import states_returned, states_updated
from srcgrad.frontend.places_of_writes import how_written
from srcgrad.frontend.results_apart import results_are_apart
from srcgrad.frontend.returned_arrays import parameter_returned, returns_array
from srcgrad.frontend.returned_lists import lists_returned, returns_list, returns_new_list
from srcgrad.frontend.source import has_source
from srcgrad.frontend.usage import container_parameters
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.rules import operators
from srcgrad.rules.base import Elementwise, Function
from srcgrad.rules.draws import DRAWS
from srcgrad.rules.equivalents import equivalent, why_not
from srcgrad.rules.library import (
    calculates_in_integers,
    canonical_name,
    constant_reason,
    is_draw,
    is_report,
    rule_for,
)
from srcgrad.rules.records import primitive_of
from srcgrad.runtime import getitem


def _is_function_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Function)


def _results(value: Any, wanted: int) -> int | None:
    """Count the gradients that the backward of a rule takes; the last ones may be optional."""
    rule = value if _is_function_class(value) else rule_for(value)
    if rule is None or issubclass(rule, Elementwise):
        return 1
    code = rule.backward.__code__
    if code.co_flags & inspect.CO_VARARGS:
        return None
    most = code.co_argcount - 1
    least = most - len(rule.backward.__defaults__ or ())
    return wanted if least <= wanted <= most else least


def _takes_any_number(value: Any) -> bool:
    rule = rule_for(value)
    if rule is None or rule.returns_one is not None:
        return False
    code = rule.forward.__code__
    return bool(code.co_flags & inspect.CO_VARARGS) and code.co_argcount == 1


def _inert(value: Any) -> frozenset[int | str]:
    rule: Any = rule_for(value)
    return frozenset() if rule is None or not rule.inert else _inert_parameters(rule)


@functools.cache
def _inert_parameters(rule: Any) -> frozenset[int | str]:
    """Return the places and the names of the parameters of which only shape and type count."""
    names = list(inspect.signature(rule.forward).parameters)[1:]
    return frozenset([*rule.inert, *(i for i, name in enumerate(names) if name in rule.inert)])


def _needs_tape(value: Any) -> bool:
    if isinstance(value, FunctionType):
        return not has_source(value)
    foreign = (type, ModuleType, BuiltinFunctionType, np.ufunc)
    return callable(value) and not isinstance(value, foreign) and _is_python(value)


def _is_python(value: Any) -> bool:
    """Say whether a callable object is one of Python's own making, which tensors may go through."""
    if isinstance(value, functools.partial):
        return _is_python(value.func)
    inner = getattr(value, "__wrapped__", value)
    call = inner if isinstance(inner, FunctionType) else vars(type(inner)).get("__call__")
    return isinstance(call, FunctionType) and not (call.__module__ or "").startswith("numpy")


def _written_operands(function: FunctionType, call: Any) -> tuple[list[Any], bool]:
    written = written_parameters(function, VOCABULARY)
    return given_to(function, call, written), ELSEWHERE in written


def _how_written(function: FunctionType) -> str | None:
    return how_written(function, VOCABULARY)


def _returned_operands(function: FunctionType, call: Any) -> list[Any]:
    returned = returned_parameters(function, VOCABULARY)
    if ELSEWHERE in returned:
        return [call.func, *call.args, *[item.value for item in call.keywords]]
    return given_to(function, call, returned)


def _elements_returned(function: FunctionType, call: Any) -> list[Any]:
    return given_to(function, call, returned_elements(function, VOCABULARY))


def _results_are_apart(value: Any) -> bool:
    return isinstance(value, FunctionType) and results_are_apart(value, VOCABULARY)


def _returns_array(value: Any) -> bool:
    return isinstance(value, FunctionType) and returns_array(value, VOCABULARY)


def _parameter_returned(value: Any) -> str | None:
    return parameter_returned(value) if isinstance(value, FunctionType) else None


def _passes_on(value: Any) -> bool:
    return passes_on(value, VOCABULARY)


VOCABULARY: Final[Vocabulary] = Vocabulary(
    rule_for=rule_for,
    constant_reason=constant_reason,
    canonical_name=canonical_name,
    is_function_class=_is_function_class,
    methods=MappingProxyType({**operators.METHODS, **DRAWS}),
    attributes=operators.ATTRIBUTES,
    variadic=operators.VARIADIC_METHODS,
    constant_methods=frozenset(operators.CONSTANT_METHODS),
    constant_attributes=frozenset(operators.CONSTANT_ATTRIBUTES),
    binary=operators.BINARY,
    unary=operators.UNARY,
    loses=calculates_in_integers,
    draws=frozenset(DRAWS),
    is_draw=is_draw,
    is_report=is_report,
    joiners=operators.JOINERS,
    plain_containers=operators.PLAIN_CONTAINERS,
    getitem=getitem,
    container_parameters=container_parameters,
    returns_list=returns_list,
    returns_new_list=returns_new_list,
    lists_returned=lists_returned,
    needs_tape=_needs_tape,
    inert=_inert,
    results=_results,
    takes_any_number=_takes_any_number,
    primitive=primitive_of,
    written_operands=_written_operands,
    how_written=_how_written,
    returned_operands=_returned_operands,
    elements_returned=_elements_returned,
    states_returned=states_returned,
    states_updated=states_updated,
    results_are_apart=_results_are_apart,
    returns_array=_returns_array,
    parameter_returned=_parameter_returned,
    passes_on=_passes_on,
    equivalent=equivalent,
    why_not=why_not,
)
