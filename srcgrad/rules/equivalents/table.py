"""Finds the equivalent of a call."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.rules.equivalents import arrays, folds, loops, polynomial_objects, polynomials
from srcgrad.rules.equivalents.compat import entries_of_compat
from srcgrad.rules.equivalents.registry import Equivalent
from srcgrad.rules.library import canonical_name, rule_for
from srcgrad.rules.reasons import refusal_of_function
from srcgrad.rules.scipy import written_functions

Literal = Callable[[Any], Any]

_TABLE: Mapping[Any, tuple[Equivalent, ...]] = {
    **arrays.EQUIVALENTS,
    **folds.EQUIVALENTS,
    **loops.EQUIVALENTS,
    **polynomials.EQUIVALENTS,
    **polynomial_objects.EQUIVALENTS,
}
EQUIVALENTS = _TABLE


class Call(NamedTuple):
    """A call that means what another one does; `lead` are functions that come first."""

    function: Callable[..., Any]
    lead: tuple[Any, ...]
    args: Sequence[Any]
    keywords: Mapping[str, Any]


def equivalent(
    function: Any,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    literal: Literal = lambda value: value,
) -> Call | None:
    """Return the call that stands for a call, or None; `literal` reads an option.

    Of `np.vectorize`, that is a call with the function and the arrays together.

    >>> call = equivalent(np.pad, ["x", 1], {"mode": "mean"})
    >>> call.function.__name__, call.lead == (np.mean,), call.args, call.keywords
    ('pad_with', True, ['x', 1], {})
    >>> equivalent(np.pad, ["x", 1], {"mode": "edge"}) is None
    True
    """
    try:
        entries = _entries_of(function)
    except TypeError:
        return None
    calls = (_by_entry(entry, args, keywords, literal) for entry in entries)
    known = next((call for call in calls if call is not None), None)
    if known is not None:
        return known
    if (getattr(function, "__module__", None) or "").startswith("scipy.sparse."):
        return _of_sparse(function, args, keywords)
    if function is np.vectorize:
        found = loops.of_vectorize(len(args))
        return None if found is None else Call(found.function, found.lead, args, keywords)
    folded = None if rule_for(function) else folds.of_method(function, args, keywords, literal)
    if folded is None:
        return None
    return Call(folded[0].function, folded[0].lead, args, folded[1])


def _by_entry(
    entry: Equivalent, args: Sequence[Any], keywords: Mapping[str, Any], literal: Literal
) -> Call | None:
    """Return the call of an equivalent, if it is one for these options and takes them."""
    if entry.option is not None:
        name, place = entry.option
        if name in keywords:
            value = literal(keywords[name])
            rest, options = args, {k: v for k, v in keywords.items() if k != name}
        elif len(args) == place + 1 or (len(args) > place and not entry.values):
            value = literal(args[place])
            rest, options = [*args[:place], *args[place + 1 :]], dict(keywords)
        else:  # not given, or what comes after it would move
            return None
        if entry.values:
            if not isinstance(value, (str, bool)) or value not in entry.values:
                return None
            args, keywords = rest, options
        elif value is None:
            return None
    return (
        Call(entry.function, entry.lead, args, keywords) if _takes(entry, args, keywords) else None
    )


def _takes(entry: Equivalent, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Say whether what stands for a function takes the arguments of a call."""
    try:
        _signature(entry.function).bind(*entry.lead, *args, **keywords)
    except TypeError:
        return False
    return True


_signature = functools.cache(inspect.signature)


def _entries_of(function: Any) -> tuple[Equivalent, ...]:
    """Return what stands for a function, by the values of an option."""
    return _TABLE.get(function, ()) or _entries_of_scipy(function) or entries_of_compat(function)


def _entries_of_scipy(function: Any) -> tuple[Equivalent, ...]:
    """Return what stands for a function of SciPy, which is imported already."""
    if not (getattr(function, "__module__", None) or "").startswith("scipy."):
        return ()
    package = canonical_name(function).rpartition(".")[0]
    return tuple(written_functions(package).get(function, ()))


def why_not(function: Any) -> tuple[str, str] | None:
    """Return what to say of a call without a rule, and the way out, if more is known than that."""
    name = canonical_name(function)
    found = refusal_of_function(name)
    if found is not None or rule_for(function) is not None:
        return found
    try:
        known = _entries_of(function)
    except TypeError:
        return None
    if not known:
        return None
    return (
        f"the call of `{name}` with these arguments has no derivative rule",
        "write it without rare options",
    )


def _of_sparse(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Call | None:
    """Return the call that stands for one of ``scipy.sparse``, which is imported already."""
    module = importlib.import_module("srcgrad.rules.scipy.sparse_matrices")
    found = module.sparse_equivalent(function, args, keywords)
    options = {name: value for name, value in keywords.items() if name not in ("format", "copy")}
    if found is None:
        return None
    written, lead, given = found
    return Call(written, lead, given, options)
