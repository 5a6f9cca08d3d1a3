"""Names what the compiler must know of functions, without knowing their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from srcgrad.primitives import Primitive

Primal = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Plain tables about primitives, which `compiler.py` fills from the rules and hands down.

    Attributes:
        rule_for: The derivative rule of a function object, or None.
        constant_reason: Why a function has no derivative, or None if it may have one.
        canonical_name: The one name of a function, such as ``numpy.tanh``.
        is_function_class: Says whether an object is a user's `Function` subclass.
        methods, attributes: Array methods and attributes, with the function each stands for.
        variadic: Methods whose positional arguments are collected in one tuple.
        constant_methods, constant_attributes: Those whose result carries no derivative.
        binary, unary: The function that each operator stands for, by the name of its syntax node.
        loses: Says whether a function loses the derivative if it is given a dtype.
        draws: The methods of random generators among `methods`, which advance their stream.
        is_draw: Says whether a function is a method of a random generator of NumPy.
        is_report: Says whether a function only tells somebody a value, as `print` does.
        joiners: Objects such as `np.r_`, with the function that their brackets stand for.
        plain_containers: The types of objects whose brackets only read.
        getitem: The function that reading ``x[i]`` stands for.
        container_parameters: The parameters of a user's function that are surely containers.
        returns_list: Says whether what a user's function returns is surely a list.
        returns_new_list: Says whether it is one that nothing else holds.
        returns_array: Says whether it is surely an array or a number.
        parameter_returned: The parameter that a user's function hands back, the very object.
        lists_returned: The places of the tuple that it returns where there surely is a list.
        needs_tape: Says whether a callable has neither a rule nor source: the tape runs its calls.
        inert: The places and names of the parameters of a primitive that carry no derivative.
        results: How many values a primitive or `Function` returns where so many are unpacked; None
            for any number.
        primitive: What is known of a function: its record in `primitives`.
        written_operands: The operands of a call of a Python function into which it may write, and
            whether it may write elsewhere.
        how_written: What to say of a Python function that writes: into what, and by which
            statement. None for one that does not.
        returned_operands: The operands of such a call in whose memory its result may lie; the
            function itself is among them if that is memory outside.
        elements_returned: Those of them of which at most elements are returned, ``x[i]``.
        states_returned: The parameters whose states, as they are in the end, are the last results
            of a function: new memory, with what it has written there.
        states_updated: Those of them of which it may update in place what is held there.
        results_are_apart: Says whether no two of the values that a user's function returns share
            memory.
        passes_on: Says whether what a user's function returns may carry derivatives of what it
            is given.
        equivalent: The call that stands for a call of a function written out with others, or None.
        why_not: What to say of a function without a rule, and the way out, if more is known.
    """

    rule_for: Callable[[Any], Any]
    constant_reason: Callable[[Any], str | None]
    canonical_name: Callable[[Any], str]
    is_function_class: Callable[[Any], bool]
    methods: Mapping[str, Primal]
    attributes: Mapping[str, Primal]
    variadic: frozenset[str]
    constant_methods: frozenset[str]
    constant_attributes: frozenset[str]
    binary: Mapping[str, Primal]
    unary: Mapping[str, Primal]
    loses: Callable[[Any, Any], bool]
    draws: frozenset[str]
    is_draw: Callable[[Any], bool]
    is_report: Callable[[Any], bool]
    joiners: tuple[tuple[Any, Primal], ...]
    plain_containers: tuple[type, ...]
    getitem: Primal
    container_parameters: Callable[[Any], frozenset[str]]
    returns_list: Callable[[Any], bool]
    returns_new_list: Callable[[Any], bool]
    returns_array: Callable[[Any], bool]
    parameter_returned: Callable[[Any], str | None]
    lists_returned: Callable[[Any], frozenset[int]]
    needs_tape: Callable[[Any], bool]
    inert: Callable[[Any], frozenset[int | str]]
    results: Callable[[Any, int], int | None]
    takes_any_number: Callable[[Any], bool]
    primitive: Callable[[Any], Primitive]
    written_operands: Callable[[FunctionType, Any], tuple[list[Any], bool]]
    how_written: Callable[[FunctionType], str | None]
    returned_operands: Callable[[FunctionType, Any], list[Any]]
    elements_returned: Callable[[FunctionType, Any], list[Any]]
    states_returned: Callable[[Any], tuple[str, ...]]
    states_updated: Callable[[Any], frozenset[str]]
    results_are_apart: Callable[[Any], bool]
    passes_on: Callable[[Any], bool]
    equivalent: Callable[..., Any]
    why_not: Callable[[Any], tuple[str, str] | None]
