"""Programs whose tests are of texts that are known: options, what helpers say of them, states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.corpus import program

_KINDS = ("plain", "squared")


def _one_of(value, name, options=None, *, optional=False, lower=True):
    """Return an option as it is written in small letters, if it is one."""
    if optional and value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    if lower:
        value = value.lower()
    known = options
    if known is not None and value not in known:
        listed = "'" + "', '".join(known) + "'"
        raise ValueError(f"{name} is none of {listed}")
    return value


def _as_flag(value, name, *, optional=False):
    """Return a flag as a bool, if it is one."""
    if optional and value is None:
        return value
    if hasattr(value, "squeeze") and callable(value.squeeze):
        value = value.squeeze()
    try:
        return bool(value)
    except Exception as error:
        raise TypeError(f"{name} is no flag") from error


@dataclass
class _Pair:
    first: Any
    second: Any


def _pieces(x, part="Both", whole=None):
    part = _one_of(part, "part", options=("first", "both", "pair"))
    whole = _as_flag(whole, "whole", optional=True)
    first = np.sin(x)
    if part == "pair":
        second = x * x
    if whole or part == "pair":
        return _Pair(first, second if part == "pair" else None)
    return first


@program("v")
def array_or_pair_by_an_option(x):
    pair = _pieces(x, "PAIR")
    return np.sum(_pieces(x) * pair.first * pair.second)


def _mapped(x, how="sine", flag=False):
    flag = _as_flag(flag, "flag")
    is_sine = how == "sine" and not flag
    if is_sine:
        return np.sin(x)
    match how:
        case "square" | "sq":
            return x * x
        case _:
            return np.cos(x)


@program("v")
def mapped_by_texts_and_flags(x):
    return np.sum(_mapped(x) * _mapped(x, "sq") + _mapped(x, flag=True))


def _prefixed(x, how="sine"):
    name = "_" + how
    if name.startswith("_si") and name[1] == "s":
        return np.sin(x)
    return x * x


@program("v")
def mapped_by_parts_of_texts(x):
    return np.sum(_prefixed(x) * _prefixed(x, "none"))


def _fallback(x, how=None):
    if how is None:
        how = "plain"
    if how not in _KINDS:
        raise ValueError(how)
    return x if how == "plain" else x * x


@program("v")
def fallback_of_an_option(x):
    return np.sum(_fallback(x) * np.sin(_fallback(x, "squared")))


@program("v")
def text_that_changes_from_trip_to_trip(x):
    state, total = "plain", 0.0
    for i in range(len(x)):
        if state == "plain":
            total = total + x[i]
            state = "squared"
        else:
            total = total + x[i] ** 2
            state = "plain"
    return total * 2.0 if state == "plain" else total


@program("v")
def machine_of_states(x):
    state, i, total = "start", 0, 1.0
    while state != "end":
        if state == "start":
            total = total * x[0]
            state = "middle"
        elif state == "middle":
            total = total + np.sin(x[i])
            i += 1
            if i == len(x):
                state = "end"
    return total


@program("v")
def text_chosen_by_a_value(x):
    how = "sine"
    if x[0] > 1e3:
        how = "square"
    return np.sum(x * x) if how == "square" else np.sum(np.sin(x))


@program("v")
def text_bound_in_a_try(x):
    how = "sine"
    try:
        if x[0] > -9.0:
            how = "square"
            raise ValueError(how)  # noqa: TRY301
    except ValueError:
        y = x * 3.0
    else:
        y = x
    return np.sum(y * y) if how == "square" else np.sum(y)


def _alternating(x, how, count):
    if count == 0:
        return x
    if how == "sine":
        return _alternating(np.sin(x), "square", count - 1)
    return _alternating(x * x, "sine", count - 1)


@program("v")
def recursion_by_texts(x):
    return np.sum(_alternating(x, "sine", 3))


@program("v")
def wrong_option_caught(x):
    try:
        how = _one_of("none", "how", options=("a", "b"))
    except ValueError:
        how = "other"
    return np.sum(x * x) if how == "other" else np.sum(x)
