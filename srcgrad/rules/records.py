"""Finds the record of a function: what `primitives` says of it, completed by its rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.primitives import PACKAGES, RECORDS, UNKNOWN, Primitive
from srcgrad.primitives.signatures import SIGNATURES
from srcgrad.rules import draws, library
from srcgrad.rules.base import Elementwise

_FOUND: dict[Any, Primitive] = {}


def primitive_of(fn: Any) -> Primitive:
    """Return what is known of a function; `UNKNOWN` if that is nothing.

    >>> primitive_of(np.sinc).shape, primitive_of(np.tanh).shape, primitive_of(np.ravel).memory
    ('each', 'broadcast', 'layout')
    """
    try:
        found = _FOUND.get(fn)
    except TypeError:  # not hashable, so no primitive
        return UNKNOWN
    if found is None:
        found = _completed(fn)
        if fn in library.RULES or fn in library.CONSTANT or isinstance(fn, np.ufunc):
            _FOUND[fn] = found  # these live for ever; others may hold memory of users
    return found


def numpy_primitive(name: str) -> Primitive:
    """Return what is known of a function of NumPy by its name, as generated text has it.

    >>> numpy_primitive("sin").acts_on_each_element, numpy_primitive("made_up").acts_on_each_element
    (True, False)
    """
    function = getattr(np, name, None)
    return primitive_of(function) if callable(function) else UNKNOWN


def _completed(fn: Any) -> Primitive:
    rule, reason = library.rule_for(fn), library.constant_reason(fn)
    name = library.canonical_name(fn)
    shared = library.numpy_name(name)
    said = RECORDS.get(shared)
    if said is None and rule is None and reason is None and not isinstance(fn, np.ufunc):
        return UNKNOWN
    if said is None:
        said = PACKAGES.get(shared.rpartition(".")[0])
    found = replace(said or UNKNOWN, name=name, rule=rule, reason=reason)
    if shared in SIGNATURES:
        found = replace(found, signature=SIGNATURES[shared])
    return found if found.shape else _shaped(found, fn)


def _shaped(found: Primitive, fn: Any) -> Primitive:
    """Add the shape that follows from the kind of a function."""
    if isinstance(fn, np.ufunc):
        each = fn.signature is None and fn.nout == 1
        return replace(found, shape="broadcast", gives="number") if each else found
    rule = found.rule
    if rule is None or rule.__module__ == draws.__name__ or not _is_ours(rule):
        return found
    if issubclass(rule, Elementwise):
        return replace(found, shape="each")
    return replace(found, shape="broadcast") if rule.elementwise else found


def _is_ours(rule: Any) -> bool:
    """Say whether a rule is one of the library, not a user's, who promises less."""
    return str(rule.__module__).startswith("srcgrad.rules.")
