"""Makes calls with other options out of the specs: larger sizes, other modes, flags turned."""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.rules.library import canonical_name
from tests.unit.rules.opspec import OpSpec


def varied(spec: OpSpec) -> Iterator[OpSpec]:
    """Yield the spec with one whole number, flag, number or text in the place of another."""
    for place, arg in enumerate(spec.args):
        if type(arg) is int:
            for other in (arg + 1, arg + 2):
                yield replace(spec, args=(*spec.args[:place], other, *spec.args[place + 1 :]))
    known = {**_defaults(spec), **spec.kwargs}
    for name, value in known.items():
        for other in _others(spec.fn, name, value):
            yield replace(spec, kwargs={**spec.kwargs, name: other})


_AXES = (0, 1, -1, -2, None, (0, 1), (-1, 0))


def drawn(spec: OpSpec, rng: np.random.Generator) -> OpSpec:
    """Return the spec with some of its options drawn anew, others as they are."""
    args = [_redrawn(spec.fn, "", arg, rng) if type(arg) is int else arg for arg in spec.args]
    given = dict(spec.kwargs)
    for name, value in {**_defaults(spec), **spec.kwargs}.items():
        other = _redrawn(spec.fn, name, value, rng)
        if other is not value:
            given[name] = other
    return replace(spec, args=tuple(args), kwargs=given)


def _redrawn(function: Any, name: str, value: Any, rng: np.random.Generator) -> Any:
    """Return another value of an option, or the same in two of three cases."""
    if name == "axis":
        others: list[Any] = list(_AXES)
    elif name and type(value) is int and name not in _HELD:
        others = [value + 1, value + 2, value - 1, -value]
    else:
        others = _others(function, name, value)
    return others[rng.integers(len(others))] if others and rng.random() < 1 / 3 else value


def _defaults(spec: OpSpec) -> dict[str, Any]:
    """Return the options that a call does not give."""
    try:
        parameters = list(inspect.signature(spec.fn).parameters.values())
    except (TypeError, ValueError):
        return {}
    return {
        p.name: p.default
        for place, p in enumerate(parameters)
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        and p.default is not p.empty
        and (place >= len(spec.args) or p.kind is p.KEYWORD_ONLY)
    }


_HELD = (
    *("tol", "rtol", "atol", "xtol", "epsabs", "epsrel", "full_output", "compute_uv", "deg"),
    *("trans", "eigvals_only"),
)
"""What is loosened, returns something else, has no solution, or a third of two values."""
_LEFT_OUT = (
    "scipy.linalg.solve_triangular(3x3,3,",  # which of three ways, by number
    "scipy.stats.pearsonr(5x2",  # two points lie on a line
    "scipy.linalg.qr(3x3,mode=r",  # which raises, since there is one factor alone
    "scipy.sparse.linalg.spsolve_triangular(",  # of which one triangle is there
)


def _others(function: Callable[..., Any], name: str, value: Any) -> list[Any]:
    if name.startswith("overwrite") or name in _HELD:
        return []
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 2]
    if isinstance(value, float):
        return [1.5 * value + 0.3]
    if isinstance(value, str):
        pattern = rf"^\s*{name} : .*?\{{(.*?)\}}"
        said = re.search(pattern, function.__doc__ or "", re.MULTILINE | re.DOTALL)
        named = re.findall(r"['\"`\u2018]([\w-]+)['\"`\u2019]", said[1]) if said else []
        return [text for text in dict.fromkeys(named) if text != value]
    return [0] if name == "axis" and value is None else []


def is_smooth(spec: OpSpec) -> bool:
    """Say whether differences can tell the slopes of a call."""
    return not spec.label.startswith(_LEFT_OUT)


def one_in(count: int, specs: list[OpSpec]) -> Iterator[OpSpec]:
    """Yield one in so many of the calls that can be made of specs, the same ones each time."""
    for spec in specs:
        if spec.squared or canonical_name(spec.fn).startswith("srcgrad."):
            continue
        for other in varied(spec):
            if is_smooth(other) and zlib.crc32(other.label.encode()) % count == 0:
                yield other
