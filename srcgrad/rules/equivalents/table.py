"""Finds the equivalent of a call."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.rules.equivalents import arrays, folds, loops, polynomials
from srcgrad.rules.equivalents.registry import Equivalent
from srcgrad.rules.library import canonical_name, rule_for
from srcgrad.rules.scipy import written_functions

Literal = Callable[[Any], Any]

_TABLE: Mapping[Any, tuple[Equivalent, ...]] = {
    **arrays.EQUIVALENTS,
    **folds.EQUIVALENTS,
    **loops.EQUIVALENTS,
    **polynomials.EQUIVALENTS,
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
        entries = _TABLE.get(function, ()) or _entries_of_scipy(function)
    except TypeError:
        return None
    for entry in entries:
        if entry.option is None:
            return Call(entry.function, entry.lead, args, keywords)
        name, place = entry.option
        if name in keywords:
            value = literal(keywords[name])
            rest, options = args, {k: v for k, v in keywords.items() if k != name}
        elif len(args) > place:
            value = literal(args[place])
            rest, options = [*args[:place], *args[place + 1 :]], dict(keywords)
            if len(args) > place + 1 and entry.values:
                continue  # what comes after it would move
        else:
            continue
        if not entry.values and value is not None:
            return Call(entry.function, entry.lead, args, keywords)
        if isinstance(value, (str, bool)) and value in entry.values:
            return Call(entry.function, entry.lead, rest, options)
    if (getattr(function, "__module__", None) or "").startswith("scipy.sparse."):
        return _of_sparse(function, args, keywords)
    if function is np.vectorize:
        found = loops.of_vectorize(len(args))
    else:
        found = None if rule_for(function) else folds.of_method(function)
    return None if found is None else Call(found.function, found.lead, args, keywords)


def _entries_of_scipy(function: Any) -> tuple[Equivalent, ...]:
    """Return what stands for a function of SciPy, which is imported already."""
    if not (getattr(function, "__module__", None) or "").startswith("scipy."):
        return ()
    package = canonical_name(function).rpartition(".")[0]
    return tuple(written_functions(package).get(function, ()))


def _of_sparse(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Call | None:
    """Return the call that stands for one of ``scipy.sparse``, which is imported already."""
    module = importlib.import_module("srcgrad.rules.scipy.sparse_matrices")
    found = module.sparse_equivalent(function, args, keywords)
    options = {name: value for name, value in keywords.items() if name not in ("format", "copy")}
    if found is None:
        return None
    written, lead, given = found
    return Call(written, lead, given, options)
