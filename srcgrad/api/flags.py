"""Knows the arguments that are None, a bool, a text or `{}`: if a text for all of them is refused.

Branches ask of those, as `if out is None`; and there may be no keywords for ``**kwargs``. A text
may then be made for them as they are in a call, without the branches that the call does not take;
other calls get another text. Of what else they ask whether it is None, the text knows that it is
not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from srcgrad.errors import MutationError, UnsupportedError
from srcgrad.frontend.expand.flags import PRESENT, SETTINGS, is_flag
from srcgrad.frontend.expand.presence import asked_for
from srcgrad.frontend.settled import reads_settings

Made = TypeVar("Made")
_MOST: Final = 32
"""Entries of which each may be a variable."""


def flags_of(arguments: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the flags among arguments, apart from those with the given names.

    >>> flags_of({"x": 2.0, "out": None, "kind": "mean", "n": 3}, ["x"])
    {'out': None, 'kind': 'mean'}
    """
    return {
        name: value for name, value in arguments.items() if name not in names and is_flag(value)
    }


def settings_of(
    function: Any, arguments: Mapping[str, Any], names: Collection[str]
) -> dict[str, Any]:
    """Return the flags but for some names, and marks for what is known not to be None."""
    return {**given_instead_of_none(function, arguments), **flags_of(arguments, names)}


def given_instead_of_none(function: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mark for each argument that is not None of which the function asks whether it is.

    >>> def f(x, size=None, out=None):
    ...     return x if size is None or out is not None else x * size
    >>> given_instead_of_none(f, {"x": 2.0, "size": 3, "out": None})
    {'size': <Presence.PRESENT: 'present'>}
    """
    asked = asked_for(function)
    return {name: PRESENT for name, v in arguments.items() if v is not None and name in asked}


def containers_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dicts, lists and tuples among arguments of which a text may be made by entries.

    >>> containers_of({"x": 2.0, "state": {"t": 1.0}, "rows": [2.0], "table": {0: 1.0}, "none": []})
    {'state': {'t': 1.0}, 'rows': [2.0]}
    """
    return {
        name: value
        for name, value in arguments.items()
        if type(value) in (list, tuple) or (type(value) is dict and is_flag(value))
        if 0 < len(value) <= _MOST
    }


def made_for(
    make: Callable[[dict[str, Any]], Made],
    function: Any,
    given: Mapping[str, Any],
    flags: Mapping[str, Any],
    containers: Mapping[str, Any],
) -> Made:
    """Return what is made for the functions and objects given; if that is refused, for flags too.

    So it is if it takes an array for granted where None is given. Where there are no flags, the
    settings of modules that the function reads may be such. Where memory is written of which it is
    not known how else it is reached, it is made for the entries of dicts and lists.

    Raises:
        MutationError: It is refused for all, and for the flags because of what it writes into: more
            may be known of that memory.
        UnsupportedError: It is refused for all; the first refusal says why.
    """
    try:
        made = make(dict(given))
    except UnsupportedError as refusal:
        rest = _name_of_rest(function)
        flags = {**flags, rest: containers[rest]} if rest in containers else flags
        more = [flags or {SETTINGS: None}] if flags or reads_settings(function) else []
        if containers and isinstance(refusal, MutationError):
            more.append({**flags, **containers})
        closer: UnsupportedError | None = None
        for told in more:
            try:
                return make({**told, **given})
            except UnsupportedError as other:
                if isinstance(other, MutationError) and not isinstance(refusal, MutationError):
                    closer = other
        if closer is not None:
            raise closer from closer.__cause__
        raise
    if not _asks_for_arrays(made, flags):
        return made
    try:
        return make({**flags, **given})
    except UnsupportedError:
        return made


def _name_of_rest(function: Any) -> str:
    """Return the name of ``*args``; a text is made for what is in it where that is needed."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & inspect.CO_VARARGS:
        return ""
    name: str = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    return name


def _asks_for_arrays(made: Any, flags: Mapping[str, Any]) -> bool:
    taken = getattr(getattr(made, "generated", None), "conditions", ())
    absent = (name for name, value in flags.items() if value is None)
    return any(f"isinstance({name}, np.ndarray)" in taken for name in absent)
